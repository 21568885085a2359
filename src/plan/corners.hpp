// SPDX-License-Identifier: Apache-2.0
//
// Buckets for several symbols. Which corners are best is a hard problem (facility location); found are good ones, and
// how good is proved by a lower bound.
#pragma once

#include "plan/grid.hpp"

namespace tensorspec::planning {

// At most k corners. Greedy: the corner that saves the most is added until there are k (savings of corners are
// submodular, so it saves at least 63 % of what the best k - 1 corners of the grid beside the largest would). Then a
// corner is swapped for another as long as that saves, and corners are moved by a size of the rows as long as that
// saves, within a fixed effort.
Corners find_corners(const Problem& problem, const Grid& grid, std::size_t k);

// No k corners cost less. Lagrangian relaxation: each point may pay its price instead of being served, and the k
// corners that would earn the most from these prices are taken; what is left of the prices is a bound whatever they
// are. Prices are raised and lowered towards a good one. REQUIRES: upper is the cost of some k corners.
Wide lower_bound(const Problem& problem, const Grid& grid, std::size_t k, Wide upper);

}  // namespace tensorspec::planning
