// SPDX-License-Identifier: Apache-2.0
#include "observe/group.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

// The part of a name after an input or output prefix, and which it was.
struct Side {
  bool output;
  std::string_view rest;
};
std::optional<Side> side_of(std::string_view name) {
  static constexpr std::pair<std::string_view, bool> kPrefixes[] = {
      {"in__", false}, {"out__", true}, {"inputs/", false}, {"outputs/", true}, {"input/", false}, {"output/", true}};
  for (const auto& [prefix, output] : kPrefixes)
    if (name.substr(0, prefix.size()) == prefix && name.size() > prefix.size())
      return Side{output, name.substr(prefix.size())};
  return std::nullopt;
}

// "ids_007" is word "ids" and number "7".
struct Numbered {
  std::string word, number;
};
std::optional<Numbered> split_number(const std::string& stem) {
  std::size_t digits = stem.size();
  while (digits > 0 && stem[digits - 1] >= '0' && stem[digits - 1] <= '9') --digits;
  if (digits == stem.size()) return std::nullopt;
  std::size_t word = digits;
  while (word > 0 && (stem[word - 1] == '_' || stem[word - 1] == '-' || stem[word - 1] == '.')) --word;
  std::string number = stem.substr(digits);
  number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
  return Numbered{stem.substr(0, word), number};
}

// Words after which a number tells tensors apart, not calls.
bool numbers_tensors(const std::string& word) {
  static const std::set<std::string> kWords = {"input", "inputs", "output", "outputs", "arg", "args", "in", "out"};
  return kWords.contains(word);
}

// Tensors by number when the names say so.
using ByNumber = std::map<std::string, std::vector<TensorInfo>, decltype(&natural_less)>;
std::optional<ByNumber> calls_by_number(const std::vector<TensorFile>& files, std::set<std::string>& words) {
  ByNumber calls(&natural_less);
  std::map<std::string, std::pair<DType, std::size_t>> kinds;
  for (const TensorFile& file : files) {
    const auto numbered = split_number(file.stem);
    if (!numbered) return std::nullopt;
    const auto side = side_of(numbered->word);
    if (numbers_tensors(side ? std::string(side->rest) : numbered->word)) return std::nullopt;
    const auto kind = std::pair(file.tensor.dtype, file.tensor.shape.size());
    if (kinds.try_emplace(numbered->word, kind).first->second != kind) return std::nullopt;
    words.insert(numbered->word);
    TensorInfo tensor = file.tensor;
    tensor.name = numbered->word;
    calls[numbered->number].push_back(std::move(tensor));
  }
  return calls;
}

// Do all have names inside, which differ?
bool have_own_names(const std::vector<TensorFile>& files) {
  std::vector<std::string_view> names;
  for (const TensorFile& file : files) names.push_back(file.tensor.name);
  return std::find(names.begin(), names.end(), "") == names.end() && !repeated(std::move(names));
}

// The name inside a file, without the numbers of a sequence's tensors.
std::string_view own_name(const ValueFile& file, bool sequence) {
  if (file.tensors.empty()) return {};
  const std::string_view name = file.tensors[0].name;
  return sequence ? name.substr(0, name.rfind('[')) : name;
}

// The model's name of each file of one side, by the names inside; empty when these do not all differ and belong to it.
std::vector<const ValueName*> names_inside(const std::vector<const ValueFile*>& files,
                                           const std::vector<ValueName>& names) {
  std::map<std::string_view, const ValueName*> known;
  for (const ValueFile* file : files)
    for (const bool sequence : {false, true}) known[own_name(*file, sequence)] = nullptr;
  for (const ValueName& name : names)
    if (const auto wanted = known.find(name.name); wanted != known.end() && !wanted->second) wanted->second = &name;
  std::vector<const ValueName*> found;
  std::set<const ValueName*> taken;
  for (const ValueFile* file : files) {
    const ValueName* name = known[own_name(*file, false)];
    if (!name) name = known[own_name(*file, true)];
    if (!name || !taken.insert(name).second) return {};
    found.push_back(name);
  }
  return found;
}

void add_value(const ValueFile& file, const ValueName* name, std::vector<TensorInfo>& to) {
  const std::string number = (file.output ? "output_" : "input_") + std::to_string(file.index);
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    TensorInfo tensor = file.tensors[i];
    if (name)
      tensor.name = name->sequence || file.tensors.size() > 1 ? name->name + "[" + std::to_string(i) + "]" : name->name;
    else if (tensor.name.empty() || tensor.name[0] == '[') tensor.name = number + tensor.name;
    to.push_back(std::move(tensor));
  }
}

}  // namespace

std::optional<ValueFile> value_file(const std::string& stem) {
  for (const auto& [prefix, output] : {std::pair("input_", false), std::pair("output_", true)}) {
    if (!stem.starts_with(prefix)) continue;
    const auto index = parse_int64(std::string_view(stem).substr(std::string_view(prefix).size()));
    if (index && *index >= 0) return ValueFile{output, static_cast<std::size_t>(*index), {}, {}};
  }
  return std::nullopt;
}

Result<Call> call_of_values(std::vector<ValueFile> files, const std::vector<ValueName>& inputs,
                            const std::vector<ValueName>& outputs) {
  std::sort(files.begin(), files.end(), [](const ValueFile& a, const ValueFile& b) { return a.index < b.index; });
  Call call;
  for (const bool output : {false, true}) {
    std::vector<const ValueFile*> side;
    for (const ValueFile& file : files)
      if (file.output == output && !file.tensors.empty()) side.push_back(&file);
    const std::vector<ValueName>& names = output ? outputs : inputs;
    const auto inside = names_inside(side, names);
    for (std::size_t i = 0; i < side.size(); ++i) {
      const ValueName* by_number = side[i]->index < names.size() ? &names[side[i]->index] : nullptr;
      add_value(*side[i], inside.empty() ? by_number : inside[i], output ? call.outputs : call.inputs);
    }
  }
  TRY_VOID(validate(call));
  return call;
}

bool names_an_input(std::string_view name) {
  const auto side = side_of(name);
  return side && !side->output;
}

Result<Call> call_of_tensors(std::vector<TensorInfo> tensors) {
  Call call;
  const bool sided =
      std::all_of(tensors.begin(), tensors.end(), [](const TensorInfo& t) { return side_of(t.name).has_value(); }) &&
      std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& t) { return names_an_input(t.name); });
  for (TensorInfo& tensor : tensors) {
    const auto side = sided ? side_of(tensor.name) : std::nullopt;
    if (side) tensor.name = std::string(side->rest);
    (side && side->output ? call.outputs : call.inputs).push_back(std::move(tensor));
  }
  TRY_VOID(validate(call));
  return call;
}

Grouped group_files(std::vector<TensorFile> files, const std::vector<std::string>& unreadable,
                    const std::string& folder, Grouping grouping) {
  Grouped out;
  const bool sided =
      grouping != Grouping::call_per_file &&
      std::all_of(files.begin(), files.end(), [](const TensorFile& file) { return side_of(file.stem).has_value(); }) &&
      std::any_of(files.begin(), files.end(), [&](const TensorFile& file) { return names_an_input(file.stem); });
  std::size_t halves = 0;
  const auto take = [&](std::vector<TensorInfo> tensors, std::string origin) {
    if (sided &&
        std::none_of(tensors.begin(), tensors.end(), [&](const auto& tensor) { return names_an_input(tensor.name); })) {
      ++halves;
      return;
    }
    auto call = call_of_tensors(std::move(tensors));
    if (call.ok()) out.calls.push_back({std::move(call).value(), std::move(origin)});
    else out.errors.push_back(within(std::move(call).error(), origin, ": "));
  };
  std::sort(files.begin(), files.end(),
            [](const TensorFile& a, const TensorFile& b) { return natural_less(a.stem, b.stem); });
  std::set<std::string> words;
  auto numbered = grouping == Grouping::one_call ? std::nullopt : calls_by_number(files, words);
  std::size_t left_out = 0;
  out.note = folder + ": " + counted(files.size(), "file");
  if (numbered) {
    for (const std::string& stem : unreadable)
      if (const auto number = split_number(stem)) left_out += numbered->erase(number->number);
    for (const auto& [number, tensors] : *numbered) take(tensors, folder + " (number " + number + ")");
    out.note += ", told apart by their numbers: " + counted(numbered->size(), "call") + " of " +
                join({words.begin(), words.end()}, ", ");
  } else if (grouping == Grouping::call_per_file) {
    for (TensorFile& file : files) {
      if (file.tensor.name.empty()) file.tensor.name = "input";
      take({std::move(file.tensor)}, file.path);
    }
    out.note += ", a call each";
  } else {
    std::vector<TensorInfo> tensors;
    const bool own_names = have_own_names(files);
    for (TensorFile& file : files) {
      if (!own_names) file.tensor.name = file.stem;
      tensors.push_back(std::move(file.tensor));
    }
    left_out = unreadable.empty() ? 0 : 1;
    if (left_out == 0) take(std::move(tensors), folder);
    out.note += ", the tensors of one call";
  }
  if (halves > 0) out.note += "; " + counted(halves, "call") + " left out, of which there are outputs alone";
  if (left_out > 0) out.note += "; " + counted(left_out, "call") + " left out, of which a file cannot be read";
  return out;
}

}  // namespace tensorspec
