// SPDX-License-Identifier: Apache-2.0
#include "explain/seen.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "contract/columns.hpp"

namespace tensorspec {
namespace {

void add_calls(const std::vector<InputAxis>& axes, const std::vector<std::size_t>& columns, bool has_batch_size,
               const BottomKSample& sample, std::vector<SeenCall>& out) {
  for (const auto& [key, count] : sample.entries()) {
    SeenCall call;
    for (const InputAxis& at : axes) call.extents.push_back(key.extents[columns[at.tensor] + at.axis]);
    if (has_batch_size) call.batch_size = key.extents.back();
    out.push_back(std::move(call));
  }
}

// s, when dim is (k*s+c)/d and has that size for a whole s of at least 0.
std::optional<std::pair<std::string, std::int64_t>> solve(const Dim& dim, std::int64_t size) {
  std::int64_t times = 0, constant = 0;
  const std::string* name = nullptr;
  for (const Dim::Term& term : dim.terms()) {
    if (term.factors.empty()) {
      constant = term.coefficient;
      continue;
    }
    if (name || term.factors.size() != 1 || term.factors[0].argument) return std::nullopt;
    name = &term.factors[0].name;
    times = term.coefficient;
  }
  const auto scaled = checked_mul(size, dim.denominator());
  const auto rest = scaled && name ? checked_sub(*scaled, constant) : std::nullopt;
  if (!rest || *rest == INT64_MIN || *rest % times != 0 || *rest / times < 0) return std::nullopt;
  return std::pair(*name, *rest / times);
}

}  // namespace

std::vector<InputAxis> input_axes(const Variant& variant) {
  std::vector<InputAxis> out;
  for (std::size_t tensor = 0; tensor < variant.inputs.size(); ++tensor)
    for (std::size_t axis = 0; axis < variant.inputs[tensor].shape.size(); ++axis)
      out.push_back({tensor, axis, &variant.inputs[tensor].shape[axis]});
  return out;
}

SeenCalls seen_calls(const Contract& contract, const Variant& variant) {
  SeenCalls out;
  if (!contract.evidence()) return out;
  const std::vector<InputAxis> axes = input_axes(variant);
  for (const auto& [signature, state] : contract.evidence()->states())
    if (const auto columns = first_columns(variant, signature))
      add_calls(axes, *columns, signature.has_batch_size, state.sample(), out.accepted);
  for (const auto& [signature, calls] : contract.evidence()->rejected())
    if (const auto columns = first_columns(variant, signature))
      add_calls(axes, *columns, signature.has_batch_size, calls.sample, out.rejected);
  return out;
}

Sizes sizes_in(const Variant& variant, const std::vector<InputAxis>& axes, const SeenCall& call) {
  Sizes out;
  if (variant.batch_size && call.batch_size)
    if (const auto solved = solve(*variant.batch_size, *call.batch_size)) out.insert(*solved);
  for (const bool bare : {true, false})
    for (std::size_t i = 0; i < axes.size(); ++i)
      if ((axes[i].dim->as_symbol() != nullptr) == bare)
        if (const auto solved = solve(*axes[i].dim, call.extents[i])) out.insert(*solved);
  return out;
}

std::optional<std::int64_t> evaluate(const Dim& dim, const Sizes& sizes) {
  return dim.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = sizes.find(std::string(name));
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace tensorspec
