// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/contract.hpp"

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "contract/bounds.hpp"

namespace tensorspec {
namespace {

constexpr std::uint64_t kMaxContractBytes = std::uint64_t{1} << 30;

Error conflict(std::size_t variant, std::string detail) {
  return Error{ErrorCode::contract_conflict, "variant " + std::to_string(variant), std::move(detail)};
}

Status check_symbols(const Variant& variant, std::size_t index) {
  std::set<std::string_view> names;
  for (const Symbol& symbol : variant.symbols) {
    if (!names.insert(symbol.name).second) return conflict(index, "symbol \"" + symbol.name + "\" twice");
    TRY(const Dim name, Dim::parse(symbol.name));
    if (!name.as_symbol()) return conflict(index, "\"" + symbol.name + "\" is no name for a symbol");
    if (symbol.min && symbol.max && *symbol.min > *symbol.max)
      return conflict(
          index, symbol.name + ": min " + std::to_string(*symbol.min) + " is above max " + std::to_string(*symbol.max));
    for (const auto& bound : {symbol.min, symbol.max})
      if (bound && (*bound < 0 || *bound > kMaxExtent))
        return conflict(index, symbol.name + ": " + std::to_string(*bound) + " is no extent");
    if (symbol.multiple_of < 1 || symbol.residue < 0 || symbol.residue >= symbol.multiple_of ||
        symbol.seen_multiple_of < 1 || symbol.seen_residue < 0 || symbol.seen_residue >= symbol.seen_multiple_of)
      return conflict(index, symbol.name + ": a stride must be at least 1 and its residue below it");
    if (symbol.multiple_of > kMaxExtent) return conflict(index, symbol.name + ": no size has so large a stride");
    if (diffing::Domain::of(symbol).empty())
      return conflict(index, symbol.name + ": no size in its range is of its stride");
  }
  return {};
}

// An output may be there with several ranks; an input may not, since inputs tell the variants apart.
Status check_tensors(const std::vector<TensorContract>& tensors, bool outputs, std::size_t index) {
  std::set<std::pair<std::string_view, std::size_t>> seen;
  for (const TensorContract& tensor : tensors) {
    TRY_VOID(check_name("variant " + std::to_string(index), tensor.name));
    if (tensor.shape.size() > kMaxRank) return Error{ErrorCode::rank_too_large, tensor.name, ""};
    if (!seen.emplace(tensor.name, outputs ? tensor.shape.size() : 0).second)
      return conflict(index, "tensor \"" + tensor.name + "\" twice");
    for (const Dim& dim : tensor.shape)
      if (const auto size = dim.as_integer(); size && (*size < 0 || *size > kMaxExtent))
        return conflict(index, tensor.name + ": " + std::to_string(*size) + " is no extent");
  }
  return {};
}

// Symbols that only dims name have no range.
void add_missing_symbols(Variant& variant) {
  std::set<std::string> known;
  for (const Symbol& symbol : variant.symbols) known.insert(symbol.name);
  const auto add = [&](const Dim& dim) {
    for (const std::string& name : dim.symbols())
      if (known.insert(name).second) {
        Symbol symbol;
        symbol.name = name;
        variant.symbols.push_back(std::move(symbol));
      }
  };
  for (const auto* group : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *group)
      for (const Dim& dim : tensor.shape) add(dim);
  if (variant.batch_size) add(*variant.batch_size);
}

}  // namespace

const Symbol* Variant::symbol(std::string_view name) const noexcept {
  for (const Symbol& candidate : symbols)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

Result<Contract> Contract::make(Data data) {
  std::set<std::vector<TensorSlot>> inputs;
  for (std::size_t i = 0; i < data.variants.size(); ++i) {
    Variant& variant = data.variants[i];
    TRY_VOID(check_tensors(variant.inputs, false, i));
    TRY_VOID(check_tensors(variant.outputs, true, i));
    std::vector<TensorSlot> slots;
    add_missing_symbols(variant);
    for (const TensorContract& tensor : variant.inputs) slots.push_back({tensor.name, tensor.shape.size()});
    TRY_VOID(check_symbols(variant, i));
    std::sort(slots.begin(), slots.end());
    if (!inputs.insert(std::move(slots)).second) return conflict(i, "another variant has the same inputs");
  }
  Contract contract;
  contract.data_ = std::move(data);
  return contract;
}

Result<Contract> Contract::load(const std::filesystem::path& path) {
  TRY(const std::string text, load_file(path, kMaxContractBytes));
  auto contract = from_json(text);
  if (contract.ok()) return contract;
  Error error = within(std::move(contract).error(), path.string(), ": ");
  if (error.code == ErrorCode::json_syntax) error.detail = "a contract is JSON: " + error.detail;
  return error;
}

Status Contract::save(const std::filesystem::path& path) const { return save_file(path, to_json() + "\n"); }

std::string axis_name(std::string_view tensor, std::size_t axis) {
  return std::string(tensor) + "[" + std::to_string(axis) + "]";
}

std::string_view to_string(Certainty certainty) noexcept {
  switch (certainty) {
    case Certainty::declared: return "declared";
    case Certainty::believed: return "believed";
    case Certainty::weak: return "weak";
    case Certainty::open: return "open";
  }
  return "";
}

std::string_view to_string(Symbol::Source source) noexcept {
  switch (source) {
    case Symbol::Source::given: return "given";
    case Symbol::Source::inferred: return "inferred";
    case Symbol::Source::observed: return "observed";
    case Symbol::Source::declared: return "declared";
    case Symbol::Source::unknown: return "unknown";
  }
  return "";
}

}  // namespace tensorspec
