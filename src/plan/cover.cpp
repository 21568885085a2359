// SPDX-License-Identifier: Apache-2.0
#include "plan/cover.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "plan/problem.hpp"

namespace tensorspec::planning {
namespace {

constexpr std::size_t kMaxBoxes = 64, kMaxPieces = 4096;
constexpr std::int64_t kNoLimit = INT64_MAX;

struct Interval {
  std::int64_t low, high;  // of sizes that may be given; both are such sizes, but for kNoLimit
  bool empty() const { return low > high; }
};
using Box = std::vector<Interval>;  // one interval a symbol

// What the symbol may be given from `low` to `high`.
Interval interval(const PlannedSymbol& symbol, std::int64_t low, std::int64_t high) {
  Interval out{round_up(symbol, low), high};
  if (high == kNoLimit) return out;
  out.high = high < symbol.residue ? -1 : high - (high - symbol.residue) % symbol.multiple_of;
  return out;
}

std::int64_t after(const PlannedSymbol& symbol, std::int64_t size) {
  return checked_add(size, symbol.multiple_of).value_or(kNoLimit);
}

// The parts of `box` outside `taken`, as disjoint boxes.
void subtract(const std::vector<PlannedSymbol>& symbols, const Box& box, const Box& taken, std::vector<Box>& out) {
  for (std::size_t s = 0; s < box.size(); ++s)
    if (taken[s].empty() || taken[s].high < box[s].low || taken[s].low > box[s].high) {
      out.push_back(box);
      return;
    }
  Box rest = box;
  for (std::size_t s = 0; s < box.size(); ++s) {
    if (taken[s].low > rest[s].low) {
      out.push_back(rest);
      out.back()[s].high = taken[s].low - symbols[s].multiple_of;
      rest[s].low = taken[s].low;
    }
    if (taken[s].high < rest[s].high) {
      out.push_back(rest);
      out.back()[s].low = after(symbols[s], taken[s].high);
      rest[s].high = taken[s].high;
    }
  }
}

}  // namespace

std::vector<SizeRanges> uncovered(const std::vector<PlannedSymbol>& symbols, const std::vector<Profile>& profiles,
                                  PlanMode mode) {
  if (std::all_of(symbols.begin(), symbols.end(), [](const PlannedSymbol& s) { return !s.min && !s.max; })) return {};
  std::vector<Box> left(1);
  for (const PlannedSymbol& symbol : symbols)
    left[0].push_back(
        {round_up(symbol, symbol.min.value_or(0)), symbol.max ? round_up(symbol, *symbol.max) : kNoLimit});
  for (const Interval& side : left[0])
    if (side.empty()) return {};
  for (const Profile& profile : profiles) {
    Box taken;
    for (const PlannedSymbol& symbol : symbols) {
      const auto found = profile.symbols.find(symbol.name);
      if (found == profile.symbols.end()) taken.push_back({0, kNoLimit});
      else taken.push_back(interval(symbol, mode == PlanMode::buckets ? 0 : found->second.min, found->second.max));
    }
    std::vector<Box> next;
    for (const Box& box : left) subtract(symbols, box, taken, next);
    if (next.size() > kMaxPieces) break;  // the rest would only make the pieces smaller
    left = std::move(next);
  }
  left.resize(std::min(left.size(), kMaxBoxes));
  std::vector<SizeRanges> out;
  for (const Box& box : left) {
    SizeRanges named;
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      SizeRange& range = named[symbols[s].name];
      range = {box[s].low, box[s].high == kNoLimit ? std::nullopt : std::optional(box[s].high), symbols[s].multiple_of,
               symbols[s].residue};
    }
    out.push_back(std::move(named));
  }
  return out;
}

}  // namespace tensorspec::planning
