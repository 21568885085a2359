// SPDX-License-Identifier: Apache-2.0
//
// The problem of several symbols, made small enough to search: levels per symbol, cells of levels. A corner is looked
// for among the cells. Rounding sizes up to their level gives corners that hold; rounding down to the least size of
// the level gives a problem that is never dearer, for the lower bound.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem.hpp"

namespace tensorspec::planning {

struct Grid {
  struct Point {
    std::uint64_t weight = 0;
    Wide own = 0;  // what its calls cost unpadded
  };
  struct Cell {
    Sizes corner;                       // the largest sizes of its levels
    std::int64_t cost = 0, least = 0;   // of those, and of the least sizes of the levels
    std::vector<std::uint32_t> points;  // that fit below it
  };
  std::vector<Point> points;
  std::vector<Cell> cells;  // those that are the largest sizes of some points: no other is worth choosing
  std::uint32_t top = 0;    // the cell above everything
  bool must_reach_top = false;

  static constexpr std::size_t kMaxCells = 4096;
  explicit Grid(const Problem& problem, std::size_t max_cells = kMaxCells);

 private:
  std::vector<Sizes> levels_;  // of each symbol: the largest size of each, ascending
  std::vector<Sizes> least_;   // and the least

  void make_levels(const Problem& problem, std::size_t max_cells);
  void make_cells(const Problem& problem);
};

}  // namespace tensorspec::planning
