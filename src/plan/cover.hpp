// SPDX-License-Identifier: Apache-2.0
//
// Which allowed sizes no profile takes.
#pragma once

#include <vector>

#include "tensorspec/plan.hpp"

namespace tensorspec::planning {

// Disjoint boxes, the first 64. Sizes between those a symbol may be given count as rounded up. Symbols of which no
// limit is known are not asked about when that is all of them.
std::vector<SizeRanges> uncovered(const std::vector<PlannedSymbol>& symbols, const std::vector<Profile>& profiles,
                                  PlanMode mode);

}  // namespace tensorspec::planning
