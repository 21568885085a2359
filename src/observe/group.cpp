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
    if (!numbered || numbers_tensors(numbered->word)) return std::nullopt;
    const auto kind = std::pair(file.tensor.dtype, file.tensor.shape.size());
    if (kinds.try_emplace(numbered->word, kind).first->second != kind) return std::nullopt;
    words.insert(numbered->word);
    TensorInfo tensor = file.tensor;
    tensor.name = numbered->word;
    calls[numbered->number].push_back(std::move(tensor));
  }
  return calls;
}

}  // namespace

Result<Call> call_of_tensors(std::vector<TensorInfo> tensors) {
  Call call;
  const bool sided =
      std::all_of(tensors.begin(), tensors.end(), [](const TensorInfo& t) { return side_of(t.name).has_value(); }) &&
      std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& t) { return !side_of(t.name)->output; });
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
  const auto take = [&out](std::vector<TensorInfo> tensors, std::string origin) {
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
      file.tensor.name = "input";
      take({std::move(file.tensor)}, file.path);
    }
    out.note += ", a call each";
  } else {
    std::vector<TensorInfo> tensors;
    for (TensorFile& file : files) {
      file.tensor.name = file.stem;
      tensors.push_back(std::move(file.tensor));
    }
    left_out = unreadable.empty() ? 0 : 1;
    if (left_out == 0) take(std::move(tensors), folder);
    out.note += ", the tensors of one call";
  }
  if (left_out > 0) out.note += "; " + counted(left_out, "call") + " left out, of which a file cannot be read";
  return out;
}

}  // namespace tensorspec
