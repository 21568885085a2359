// SPDX-License-Identifier: Apache-2.0
//
// The cost of a call, compiled for many evaluations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorspec/dim.hpp"

namespace tensorspec::planning {

using Sizes = std::vector<std::int64_t>;  // one of each symbol
using SizesView = std::span<const std::int64_t>;

class Cost {
 public:
  // Errors: plan_cost (a name that is no symbol).
  static Result<Cost> make(const Dim& dim, const std::vector<std::string>& symbols);

  // nullopt: not whole, negative, or too large.
  std::optional<std::int64_t> at(SizesView sizes) const;
  // REQUIRES: sizes among those of must_rise.
  std::int64_t of(SizesView sizes) const { return at(sizes).value_or(INT64_MAX); }

  // Proves that the cost has a value and does not fall when a size grows, for all combinations of these sizes
  // (ascending, at least one a symbol): by the form of the expression, or by trying them all, 2^20 at most. Errors:
  // plan_cost.
  Status must_rise(const std::vector<Sizes>& grid) const;

 private:
  struct Term {
    std::int64_t coefficient;
    std::vector<std::uint32_t> symbols;
    std::vector<Dim::Factor> rounded;
  };
  Dim dim_;
  std::vector<std::string> names_;
  std::vector<Term> terms_;

  Error error(const std::string& detail) const;
  std::string place(SizesView sizes) const;
  Status try_all(const std::vector<Sizes>& grid) const;
};

}  // namespace tensorspec::planning
