// SPDX-License-Identifier: Apache-2.0
#include "plan/grid.hpp"

#include <algorithm>
#include <map>

#include "plan/partition.hpp"

namespace tensorspec::planning {
namespace {

using Levels = std::vector<std::uint32_t>;  // one of each symbol

bool fits(const Levels& a, const Levels& b) {
  for (std::size_t s = 0; s < a.size(); ++s)
    if (a[s] > b[s]) return false;
  return true;
}

// Some point below the cell is as high as it, in every symbol.
bool is_join(const Levels& cell, const std::vector<Levels>& points) {
  std::vector<bool> reached(cell.size(), false);
  for (const Levels& point : points) {
    if (!fits(point, cell)) continue;
    for (std::size_t s = 0; s < cell.size(); ++s)
      if (point[s] == cell[s]) reached[s] = true;
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

}  // namespace

Grid::Grid(const Problem& problem, std::size_t max_cells) : must_reach_top(problem.top.has_value()) {
  make_levels(problem, max_cells);
  make_cells(problem);
}

// All sizes where they are few; else as many as there is room for, cut where the least is padded.
void Grid::make_levels(const Problem& problem, std::size_t max_cells) {
  std::vector<std::map<std::int64_t, std::uint64_t>> weights(problem.symbols);
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    for (std::size_t s = 0; s < problem.symbols; ++s) weights[s][problem.rows[i][s]] += problem.weights[i];
  if (problem.top)
    for (std::size_t s = 0; s < problem.symbols; ++s) weights[s].try_emplace((*problem.top)[s], 0);
  std::vector<std::size_t> wanted;
  for (const auto& sizes : weights) wanted.push_back(sizes.size());
  const auto too_many = [&] {
    std::size_t product = 1;
    for (const std::size_t n : wanted) product = n > max_cells ? max_cells + 1 : std::min(product * n, max_cells + 1);
    return product > max_cells;
  };
  for (auto most = wanted.begin(); too_many(); *most -= (*most + 15) / 16) {
    most = std::max_element(wanted.begin(), wanted.end());
    if (*most == 1) break;
  }
  for (std::size_t s = 0; s < problem.symbols; ++s) {
    Sizes sizes;
    std::vector<std::uint64_t> counts;
    for (const auto& [size, count] : weights[s]) {
      sizes.push_back(size);
      counts.push_back(count);
    }
    Sizes levels, least;
    std::size_t begin = 0;
    for (const std::uint32_t end : best_partition(sizes, counts, wanted[s]).ends) {
      levels.push_back(sizes[end]);
      least.push_back(sizes[begin]);
      begin = end + 1;
    }
    levels_.push_back(std::move(levels));
    least_.push_back(std::move(least));
  }
}

void Grid::make_cells(const Problem& problem) {
  std::map<Levels, Point> taken;
  Levels at(problem.symbols);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    for (std::size_t s = 0; s < problem.symbols; ++s)
      at[s] = static_cast<std::uint32_t>(std::lower_bound(levels_[s].begin(), levels_[s].end(), problem.rows[i][s]) -
                                         levels_[s].begin());
    Point& point = taken[at];
    point.weight += problem.weights[i];
    point.own += Wide(problem.weights[i]) * static_cast<std::uint64_t>(problem.costs[i]);
  }
  std::vector<Levels> where;
  for (const auto& [levels, point] : taken) {
    where.push_back(levels);
    points.push_back(point);
  }
  Levels cell(problem.symbols, 0), last(problem.symbols);
  for (std::size_t s = 0; s < problem.symbols; ++s) last[s] = static_cast<std::uint32_t>(levels_[s].size() - 1);
  for (;;) {
    // The top is where the search begins, also when only it is declared and no call is that large.
    if (cell == last || is_join(cell, where)) {
      Cell made;
      Sizes low;
      for (std::size_t s = 0; s < problem.symbols; ++s) {
        made.corner.push_back(levels_[s][cell[s]]);
        low.push_back(least_[s][cell[s]]);
      }
      made.cost = problem.cost.of(made.corner);
      made.least = problem.cost.of(low);
      for (std::uint32_t p = 0; p < where.size(); ++p)
        if (fits(where[p], cell)) made.points.push_back(p);
      if (cell == last) top = static_cast<std::uint32_t>(cells.size());
      cells.push_back(std::move(made));
    }
    std::size_t s = 0;
    while (s < cell.size() && cell[s] == last[s]) cell[s++] = 0;
    if (s == cell.size()) return;
    ++cell[s];
  }
}

}  // namespace tensorspec::planning
