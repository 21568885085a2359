// SPDX-License-Identifier: Apache-2.0
//
// Every small set of points against brute force: a vector is a member iff some z in a box that is large enough for such
// small coordinates gives it.
#include <gtest/gtest.h>

#include <set>

#include "support/slow_lattice.hpp"

namespace tensorspec::testing {
namespace {

std::vector<Point> grid(std::size_t dimension, std::int64_t low, std::int64_t high) {
  std::vector<Point> all{{}};
  for (std::size_t i = 0; i < dimension; ++i) {
    std::vector<Point> longer;
    for (const Point& x : all)
      for (std::int64_t value = low; value <= high; ++value) {
        longer.push_back(x);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

// Adds start + z * directions[from..], |z| <= reach, that lie in [low, high]^n.
void enumerate(const Point& start, const std::vector<Point>& directions, std::size_t from, std::int64_t reach,
               std::int64_t low, std::int64_t high, std::set<Point>& found) {
  if (from == directions.size()) {
    for (const std::int64_t value : start)
      if (value < low || value > high) return;
    found.insert(start);
    return;
  }
  Point x = start;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= reach * directions[from][i];
  for (std::int64_t z = -reach; z <= reach; ++z) {
    enumerate(x, directions, from + 1, reach, low, high, found);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += directions[from][i];
  }
}

void expect_brute_force(const std::vector<Point>& points, const std::vector<Point>& candidates, std::int64_t reach,
                        std::int64_t low, std::int64_t high) {
  const AffineLattice lattice = lattice_of(points[0].size(), points);
  ASSERT_TRUE(lattice.well_formed());
  std::vector<Point> directions;
  for (std::size_t k = 1; k < points.size(); ++k) {
    directions.push_back(points[k]);
    for (std::size_t i = 0; i < points[0].size(); ++i) directions.back()[i] -= points[0][i];
  }
  std::set<Point> members;
  enumerate(points[0], directions, 0, reach, low, high, members);
  for (const Point& x : candidates)
    ASSERT_EQ(lattice.contains(x), members.contains(x))
        << ::testing::PrintToString(x) << " in the lattice of " << ::testing::PrintToString(points);
}

// Every choice of at most `most` of the points.
template <class Visit>
void subsets(const std::vector<Point>& all, std::size_t most, std::size_t from, std::vector<Point>& chosen,
             Visit visit) {
  if (!chosen.empty()) visit(chosen);
  if (chosen.size() == most) return;
  for (std::size_t k = from; k < all.size(); ++k) {
    chosen.push_back(all[k]);
    subsets(all, most, k + 1, chosen, visit);
    chosen.pop_back();
  }
}

void expect_brute_force_on_all(std::size_t dimension, std::int64_t largest, std::size_t most, std::int64_t reach) {
  const std::int64_t low = -1, high = largest + 1;
  const std::vector<Point> candidates = grid(dimension, low, high);
  std::vector<Point> chosen;
  std::size_t sets = 0;
  subsets(grid(dimension, 0, largest), most, 0, chosen, [&](const std::vector<Point>& points) {
    ++sets;
    if (!::testing::Test::HasFatalFailure()) expect_brute_force(points, candidates, reach, low, high);
  });
  ::testing::Test::RecordProperty("sets", std::to_string(sets));
}

TEST(LatticeExhaustive, OneColumn) { expect_brute_force_on_all(1, 12, 3, 26); }
TEST(LatticeExhaustive, OneColumnFourPoints) { expect_brute_force_on_all(1, 6, 4, 10); }
// Cramer: |z| <= 5*3 + 5*3 for coordinates that differ by at most 5 from p and directions of at most 3.
TEST(LatticeExhaustive, TwoColumnsThreePoints) { expect_brute_force_on_all(2, 3, 3, 30); }
TEST(LatticeExhaustive, TwoColumnsFourPoints) { expect_brute_force_on_all(2, 2, 4, 12); }
TEST(LatticeExhaustive, ThreeColumnsThreePoints) { expect_brute_force_on_all(3, 2, 3, 12); }
TEST(LatticeExhaustive, ThreeColumnsFourPointsOfACube) { expect_brute_force_on_all(3, 1, 4, 12); }

}  // namespace
}  // namespace tensorspec::testing
