// SPDX-License-Identifier: Apache-2.0
//
// From the rows of evidence back to sizes of symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/cost.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec::planning {

// One pass over the inputs of a variant, as they stand in rows of one signature.
class RowSolver {
 public:
  // REQUIRES: the signature has the inputs of the variant; `first` are their columns. All must outlive this.
  RowSolver(const Variant& variant, const Signature& signature, const std::vector<std::size_t>& first,
            const std::vector<std::string>& symbols);

  // Sizes of the symbols, which no axis that binds them contradicts by not being whole; nullopt: not all are found.
  std::optional<Sizes> solve(std::span<const std::int64_t> row) const;
  // The column that alone tells the symbol; nullopt: there is none.
  std::optional<std::size_t> column_of(std::size_t symbol) const;
  std::optional<std::int64_t> solve_alone(std::size_t symbol, std::int64_t size) const;

 private:
  struct Step {
    std::size_t column, symbol;
    const Dim* dim;
    bool alone;  // no other symbol in it
  };
  const std::vector<std::string>& names_;
  std::vector<Step> steps_;

  std::optional<std::int64_t> solve(const Step& step, std::int64_t size, const Sizes& known) const;
};

}  // namespace tensorspec::planning
