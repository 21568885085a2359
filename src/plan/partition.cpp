// SPDX-License-Identifier: Apache-2.0
#include "plan/partition.hpp"

#include <algorithm>

namespace tensorspec::planning {
namespace {

// With b buckets, the first j items cost
//   least_b(j) = min over i < j of least_{b-1}(i) + cost_j * (weight before j - weight before i),
// which is a line in cost_j for each i. Both the slopes and the costs come in order, so the lines that are ever least
// (the lower hull) form a queue: each enters and leaves once.
class Hull {
 public:
  explicit Hull(std::span<const std::uint64_t> before) : before_(before), queue_(before.size()) {}

  void clear() noexcept { begin_ = end_ = 0; }

  // Lines come with i ascending, and so do their values.
  void push(std::uint32_t i, const std::vector<Wide>& value) {
    // A line as steep as the last one is not below it.
    if (end_ > begin_ && before_[queue_[end_ - 1]] == before_[i]) return;
    // The middle one of three lines is never least when the outer two meet before it meets the first.
    while (end_ - begin_ >= 2) {
      const std::uint32_t a = queue_[end_ - 2], b = queue_[end_ - 1];
      if (!product_at_most(value[i] - value[a], before_[b] - before_[a], value[b] - value[a], before_[i] - before_[a]))
        break;
      --end_;
    }
    queue_[end_++] = i;
  }

  // The line that is least at this cost. REQUIRES: costs that do not fall from call to call.
  std::uint32_t least(std::int64_t cost, const std::vector<Wide>& value) {
    while (end_ - begin_ >= 2) {
      const std::uint32_t a = queue_[begin_], b = queue_[begin_ + 1];
      if (value[b] - value[a] > Wide(before_[b] - before_[a]) * static_cast<std::uint64_t>(cost)) break;
      ++begin_;
    }
    return queue_[begin_];
  }

 private:
  std::span<const std::uint64_t> before_;  // [i]: the weight of the first i items
  std::vector<std::uint32_t> queue_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace

Partition best_partition(std::span<const std::int64_t> costs, std::span<const std::uint64_t> weights, std::size_t k) {
  const std::size_t n = costs.size();
  k = std::min(k, n);
  std::vector<std::uint64_t> before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + weights[i];
  const auto cost = [&](std::size_t j) { return static_cast<std::uint64_t>(costs[j - 1]); };

  std::vector<Wide> last(n + 1, 0), next(n + 1, 0);
  for (std::size_t j = 1; j <= n; ++j) last[j] = Wide(before[j]) * cost(j);
  Partition out;
  out.totals.push_back(last[n]);
  // from[(b - 2) * (n + 1) + j]: where the last of b buckets begins.
  std::vector<std::uint32_t> from((k - 1) * (n + 1));
  Hull hull(before);
  for (std::size_t b = 2; b <= k; ++b) {
    hull.clear();
    for (std::size_t j = b; j <= n; ++j) {
      hull.push(static_cast<std::uint32_t>(j - 1), last);
      const std::uint32_t i = hull.least(costs[j - 1], last);
      next[j] = last[i] + Wide(before[j] - before[i]) * cost(j);
      from[(b - 2) * (n + 1) + j] = i;
    }
    last.swap(next);
    out.totals.push_back(last[n]);
  }

  std::size_t used = k;
  while (used > 1 && out.totals[used - 2] == out.totals[k - 1]) --used;
  out.ends.resize(used);
  for (std::size_t b = used, j = n; b >= 1; --b) {
    out.ends[b - 1] = static_cast<std::uint32_t>(j - 1);
    if (b >= 2) j = from[(b - 2) * (n + 1) + j];
  }
  return out;
}

}  // namespace tensorspec::planning
