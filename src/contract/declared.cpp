// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/declared.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "contract/symbol_name.hpp"

namespace tensorspec {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

// Words by which exporters say that they know nothing.
bool says_nothing(std::string_view text) {
  static constexpr std::string_view kWords[] = {"", "?", "*", "None", "none", "null", "unk", "unknown"};
  if (std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords)) return true;
  const auto number = parse_int64(text);
  return number && *number < 0;
}

bool is_symbol_name(std::string_view text) {
  const auto dim = Dim::parse(text);
  return dim.ok() && dim->as_symbol() && *dim->as_symbol() == text;
}

bool is_extent(std::int64_t size) { return size >= 0 && size <= kMaxExtent; }

class Translator {
 public:
  explicit Translator(const Declared& declared) : declared_(declared) {
    for (const auto* group : {&declared.inputs, &declared.outputs})
      for (const DeclaredTensor& tensor : *group)
        if (tensor.shape)
          for (const DeclaredDim& dim : *tensor.shape)
            if (const auto text = without_blanks(dim.text); !dim.size && !says_nothing(text) && is_symbol_name(text))
              alone_.emplace(text);
    used_ = alone_;
  }

  Result<DeclaredContract> run() {
    notes_ = declared_.notes;
    take(declared_.inputs, variant_.inputs);
    take(declared_.outputs, variant_.outputs);
    drop_empty_ranges();
    for (const auto& [text, count] : said_nothing_)
      notes_.push_back(
          "'" + text + "' says nothing" +
          (count > 1 ? "; the " + std::to_string(count) + " axes that have it are sizes of their own" : ""));
    Contract::Data data;
    data.variants.push_back(std::move(variant_));
    TRY(Contract contract, Contract::make(std::move(data)));
    return DeclaredContract{std::move(contract), std::move(notes_)};
  }

 private:
  void take(const std::vector<DeclaredTensor>& from, std::vector<TensorContract>& to) {
    for (const DeclaredTensor& tensor : from) {
      if (!tensor.shape) {
        notes_.push_back(tensor.name + " (" + std::string(tensor.dtype.name()) + ") is left out: it has no shape");
        continue;
      }
      TensorContract out;
      out.name = tensor.name;
      if (tensor.dtype.is_known()) out.dtypes.push_back(tensor.dtype);
      for (std::size_t axis = 0; axis < tensor.shape->size(); ++axis)
        out.shape.push_back(translate((*tensor.shape)[axis], axis_name(tensor.name, axis)));
      to.push_back(std::move(out));
    }
  }

  Dim translate(const DeclaredDim& dim, const std::string& at) {
    Dim out = meaning(dim, at);
    if (const std::string* name = out.as_symbol()) limit(*name, dim);
    return out;
  }

  Dim meaning(const DeclaredDim& dim, const std::string& at) {
    if (dim.size) return is_extent(*dim.size) ? Dim(*dim.size) : unknown(at);
    const std::string_view text = without_blanks(dim.text);
    if (says_nothing(text)) {
      if (!dim.text.empty()) ++said_nothing_[dim.text];
      return unknown(at);
    }
    if (const auto size = parse_int64(text)) return is_extent(*size) ? Dim(*size) : unknown(at);
    if (alone_.contains(text)) return symbol(std::string(text), at, Symbol::Source::declared);
    if (auto parsed = Dim::parse(text); parsed.ok()) {
      const auto names = parsed->symbols();
      const bool known =
          std::all_of(names.begin(), names.end(), [&](const auto& name) { return alone_.contains(name); });
      if (const auto size = parsed->as_integer()) return is_extent(*size) ? Dim(*size) : unknown(at);
      if (known) return std::move(parsed).value();
    }
    return renamed(std::string(text), at);
  }

  // What all axes of a symbol allow.
  void limit(const std::string& name, const DeclaredDim& dim) {
    const auto listed = listed_.find(name);
    if (listed == listed_.end()) return;
    Symbol& symbol = variant_.symbols[listed->second];
    if (dim.min && is_extent(*dim.min)) symbol.min = std::max(symbol.min.value_or(0), *dim.min);
    if (dim.max && is_extent(*dim.max)) symbol.max = std::min(symbol.max.value_or(kMaxExtent), *dim.max);
  }

  void drop_empty_ranges() {
    for (Symbol& symbol : variant_.symbols) {
      if (!symbol.min || !symbol.max || *symbol.min <= *symbol.max) continue;
      notes_.push_back("the ranges of " + symbol.name + " exclude one another and are left out");
      symbol.min = symbol.max = std::nullopt;
    }
  }

  Dim symbol(const std::string& name, const std::string& at, Symbol::Source source) {
    if (!listed_.try_emplace(name, variant_.symbols.size()).second) return Dim::symbol(name);
    Symbol symbol;
    symbol.name = name;
    symbol.source = source;
    symbol.at = at;
    variant_.symbols.push_back(std::move(symbol));
    return Dim::symbol(name);
  }

  // The same text is the same symbol, another text another one.
  Dim renamed(const std::string& text, const std::string& at) {
    std::string& name = renamed_[text];
    if (name.empty()) {
      name = unused(to_symbol_name(text), "_", 2);
      notes_.push_back("'" + text + "' is called " + name +
                       ", since it is neither a name nor an expression over names");
    }
    return symbol(name, at, Symbol::Source::declared);
  }

  Dim unknown(const std::string& at) {
    while (used_.contains("s" + std::to_string(next_))) ++next_;
    const std::string name = "s" + std::to_string(next_);
    used_.insert(name);
    return symbol(name, at, Symbol::Source::unknown);
  }

  // The name itself when it is free, else with the first free number behind it.
  std::string unused(std::string name, const std::string& separator, std::size_t number) {
    std::string candidate = name;
    // Numbers go on from the last one, so that many texts that differ in signs alone are told apart in one go.
    std::size_t& next = numbers_.try_emplace(name, number).first->second;
    while (!used_.insert(candidate).second) candidate = name + separator + std::to_string(next++);
    return candidate;
  }

  const Declared& declared_;
  std::set<std::string, std::less<>> alone_;  // texts that are names as they stand
  std::set<std::string, std::less<>> used_;
  std::map<std::string, std::size_t> listed_;  // index in variant_.symbols
  std::map<std::string, std::string> renamed_;
  std::map<std::string, std::size_t> numbers_, said_nothing_;
  std::size_t next_ = 0;
  Variant variant_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string to_symbol_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && name.empty()) name += '_';
    name += letter || digit ? c : '_';
  }
  if (!is_symbol_name(name)) name += '_';
  return name;
}

Result<DeclaredContract> contract_of(const Declared& declared) { return Translator(declared).run(); }

}  // namespace tensorspec
