// SPDX-License-Identifier: Apache-2.0
//
// What the searches work on: the calls with their sizes rounded up to those a plan may choose.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/cost.hpp"
#include "plan/wide.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec::planning {

// The least size from `size` upwards that the symbol may be given.
std::int64_t round_up(const PlannedSymbol& symbol, std::int64_t size);

struct Problem {
  std::size_t symbols = 0;
  std::vector<Sizes> rows;  // different, ascending
  std::vector<std::uint64_t> weights;
  std::vector<std::int64_t> costs;  // of the rows
  std::optional<Sizes> top;         // at least every row; some corner must reach it, whether seen or not
  Cost cost;
  std::uint64_t calls = 0;
  Wide exact = 0;     // cost of the sizes asked for
  Wide unpadded = 0;  // of the rows: that of unlimited buckets

  // Errors: plan_cost.
  static Result<Problem> make(const Workload& load, const Dim& cost, bool seen_only);
};

// a <= b in every symbol.
inline bool below(SizesView a, SizesView b) noexcept {
  for (std::size_t s = 0; s < a.size(); ++s)
    if (a[s] > b[s]) return false;
  return true;
}
inline void raise(Sizes& to, SizesView least) noexcept {
  for (std::size_t s = 0; s < to.size(); ++s)
    if (to[s] < least[s]) to[s] = least[s];
}

// Corners, and what each takes: every row goes to the cheapest corner above it.
struct Corners {
  std::vector<Sizes> corners;            // the cheapest first
  std::vector<std::uint32_t> corner_of;  // of each row
  Wide total = 0;
};

// nullopt: some row, or the top, is above all of them.
std::optional<Corners> assign(const Problem& problem, std::vector<Sizes> corners);
// Every corner lowered to the largest sizes of what it takes, and those that take nothing left out. Never dearer.
Corners shrink(const Problem& problem, Corners corners);

}  // namespace tensorspec::planning
