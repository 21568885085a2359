// SPDX-License-Identifier: Apache-2.0
//
// The sizes nearest to one that does not fit that would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/checked.hpp"

namespace tensorspec::flat {

// Whole numbers from low to high that are `residue` modulo `step`.
struct Progression {
  std::int64_t low = 0, high = INT64_MAX, step = 1, residue = 0;
};

struct Nearest {
  std::optional<std::int64_t> below, above;
  // "448 or 512 would fit"; nothing when none was found.
  std::string text() const {
    if (!below && !above) return "";
    const bool both = below && above && *below != *above;
    return std::to_string(below ? *below : *above) + (both ? " or " + std::to_string(*above) : "") + " would fit";
  }
};

// The nearest members at or below `value` and above it that `accept` takes; a few thousand are tried on each side.
template <class Accept>
Nearest nearest(const Progression& all, std::int64_t value, const Accept& accept) {
  constexpr int kTries = 4096;
  Nearest found;
  // Both ends are inside [0, INT64_MAX], so that no difference wraps.
  const std::int64_t down = std::min(value, all.high), up = std::max(value, all.low - 1);
  auto next =
      down < all.low ? std::nullopt : std::optional(floor_div(down - all.residue, all.step) * all.step + all.residue);
  for (int i = 0; i < kTries && next && *next >= all.low && !found.below; ++i) {
    if (accept(*next)) found.below = next;
    next = checked_sub(*next, all.step);
  }
  next = checked_add(floor_div(up - all.residue, all.step) * all.step + all.residue, all.step);
  for (int i = 0; i < kTries && next && *next <= all.high && !found.above; ++i) {
    if (accept(*next)) found.above = next;
    next = checked_add(*next, all.step);
  }
  return found;
}

}  // namespace tensorspec::flat
