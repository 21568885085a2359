// SPDX-License-Identifier: Apache-2.0
#include "plan/solve.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tensorspec::planning {
namespace {

bool has(const Dim& dim, std::string_view name) {
  const auto symbols = dim.symbols();
  return std::binary_search(symbols.begin(), symbols.end(), name);
}

// Every term has the symbol at most once, and not within floor or ceil.
bool is_linear(const Dim& dim, std::string_view name) {
  return std::all_of(dim.terms().begin(), dim.terms().end(), [&](const Dim::Term& term) {
    std::size_t times = 0;
    for (const Dim::Factor& factor : term.factors) {
      if (factor.argument && has(*factor.argument, name)) return false;
      if (!factor.argument && factor.name == name) ++times;
    }
    return times <= 1;
  });
}

}  // namespace

RowSolver::RowSolver(const Variant& variant, const Signature& signature, const std::vector<std::size_t>& first,
                     const std::vector<std::string>& symbols)
    : names_(symbols) {
  std::vector<std::pair<std::size_t, const Dim*>> axes;
  if (variant.batch_size && signature.has_batch_size) axes.emplace_back(signature.columns() - 1, &*variant.batch_size);
  for (std::size_t t = 0; t < variant.inputs.size(); ++t)
    for (std::size_t axis = 0; axis < variant.inputs[t].shape.size(); ++axis)
      axes.emplace_back(first[t] + axis, &variant.inputs[t].shape[axis]);
  // Bare axes first.
  std::stable_partition(axes.begin(), axes.end(), [](const auto& at) { return at.second->as_symbol() != nullptr; });
  std::vector<bool> known(names_.size(), false);
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& [column, dim] : axes) {
      std::vector<std::size_t> open;
      const auto used = dim->symbols();
      for (std::size_t s = 0; s < names_.size(); ++s)
        if (!known[s] && std::binary_search(used.begin(), used.end(), names_[s])) open.push_back(s);
      if (open.size() != 1 || !is_linear(*dim, names_[open[0]])) continue;
      steps_.push_back({column, open[0], dim, used.size() == 1});
      known[open[0]] = progress = true;
    }
  }
}

std::optional<Sizes> RowSolver::solve(std::span<const std::int64_t> row) const {
  if (steps_.size() != names_.size()) return std::nullopt;
  Sizes out(names_.size(), 0);
  for (const Step& step : steps_) {
    const auto size = solve(step, row[step.column], out);
    if (!size) return std::nullopt;
    out[step.symbol] = *size;
  }
  return out;
}

// (a*s + b) / d == size, with a and b of the sizes known.
std::optional<std::int64_t> RowSolver::solve(const Step& step, std::int64_t size, const Sizes& known) const {
  const auto look_up = [&](std::string_view name) -> std::optional<std::int64_t> {
    return known[static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin())];
  };
  std::int64_t a = 0;
  auto rest = checked_mul(size, step.dim->denominator());
  for (const Dim::Term& term : step.dim->terms()) {
    bool mine = false;
    std::optional<std::int64_t> product = term.coefficient;
    for (const Dim::Factor& factor : term.factors) {
      if (!factor.argument && factor.name == names_[step.symbol]) {
        mine = true;
        continue;
      }
      const auto value = Dim::evaluate(factor, look_up);
      product = product && value ? checked_mul(*product, *value) : std::nullopt;
    }
    if (!product || !rest) return std::nullopt;
    if (!mine) rest = checked_sub(*rest, *product);
    else if (const auto sum = checked_add(a, *product)) a = *sum;
    else return std::nullopt;
  }
  if (!rest || a == 0 || *rest == INT64_MIN || *rest % a != 0 || *rest / a < 0) return std::nullopt;
  return *rest / a;
}

std::optional<std::size_t> RowSolver::column_of(std::size_t symbol) const {
  for (const Step& step : steps_)
    if (step.symbol == symbol && step.alone) return step.column;
  return std::nullopt;
}

std::optional<std::int64_t> RowSolver::solve_alone(std::size_t symbol, std::int64_t size) const {
  for (const Step& step : steps_)
    if (step.symbol == symbol && step.alone) return solve(step, size, Sizes(names_.size(), 0));
  return std::nullopt;
}

}  // namespace tensorspec::planning
