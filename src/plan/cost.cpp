// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec::planning {
namespace {

constexpr std::size_t kMaxTried = std::size_t{1} << 20;

// Sums of products of what does not fall and is not negative, for sizes of at least 0.
bool rises(const Dim& dim, bool constant_may_be_negative) {
  if (dim.denominator() != 1) return false;  // it has no value everywhere
  return std::all_of(dim.terms().begin(), dim.terms().end(), [&](const Dim::Term& term) {
    if (term.coefficient < 0 && !(term.factors.empty() && constant_may_be_negative)) return false;
    return std::all_of(term.factors.begin(), term.factors.end(),
                       [](const Dim::Factor& factor) { return !factor.argument || rises(*factor.argument, false); });
  });
}

}  // namespace

Result<Cost> Cost::make(const Dim& dim, const std::vector<std::string>& symbols) {
  Cost out;
  out.dim_ = dim;
  out.names_ = symbols;
  const auto index = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(symbols.begin(), symbols.end(), name) - symbols.begin());
  };
  for (const std::string& name : dim.symbols())
    if (index(name) == symbols.size())
      return out.error(name + " is no symbol here; there " + (symbols.size() == 1 ? "is " : "are ") +
                       join(symbols, ", "));
  for (const Dim::Term& term : dim.terms()) {
    Term compiled{term.coefficient, {}, {}};
    for (const Dim::Factor& factor : term.factors) {
      if (factor.argument) compiled.rounded.push_back(factor);
      else compiled.symbols.push_back(static_cast<std::uint32_t>(index(factor.name)));
    }
    out.terms_.push_back(std::move(compiled));
  }
  return out;
}

std::optional<std::int64_t> Cost::at(SizesView sizes) const {
  std::int64_t sum = 0;
  const auto look_up = [&](std::string_view name) -> std::optional<std::int64_t> {
    return sizes[static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin())];
  };
  for (const Term& term : terms_) {
    std::optional<std::int64_t> product = term.coefficient;
    for (const std::uint32_t symbol : term.symbols)
      if (product) product = checked_mul(*product, sizes[symbol]);
    for (const Dim::Factor& factor : term.rounded) {
      const auto value = Dim::evaluate(factor, look_up);
      product = product && value ? checked_mul(*product, *value) : std::nullopt;
    }
    const auto next = product ? checked_add(sum, *product) : std::nullopt;
    if (!next) return std::nullopt;
    sum = *next;
  }
  if (sum < 0 || sum % dim_.denominator() != 0) return std::nullopt;
  return sum / dim_.denominator();
}

Error Cost::error(const std::string& detail) const { return {ErrorCode::plan_cost, dim_.to_string(), detail}; }

std::string Cost::place(SizesView sizes) const {
  std::vector<std::string> parts;
  for (std::size_t s = 0; s < names_.size(); ++s) parts.push_back(names_[s] + " = " + std::to_string(sizes[s]));
  return join(parts, ", ");
}

Status Cost::must_rise(const std::vector<Sizes>& grid) const {
  Sizes least, most;
  std::size_t count = 1;
  for (const Sizes& sizes : grid) {
    least.push_back(sizes.front());
    most.push_back(sizes.back());
    count = count > kMaxTried ? count : count * sizes.size();
  }
  for (const Sizes& corner : {least, most})
    if (!at(corner)) return error("at " + place(corner) + " it is negative, not whole, or does not fit in 64 bits");
  if (rises(dim_, true)) return {};
  if (count > kMaxTried) return error("it cannot be shown that it never falls when a size grows");
  return try_all(grid);
}

Status Cost::try_all(const std::vector<Sizes>& grid) const {
  const std::size_t symbols = grid.size();
  std::vector<std::size_t> digit(symbols, 0);
  Sizes sizes(symbols), larger;
  for (;;) {
    for (std::size_t s = 0; s < symbols; ++s) sizes[s] = grid[s][digit[s]];
    const auto cost = at(sizes);
    if (!cost) return error("at " + place(sizes) + " it is negative, not whole, or does not fit in 64 bits");
    for (std::size_t s = 0; s < symbols; ++s) {
      if (digit[s] + 1 == grid[s].size()) continue;
      larger = sizes;
      larger[s] = grid[s][digit[s] + 1];
      if (const auto more = at(larger); more && *more < *cost)
        return error("it falls from " + std::to_string(*cost) + " at " + place(sizes) + " to " + std::to_string(*more) +
                     " at " + names_[s] + " = " + std::to_string(larger[s]));
    }
    std::size_t s = 0;
    while (s < symbols && ++digit[s] == grid[s].size()) digit[s++] = 0;
    if (s == symbols) return {};
  }
}

}  // namespace tensorspec::planning
