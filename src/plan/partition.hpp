// SPDX-License-Identifier: Apache-2.0
//
// The best buckets for sizes in one order, exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/wide.hpp"

namespace tensorspec::planning {

struct Partition {
  std::vector<Wide> totals;         // [k-1]: the least cost of k buckets
  std::vector<std::uint32_t> ends;  // the largest item of each bucket, of the fewest buckets with the least cost
};

// Items 0..n-1 are cut into at most k runs; each item pays its weight times the cost of the last item of its run.
// O(n k) time and 4 n k bytes. REQUIRES: n >= 1, k >= 1, costs that do not fall and are not negative, weights whose sum
// fits.
Partition best_partition(std::span<const std::int64_t> costs, std::span<const std::uint64_t> weights, std::size_t k);

}  // namespace tensorspec::planning
