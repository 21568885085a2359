// SPDX-License-Identifier: Apache-2.0
#include "plan/corners.hpp"

#include <algorithm>

namespace tensorspec::planning {
namespace {

constexpr std::size_t kMaxSwapRounds = 16;
constexpr std::int64_t kNobody = INT64_MAX;  // as what a point pays: no corner takes it

std::uint64_t unsigned_of(std::int64_t cost) { return static_cast<std::uint64_t>(cost); }

// The search among the cells of the grid.
class CellSearch {
 public:
  CellSearch(const Grid& grid, std::size_t k) : grid_(grid), k_(k) {}

  std::vector<std::uint32_t> run() {
    chosen_ = {grid_.top};
    while (chosen_.size() < k_ && add()) {}
    for (std::size_t round = 0; round < kMaxSwapRounds && swap_each(); ++round) {}
    return chosen_;
  }

 private:
  struct Offer {
    std::size_t cell = 0;
    bool holds = false;  // everything is taken
    Wide total = 0;
  };

  // What each point pays without the chosen corner at `without`.
  std::vector<std::int64_t> paid(std::size_t without) const {
    std::vector<std::int64_t> out(grid_.points.size(), kNobody);
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
      if (c == without) continue;
      const Grid::Cell& cell = grid_.cells[chosen_[c]];
      for (const std::uint32_t p : cell.points) out[p] = std::min(out[p], cell.cost);
    }
    return out;
  }

  // The best cell to add to corners of which the points pay so much.
  Offer best_to_add(const std::vector<std::int64_t>& pays) const {
    Wide base = 0;
    std::size_t open = 0;
    for (std::size_t p = 0; p < pays.size(); ++p) {
      if (pays[p] == kNobody) ++open;
      else base += Wide(grid_.points[p].weight) * unsigned_of(pays[p]);
    }
    Offer best;
    for (std::size_t j = 0; j < grid_.cells.size(); ++j) {
      const Grid::Cell& cell = grid_.cells[j];
      if (cell.points.size() < open) continue;
      std::size_t taken = 0;
      Wide total = base;
      for (const std::uint32_t p : cell.points) {
        if (pays[p] == kNobody) {
          ++taken;
          total += Wide(grid_.points[p].weight) * unsigned_of(cell.cost);
        } else if (pays[p] > cell.cost) {
          total -= Wide(grid_.points[p].weight) * unsigned_of(pays[p] - cell.cost);
        }
      }
      if (taken == open && (!best.holds || total < best.total)) best = {j, true, total};
    }
    return best;
  }

  Wide total() const {
    Wide sum = 0;
    const auto pays = paid(chosen_.size());
    for (std::size_t p = 0; p < pays.size(); ++p) sum += Wide(grid_.points[p].weight) * unsigned_of(pays[p]);
    return sum;
  }

  bool add() {
    const Wide before = total();
    const Offer offer = best_to_add(paid(chosen_.size()));
    if (!offer.holds || offer.total >= before) return false;
    chosen_.push_back(static_cast<std::uint32_t>(offer.cell));
    return true;
  }

  bool swap_each() {
    bool swapped = false;
    Wide current = total();
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
      if (grid_.must_reach_top && chosen_[c] == grid_.top) continue;
      const Offer offer = best_to_add(paid(c));
      if (!offer.holds || offer.total >= current) continue;
      chosen_[c] = static_cast<std::uint32_t>(offer.cell);
      current = offer.total;
      swapped = true;
    }
    return swapped;
  }

  const Grid& grid_;
  std::size_t k_;
  std::vector<std::uint32_t> chosen_;
};

// Moves one corner in one symbol to a neighbouring size, as long as that saves.
class Shifter {
 public:
  Shifter(const Problem& problem, Corners start) : problem_(problem), best_(std::move(start)) {
    sizes_.resize(problem.symbols);
    for (std::size_t s = 0; s < problem.symbols; ++s) {
      for (const Sizes& row : problem.rows) sizes_[s].push_back(row[s]);
      std::sort(sizes_[s].begin(), sizes_[s].end());
      sizes_[s].erase(std::unique(sizes_[s].begin(), sizes_[s].end()), sizes_[s].end());
    }
  }

  Corners run() {
    for (bool moved = true; moved && effort_ > 0;) {
      moved = false;
      for (std::size_t c = 0; c < best_.corners.size() && effort_ > 0; ++c)
        for (std::size_t s = 0; s < problem_.symbols; ++s)
          for (const bool up : {false, true}) {
            if (c >= best_.corners.size()) break;
            while (effort_ > 0 && move(c, s, up)) moved = true;
          }
    }
    return best_;
  }

 private:
  bool move(std::size_t c, std::size_t s, bool up) {
    if (c >= best_.corners.size()) return false;
    std::vector<Sizes> corners = best_.corners;
    std::int64_t& size = corners[c][s];
    const auto at = std::lower_bound(sizes_[s].begin(), sizes_[s].end(), size);
    if (up) {
      const auto next = std::upper_bound(sizes_[s].begin(), sizes_[s].end(), size);
      if (next == sizes_[s].end()) return false;
      size = *next;
    } else {
      if (at == sizes_[s].begin()) return false;
      size = *std::prev(at);
    }
    effort_ -= static_cast<std::int64_t>(problem_.rows.size() * corners.size());
    auto moved = assign(problem_, std::move(corners));
    if (!moved || moved->total >= best_.total) return false;
    best_ = *std::move(moved);
    return true;
  }

  const Problem& problem_;
  Corners best_;
  std::vector<Sizes> sizes_;          // of the rows, per symbol
  std::int64_t effort_ = 30'000'000;  // comparisons of a row with a corner
};

}  // namespace

Corners find_corners(const Problem& problem, const Grid& grid, std::size_t k) {
  std::vector<Sizes> corners;
  for (const std::uint32_t cell : CellSearch(grid, k).run()) corners.push_back(grid.cells[cell].corner);
  Corners found = shrink(problem, *assign(problem, std::move(corners)));
  return shrink(problem, Shifter(problem, std::move(found)).run());
}

}  // namespace tensorspec::planning
