// SPDX-License-Identifier: Apache-2.0
//
// The form is what it claims to be: H = M U with |det U| = 1 for the matrix M of differences, in echelon form and
// reduced, with the same members as the slow oracle.
#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/slow_lattice.hpp"

namespace tensorspec::tests {
namespace {

// Written out again from the header, without the library's own check.
void expect_hermite(const AffineLattice& lattice) {
  const Matrix h = generators_of(lattice);
  const Column p = column_of(lattice.canonical().point);
  ASSERT_EQ(h.size(), lattice.rank());
  std::optional<std::size_t> above;
  for (std::size_t j = 0; j < h.size(); ++j) {
    std::size_t row = 0;
    while (row < h[j].size() && h[j][row] == 0) ++row;
    ASSERT_LT(row, h[j].size());
    EXPECT_TRUE(!above || *above < row);
    above = row;
    const Whole pivot = h[j][row];
    EXPECT_GT(pivot, 0);
    for (std::size_t i = 0; i < j; ++i) EXPECT_TRUE(h[i][row] >= 0 && h[i][row] < pivot);
    EXPECT_TRUE(p[row] >= 0 && p[row] < pivot);
  }
  EXPECT_TRUE(lattice.well_formed());
}

void expect_unimodular_image(const AffineLattice& lattice, const std::vector<Point>& points) {
  const SlowLattice slow(points);
  const Matrix h = generators_of(lattice);
  ASSERT_EQ(h.size(), slow.form.rank);
  // Every generator is a combination of the oracle's columns, which are combinations of the differences...
  Matrix y = identity(points.size());
  Matrix y_square;
  for (std::size_t j = 0; j < h.size(); ++j) {
    const auto combination = solve(slow.form.e, slow.form.rank, h[j]);
    ASSERT_TRUE(combination) << "generator " << j << " is too fine";
    for (std::size_t i = 0; i < h.size(); ++i) y[j][i] = (*combination)[i];
    y_square.push_back(*combination);
  }
  // ... so that M U = [H 0]; and U loses nothing.
  const Matrix u = product(slow.form.u, y);
  Matrix padded = h;
  padded.resize(points.size(), Column(lattice.dimension()));
  EXPECT_EQ(product(slow.differences, u), padded);
  EXPECT_EQ(abs(determinant(u)), 1);
  EXPECT_EQ(abs(determinant(y_square)), 1);
  // And the other way: every difference, and the point, is a combination of the generators.
  for (const Column& difference : slow.differences) EXPECT_TRUE(solve(h, h.size(), difference));
  EXPECT_TRUE(solve(h, h.size(), minus(column_of(lattice.canonical().point), slow.origin)));
}

void expect_same_members(const AffineLattice& lattice, const std::vector<Point>& points, std::mt19937_64& random) {
  const SlowLattice slow(points);
  for (const Point& x : points) EXPECT_TRUE(lattice.contains(x));
  for (int k = 0; k < 20; ++k) {
    // An affine combination of points, and one that is off by a little in one place.
    Point x = points[0];
    bool fits = true;
    for (int step = 0; step < 3; ++step) {
      const auto n = static_cast<std::int64_t>(points.size()) - 1;
      const Point& a = points[static_cast<std::size_t>(uniform(random, 0, n))];
      const Point& b = points[static_cast<std::size_t>(uniform(random, 0, n))];
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::int64_t difference = 0;
        fits = fits && !__builtin_sub_overflow(a[i], b[i], &difference) &&
               !__builtin_add_overflow(x[i], difference, &x[i]);
      }
    }
    if (!fits) continue;
    EXPECT_TRUE(lattice.contains(x));
    if (x.empty()) continue;
    std::int64_t& entry = x[static_cast<std::size_t>(uniform(random, 0, 1000)) % x.size()];
    if (__builtin_add_overflow(entry, uniform(random, -3, 3), &entry)) continue;
    EXPECT_EQ(lattice.contains(x), slow.contains(column_of(x)));
  }
}

void check_all(const std::vector<Point>& points, std::mt19937_64& random) {
  AffineLattice lattice(points[0].size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool was_member = lattice.contains(points[k]);
    EXPECT_EQ(lattice.insert(points[k]), !was_member);
    expect_hermite(lattice);
  }
  expect_unimodular_image(lattice, points);
  expect_same_members(lattice, points, random);
}

TEST(LatticeLaws, HermiteFormOfPointsAsModelsMakeThem) {
  for (std::uint64_t seed = 1; seed <= tests::cases(6000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 12));
    const auto count = static_cast<std::size_t>(uniform(random, 1, 10));
    check_all(random_points(random, dimension, count, seed % 2 ? 512 : 1 << 20), random);
    if (HasFailure()) return;
  }
}

TEST(LatticeLaws, HermiteFormOfSizesUpTo2To62) {
  for (std::uint64_t seed = 1; seed <= tests::cases(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 8));
    const auto count = static_cast<std::size_t>(uniform(random, 1, 8));
    check_all(random_points(random, dimension, count, std::int64_t{1} << 62), random);
    if (HasFailure()) return;
  }
}

TEST(LatticeLaws, HermiteFormOfAnyInt64) {
  const std::int64_t corners[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  for (std::uint64_t seed = 1; seed <= tests::cases(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 6));
    std::vector<Point> points(static_cast<std::size_t>(uniform(random, 1, 8)), Point(dimension));
    for (Point& x : points)
      for (std::int64_t& value : x)
        value = uniform(random, 0, 1) ? corners[uniform(random, 0, 6)] : static_cast<std::int64_t>(random());
    check_all(points, random);
    if (HasFailure()) return;
  }
}

TEST(LatticeLaws, ManyColumnsWithFewDifferentOnes) {
  std::mt19937_64 random(7);
  const std::vector<Point> points = random_points(random, 800, 8, 4096);
  const AffineLattice lattice = lattice_of(800, points);
  expect_hermite(lattice);
  expect_same_members(lattice, points, random);
}

TEST(LatticeLaws, HighRankGrowsAndComesBackToSmallEntries) {
  // 30 independent columns: on the way the entries are hundreds of digits long, at the end every vector is possible.
  std::mt19937_64 random(11);
  AffineLattice lattice(30);
  std::size_t longest = 0;
  for (int k = 0; k < 40; ++k) {
    Point x(30);
    for (std::int64_t& value : x) value = uniform(random, 1, 4096);
    lattice.insert(x);
    ASSERT_TRUE(lattice.contains(x));
    for (const auto& generator : lattice.canonical().generators)
      for (const std::string& text : generator) longest = std::max(longest, text.size());
  }
  EXPECT_GT(longest, 30U);
  EXPECT_EQ(lattice.rank(), 30U);
  EXPECT_TRUE(lattice.well_formed());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(lattice.column(i), (AffineLattice::Progression{0, 1})) << i;
}

}  // namespace
}  // namespace tensorspec::tests
