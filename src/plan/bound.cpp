// SPDX-License-Identifier: Apache-2.0
//
// Let point p have the price u_p. Whatever k corners are chosen, what p pays is at least u_p less what its corner earns
// from it, max(0, u_p - cost of p in that corner), and a corner earns no more than from all points below it. So
//   cost >= sum of u_p - the earnings of the k corners that earn the most.
// All in whole numbers, for any prices; how they are found plays no part in the proof.
#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/corners.hpp"

namespace tensorspec::planning {
namespace {

constexpr std::size_t kMaxRounds = 2000, kPatience = 10;
constexpr std::size_t kEffort = 300'000'000;  // points looked at, over all rounds

// Prices are looked for in floating point and proved in whole numbers.
class Relaxation {
 public:
  Relaxation(const Grid& grid, std::size_t k) : grid_(grid), taken_(grid.must_reach_top ? k - 1 : k) {
    for (const Grid::Cell& cell : grid_.cells) pairs_ += cell.points.size();
    for (const Grid::Point& point : grid_.points) {
      weights_.push_back(static_cast<double>(point.weight));
      own_.push_back(static_cast<double>(point.own));
    }
  }

  // Subgradient steps, each in the direction of the last ones too, in units of what a point costs at least.
  std::vector<double> search(double upper, std::vector<double> prices) {
    std::vector<double> best = prices, drift(prices.size(), 0);
    double highest = 0, pace = 1;
    std::size_t idle = 0;
    const std::size_t rounds = std::min(kMaxRounds, kEffort / (pairs_ + 1) + 1);
    for (std::size_t round = 0; round < rounds && highest < upper && pace > 1e-4; ++round) {
      const double bound = evaluate(prices);
      if (bound > highest) {
        highest = bound;
        best = prices;
        idle = 0;
      } else if (++idle >= kPatience) {
        pace /= 2;
        idle = 0;
        prices = best;
        std::fill(drift.begin(), drift.end(), 0);
        continue;
      }
      double length = 0;
      for (std::size_t p = 0; p < prices.size(); ++p) {
        drift[p] = (1.0 - served_[p]) + kMemory * drift[p];
        length += own_[p] * drift[p] * drift[p];
      }
      if (length <= 0) break;
      const double step = pace * (upper - bound) / length;
      for (std::size_t p = 0; p < prices.size(); ++p) prices[p] = std::max(0.0, prices[p] + step * own_[p] * drift[p]);
    }
    return best;
  }

  // The bound that these prices prove.
  Wide prove(const std::vector<double>& prices) const {
    const auto dearest = static_cast<std::uint64_t>(grid_.cells[grid_.top].cost);
    std::vector<Wide> whole;
    Wide all = 0;
    for (std::size_t p = 0; p < prices.size(); ++p) {
      // No point ever pays more than in the largest corner, so that all prices together fit.
      const Wide limit = Wide(grid_.points[p].weight) * dearest;
      whole.push_back(prices[p] < static_cast<double>(limit) ? std::min(static_cast<Wide>(prices[p]), limit) : limit);
      all += whole.back();
    }
    std::vector<Wide> earned;
    Wide most = 0;
    for (std::size_t j = 0; j < grid_.cells.size(); ++j) {
      const Grid::Cell& cell = grid_.cells[j];
      Wide sum = 0;
      for (const std::uint32_t p : cell.points) {
        const Grid::Point& point = grid_.points[p];
        const Wide cost = std::max(Wide(point.weight) * static_cast<std::uint64_t>(cell.least), point.own);
        if (whole[p] > cost) sum += whole[p] - cost;
      }
      if (grid_.must_reach_top && j == grid_.top) most = sum;
      else earned.push_back(sum);
    }
    const std::size_t taken = std::min(taken_, earned.size());
    std::partial_sort(earned.begin(), earned.begin() + static_cast<std::ptrdiff_t>(taken), earned.end(),
                      std::greater<>());
    for (std::size_t i = 0; i < taken; ++i) {
      if (earned[i] >= all) return 0;
      most += earned[i];
      if (most >= all) return 0;
    }
    return all > most ? all - most : 0;
  }

 private:
  static constexpr double kMemory = 0.7;

  // The bound of these prices; served_ gets how many of the corners taken earn from each point.
  double evaluate(const std::vector<double>& prices) {
    std::vector<std::pair<double, std::uint32_t>> earned;
    double forced = 0;
    for (std::uint32_t j = 0; j < grid_.cells.size(); ++j) {
      const Grid::Cell& cell = grid_.cells[j];
      const double least = static_cast<double>(cell.least);
      double sum = 0;
      for (const std::uint32_t p : cell.points)
        sum += std::max(0.0, prices[p] - std::max(weights_[p] * least, own_[p]));
      if (grid_.must_reach_top && j == grid_.top) forced = sum;
      else earned.emplace_back(-sum, j);
    }
    const std::size_t taken = std::min(taken_, earned.size());
    std::partial_sort(earned.begin(), earned.begin() + static_cast<std::ptrdiff_t>(taken), earned.end());
    served_.assign(prices.size(), 0);
    double bound = std::accumulate(prices.begin(), prices.end(), 0.0) - forced;
    const auto take = [&](const Grid::Cell& cell) {
      for (const std::uint32_t p : cell.points)
        if (prices[p] > std::max(weights_[p] * static_cast<double>(cell.least), own_[p])) served_[p] += 1;
    };
    if (grid_.must_reach_top) take(grid_.cells[grid_.top]);
    for (std::size_t i = 0; i < taken; ++i) {
      bound += earned[i].first;
      take(grid_.cells[earned[i].second]);
    }
    return bound;
  }

  const Grid& grid_;
  std::size_t taken_, pairs_ = 0;  // corners beside one that is forced
  std::vector<double> weights_, own_, served_;
};

}  // namespace

Wide lower_bound(const Problem& problem, const Grid& grid, std::size_t k, Wide upper) {
  Relaxation relaxation(grid, k);
  std::vector<double> prices;
  for (const Grid::Point& point : grid.points) prices.push_back(static_cast<double>(point.own));
  const Wide proved = relaxation.prove(relaxation.search(static_cast<double>(upper), prices));
  return std::min(upper, std::max(problem.unpadded, proved));
}

}  // namespace tensorspec::planning
