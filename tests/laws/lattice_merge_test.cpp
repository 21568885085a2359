// SPDX-License-Identifier: Apache-2.0
//
// The lattice is a function of the set of points: order, grouping and repetition cannot be seen in it; and what it says
// of linear forms is what its points say.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/cases.hpp"
#include "support/slow_lattice.hpp"

namespace tensorspec::tests {
namespace {

using Progression = AffineLattice::Progression;

AffineLattice merged(const AffineLattice& a, const AffineLattice& b) {
  auto result = AffineLattice::merge(a, b);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

// Cuts the points into groups at random and joins the groups in a random tree.
AffineLattice random_tree(std::mt19937_64& random, std::size_t dimension, const std::vector<Point>& points) {
  std::vector<AffineLattice> groups(static_cast<std::size_t>(uniform(random, 1, 5)), AffineLattice(dimension));
  const auto any = [&] {
    return static_cast<std::size_t>(uniform(random, 0, static_cast<std::int64_t>(groups.size()) - 1));
  };
  for (const Point& x : points) groups[any()].insert(x);
  while (groups.size() > 1) {
    std::shuffle(groups.begin(), groups.end(), random);
    AffineLattice last = std::move(groups.back());
    groups.pop_back();
    AffineLattice& into = groups[any()];
    into = uniform(random, 0, 1) ? merged(into, last) : merged(last, into);
  }
  return groups[0];
}

std::int64_t largest_for(std::uint64_t seed) {
  return seed % 3 == 0 ? 64 * 16 : seed % 3 == 1 ? 1 << 20 : std::int64_t{1} << 62;
}

TEST(LatticeMerge, OrderGroupingAndRepetitionCannotBeSeen) {
  for (std::uint64_t seed = 1; seed <= tests::cases(800); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 10));
    std::vector<Point> points =
        random_points(random, dimension, static_cast<std::size_t>(uniform(random, 1, 9)), largest_for(seed));
    const AffineLattice expected = lattice_of(dimension, points);
    const auto canonical = expected.canonical();
    points.push_back(points[0]);
    for (int k = 0; k < 5; ++k) {
      std::shuffle(points.begin(), points.end(), random);
      EXPECT_EQ(lattice_of(dimension, points).canonical(), canonical);
      const AffineLattice tree = random_tree(random, dimension, points);
      EXPECT_EQ(tree.canonical(), canonical);
      EXPECT_EQ(tree, expected);
      EXPECT_TRUE(tree.well_formed());
    }
    if (HasFailure()) return;
  }
}

TEST(LatticeMerge, IsAnIdempotentCommutativeMonoid) {
  for (std::uint64_t seed = 1; seed <= tests::cases(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 0, 8));
    const auto some = [&] {
      AffineLattice lattice(dimension);
      const auto count = static_cast<std::size_t>(uniform(random, 0, 5));
      for (const Point& x : random_points(random, dimension, count, largest_for(seed))) lattice.insert(x);
      return lattice;
    };
    const AffineLattice a = some(), b = some(), c = some(), none(dimension);
    EXPECT_EQ(merged(a, none), a);
    EXPECT_EQ(merged(none, a), a);
    EXPECT_EQ(merged(a, a), a);
    EXPECT_EQ(merged(a, b), merged(b, a));
    EXPECT_EQ(merged(merged(a, b), c), merged(a, merged(b, c)));
    EXPECT_EQ(merged(merged(a, b), a), merged(a, b));
    if (HasFailure()) return;
  }
}

TEST(LatticeMerge, ProjectionCommutesWithInsertAndMerge) {
  for (std::uint64_t seed = 1; seed <= tests::cases(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 9));
    const std::vector<Point> points = random_points(random, dimension, 6, largest_for(seed));
    std::vector<std::size_t> keep(static_cast<std::size_t>(uniform(random, 0, 9)));  // any order, repeated ones too
    for (std::size_t& i : keep)
      i = static_cast<std::size_t>(uniform(random, 0, static_cast<std::int64_t>(dimension) - 1));
    std::vector<Point> kept;
    for (const Point& x : points) {
      kept.emplace_back();
      for (const std::size_t i : keep) kept.back().push_back(x[i]);
    }
    const AffineLattice whole = lattice_of(dimension, points);
    const AffineLattice image = whole.project(keep);
    EXPECT_EQ(image, lattice_of(keep.size(), kept));
    EXPECT_TRUE(image.well_formed());
    const AffineLattice left = lattice_of(dimension, {points[0], points[1], points[2]});
    const AffineLattice right = lattice_of(dimension, {points[3], points[4], points[5]});
    EXPECT_EQ(merged(left.project(keep), right.project(keep)), image);
    if (HasFailure()) return;
  }
}

// p + H z for all |z_j| <= reach.
std::vector<Column> members(const AffineLattice& lattice, int reach) {
  std::vector<Column> all{column_of(lattice.canonical().point)};
  for (const Column& generator : generators_of(lattice)) {
    std::vector<Column> more;
    for (const Column& x : all)
      for (int z = -reach; z <= reach; ++z) {
        more.push_back(x);
        for (std::size_t i = 0; i < generator.size(); ++i) more.back()[i] += generator[i] * z;
      }
    all = std::move(more);
  }
  return all;
}

Whole dot(const Point& a, const Column& x) {
  Whole sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += x[i] * a[i];
  return sum;
}

// What the enumerated values say: the first of them, and the gcd of the differences.
void expect_values(const AffineLattice& lattice, const Point& a, const std::vector<Column>& set) {
  const Whole base = dot(a, set[0]);
  Whole step = 0;
  for (const Column& x : set) step = gcd(step, Whole(dot(a, x) - base));
  const auto holds_mod_by_points = [&](std::int64_t c, std::int64_t m) {
    return std::all_of(set.begin(), set.end(), [&](const Column& x) { return (dot(a, x) - c) % m == 0; });
  };
  for (const std::int64_t m : {1, 2, 3, 5, 7, 8, 14, 64})
    for (const std::int64_t c : {0, 1, -4}) EXPECT_EQ(lattice.holds_mod(a, c, m), holds_mod_by_points(c, m));
  const bool fits = base >= INT64_MIN && base <= INT64_MAX;
  if (fits) {
    const auto c = static_cast<std::int64_t>(base);
    EXPECT_EQ(lattice.holds(a, c), step == 0);
    EXPECT_FALSE(lattice.holds(a, c < INT64_MAX ? c + 1 : c - 1));
  }
  const auto progression = lattice.progression(a);
  if (step == 0) {
    EXPECT_EQ(progression, fits ? std::optional(Progression{static_cast<std::int64_t>(base), 0}) : std::nullopt);
  } else if (step > INT64_MAX) {
    EXPECT_EQ(progression, std::nullopt);
  } else {
    Whole residue = base % step;
    if (residue < 0) residue += step;
    const Progression expected{static_cast<std::int64_t>(residue), static_cast<std::int64_t>(step)};
    EXPECT_EQ(progression, expected);
    EXPECT_TRUE(lattice.holds_mod(a, expected.residue, expected.modulus));
  }
}

TEST(LatticeMerge, LinearFormsTakeTheValuesThatThePointsTake) {
  for (std::uint64_t seed = 1; seed <= tests::cases(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 6));
    const std::vector<Point> points =
        random_points(random, dimension, static_cast<std::size_t>(uniform(random, 1, 4)), largest_for(seed));
    const AffineLattice lattice = lattice_of(dimension, points);
    const std::vector<Column> set = members(lattice, 1);
    for (int k = 0; k < 8; ++k) {
      Point a(dimension);
      for (std::int64_t& factor : a)
        factor = k == 7 ? static_cast<std::int64_t>(random()) : uniform(random, 0, 1) * uniform(random, -2, 2);
      expect_values(lattice, a, set);
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      Point unit(dimension);
      unit[i] = 1;
      EXPECT_EQ(lattice.column(i), lattice.progression(unit));
      for (std::size_t j = 0; j < dimension; ++j) {
        const bool same = std::all_of(set.begin(), set.end(), [&](const Column& x) { return x[i] == x[j]; });
        EXPECT_EQ(lattice.columns_equal(i, j), same);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tensorspec::tests
