// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/lattice.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text.hpp"
#include "support/allocation_count.hpp"
#include "support/slow_lattice.hpp"

namespace tensorspec::testing {
namespace {

using Progression = AffineLattice::Progression;

// "(2,4) (5,10)"
std::vector<Point> parse_points(std::string text) {
  std::vector<Point> points;
  for (char& c : text) {
    if (c == '(') points.emplace_back();
    if (c == ',' || c == ')' || c == '(') c = c == '(' ? '\n' : ' ';
  }
  std::istringstream lines(text.substr(text.find('\n') + 1));
  std::string line;
  for (Point& x : points) {
    std::getline(lines, line);
    std::istringstream numbers(line);
    for (std::int64_t value = 0; numbers >> value;) x.push_back(value);
  }
  return points;
}

// "b - 2*a == 0" or "a == 3 mod 8": a linear form over the columns a, b, c, ...
struct Fact {
  Point factors;
  std::int64_t value = 0, modulus = 0;
};
Fact parse_fact(const std::string& text, std::size_t dimension) {
  Fact fact{Point(dimension), 0, 0};
  std::istringstream words(text);
  std::int64_t sign = 1;
  std::string word;
  while (words >> word && word != "==") {
    if (word == "+" || word == "-") {
      sign = word == "-" ? -1 : 1;
      continue;
    }
    const std::size_t star = word.find('*');
    const std::int64_t factor = star == std::string::npos ? 1 : parse_int64(word.substr(0, star)).value();
    fact.factors.at(static_cast<std::size_t>(word.back() - 'a')) += sign * factor;
  }
  words >> fact.value >> word >> fact.modulus;
  return fact;
}

bool holds(const AffineLattice& lattice, const std::string& text) {
  const Fact fact = parse_fact(text, lattice.dimension());
  return fact.modulus == 0 ? lattice.holds(fact.factors, fact.value)
                           : lattice.holds_mod(fact.factors, fact.value, fact.modulus);
}

struct Case {
  const char* what;
  const char* points;
  std::size_t rank;
  std::vector<const char*> facts, not_facts;
};

const Case cases[] = {
    {"one shape is a point", "(1,128)", 0, {"a == 1", "b == 128", "b - 128*a == 0"}, {"a == 2", "b == 0 mod 256"}},
    {"step is the gcd", "(8) (24) (40)", 1, {"a == 8 mod 16", "a == 0 mod 8"}, {"a == 8", "a == 8 mod 32"}},
    {"a relation, no box",
     "(2,4) (5,10) (7,14)",
     1,
     {"b - 2*a == 0", "b == 0 mod 2"},
     {"a == 0 mod 2", "a == 2 mod 3"}},
    {"two points claim a line", "(1,10) (2,24)", 1, {"b - 14*a == -4", "b == 10 mod 14"}, {"b == 0 mod 14"}},
    {"a third breaks it", "(1,10) (2,24) (3,17)", 2, {"b + 7*a == 17 mod 21", "b == 3 mod 7"}, {"b - 14*a == -4"}},
    {"mask is past plus seq", "(0,7,7) (7,1,8) (8,1,9) (3,5,8)", 2, {"c - a - b == 0"}, {"c - a == 1"}},
    {"equal columns", "(1,1,64) (4,4,64) (6,6,64)", 1, {"a - b == 0", "c == 64"}, {"a - c == 0", "a == 1 mod 2"}},
    {"residues stay apart",
     "(3,0) (13,10) (3,20)",
     2,
     {"a == 3 mod 10", "b == 0 mod 10"},
     {"a - b == 3", "a == 0 mod 5"}},
    {"0 is a size", "(0,0) (0,6)", 1, {"a == 0", "b == 0 mod 6"}, {"b == 0"}},
    {"parity of a sum", "(0,0) (1,1) (1,3) (2,0)", 2, {"a + b == 0 mod 2", "a - b == 0 mod 2"}, {"a == 0 mod 2"}},
};

TEST(Lattice, Cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const std::vector<Point> points = parse_points(c.points);
    const AffineLattice lattice = lattice_of(points[0].size(), points);
    EXPECT_EQ(lattice.rank(), c.rank);
    EXPECT_TRUE(lattice.well_formed());
    for (const Point& x : points) EXPECT_TRUE(lattice.contains(x));
    for (const char* fact : c.facts) EXPECT_TRUE(holds(lattice, fact)) << fact;
    for (const char* fact : c.not_facts) EXPECT_FALSE(holds(lattice, fact)) << fact;
  }
}

TEST(Lattice, TheEmptySetHoldsEverythingAndNothing) {
  const AffineLattice none(2);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.rank(), 0U);
  EXPECT_FALSE(none.contains(Point{0, 0}));
  EXPECT_TRUE(none.holds(Point{1, 0}, 3) && none.holds(Point{1, 0}, 4) && none.holds_mod(Point{1, 1}, 1, 2));
  EXPECT_TRUE(none.columns_equal(0, 1));
  EXPECT_EQ(none.progression(Point{1, 1}), std::nullopt);
  EXPECT_EQ(none.column(0), std::nullopt);
  EXPECT_EQ(none.project(std::vector<std::size_t>{1}), AffineLattice(1));
  EXPECT_NE(none, AffineLattice(1));
  EXPECT_TRUE(none.well_formed());
}

TEST(Lattice, WithoutColumnsThereAreTwoSets) {
  AffineLattice lattice(0);
  EXPECT_FALSE(lattice.contains({}));
  EXPECT_TRUE(lattice.insert({}));
  EXPECT_FALSE(lattice.insert({}));
  EXPECT_TRUE(lattice.contains({}));
  EXPECT_FALSE(lattice.empty());
  EXPECT_NE(lattice, AffineLattice(0));
  EXPECT_TRUE(lattice.well_formed());
}

TEST(Lattice, ValuesAreIndependent) {
  AffineLattice a = lattice_of(2, {{1, 2}, {3, 4}});
  AffineLattice b = a;
  EXPECT_TRUE(b.insert(Point{0, 0}));
  EXPECT_FALSE(a.contains(Point{0, 0}));
  const AffineLattice moved = std::move(a);
  EXPECT_TRUE(moved.contains(Point{1, 2}));
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): documented
  EXPECT_EQ(a.dimension(), 2U);
  EXPECT_TRUE(a.insert(Point{5, 5}));
}

TEST(Lattice, MergeNeedsTheSameColumns) {
  const auto result = AffineLattice::merge(AffineLattice(2), AffineLattice(3));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::dimension_mismatch);
  EXPECT_EQ(result.error().detail, "2 and 3");
}

TEST(Lattice, TheEndsOfInt64) {
  const AffineLattice ends = lattice_of(1, {{INT64_MIN}, {INT64_MAX}});  // step 2^64 - 1 = 3 * 5 * 17 * ...
  EXPECT_TRUE(ends.well_formed());
  EXPECT_TRUE(ends.contains(Point{INT64_MIN}) && ends.contains(Point{INT64_MAX}));
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN + 1, INT64_MAX - 1})
    EXPECT_FALSE(ends.contains(Point{value})) << value;
  EXPECT_EQ(ends.column(0), std::nullopt);
  EXPECT_TRUE(ends.holds_mod(Point{1}, INT64_MIN, 15) && ends.holds_mod(Point{1}, INT64_MAX, 15));
  EXPECT_FALSE(ends.holds_mod(Point{1}, INT64_MIN, 7));
  EXPECT_EQ(ends.canonical().generators, (std::vector<std::vector<std::string>>{{"18446744073709551615"}}));

  AffineLattice all = ends;
  EXPECT_TRUE(all.insert(Point{INT64_MIN + 1}));
  EXPECT_EQ(all.column(0), (Progression{0, 1}));
  EXPECT_TRUE(all.contains(Point{INT64_MIN}));
  EXPECT_TRUE(all.holds_mod(Point{INT64_MIN}, 0, std::int64_t{1} << 62));
}

TEST(Lattice, LinearFormsThatDoNotFit) {
  const std::int64_t big = std::int64_t{1} << 62;
  const AffineLattice point = lattice_of(3, {{big, big, 1}});
  EXPECT_EQ(point.progression(Point{1, 1, 0}), std::nullopt);                  // 2^63
  EXPECT_EQ(point.progression(Point{1, 1, -1}), (Progression{INT64_MAX, 0}));  // by way of 2^63
  EXPECT_EQ(point.progression(Point{INT64_MIN, INT64_MIN, 0}), std::nullopt);
  EXPECT_TRUE(point.holds(Point{INT64_MAX, -INT64_MAX, 5}, 5));
  EXPECT_FALSE(point.holds(Point{4, 0, 0}, 0));  // 2^64 is not 0
  EXPECT_TRUE(point.holds_mod(Point{4, 0, 0}, 0, big));
  const AffineLattice line = lattice_of(2, {{0, 0}, {big, big}});
  EXPECT_EQ(line.progression(Point{1, 1}), std::nullopt);  // step 2^63
  EXPECT_EQ(line.progression(Point{1, -1}), (Progression{0, 0}));
  EXPECT_EQ(line.progression(Point{-1, 0}), (Progression{0, big}));
}

// `work` with how often it allocated.
template <class Work>
std::size_t allocations_of(Work work) {
  const std::size_t before = allocation_count();
  work();
  return allocation_count() - before;
}

TEST(Lattice, ContainsNeverAllocates) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer brings its own operator new";
  EXPECT_GT(allocations_of([] { AffineLattice(1).insert(Point{1}); }), 0U);
  for (const std::int64_t largest : {std::int64_t{1} << 12, std::int64_t{1} << 40, std::int64_t{1} << 62}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      std::vector<Point> points = random_points(random, 32, 12, largest);
      const AffineLattice lattice = lattice_of(32, points);
      for (const auto& generator : generators_of(lattice))
        for (const Whole& entry : generator)
          if (entry > INT64_MAX || entry < INT64_MIN) goto next;  // not promised there
      points.push_back(Point(32, INT64_MIN));
      points.push_back(Point(32, INT64_MAX));
      for (const Point& x : points) EXPECT_EQ(allocations_of([&] { (void)lattice.contains(x); }), 0U);
      {
        AffineLattice again = lattice;
        EXPECT_EQ(allocations_of([&] { again.insert(points[0]); }), 0U);
      }
    next:;
    }
  }
}

// Unit pivots, and a last row where partial sums reach 2^126 and come back to 0.
TEST(Lattice, ContainsStaysExactWhereARowDoesNotFit) {
  constexpr std::size_t n = 64;
  AffineLattice::Canonical form;
  form.point.assign(n + 1, "0");
  for (std::size_t j = 0; j < n; ++j) {
    form.generators.emplace_back(n + 1, "0");
    form.generators[j][j] = "1";
    form.generators[j][n] = std::to_string(j % 2 == 0 ? INT64_MAX : -INT64_MAX);
  }
  const AffineLattice lattice = AffineLattice::from_canonical(n + 1, form).value();
  Point x(n + 1, INT64_MAX);
  x[0] = x[1] = INT64_MIN;
  x[n] = 0;
  std::size_t allocations = allocations_of([&] { EXPECT_TRUE(lattice.contains(x)); });
  x[n] = 1;
  allocations += allocations_of([&] { EXPECT_FALSE(lattice.contains(x)); });
  EXPECT_EQ(allocations, 0U);
}

TEST(Lattice, ContainsIsNotFooledByAValueThatWouldWrap) {
  const AffineLattice lattice =
      AffineLattice::from_canonical(2, {{"0", std::to_string(INT64_MAX)}, {{"1", "1"}}}).value();
  EXPECT_TRUE(lattice.contains(Point{-1, INT64_MAX - 1}));
  EXPECT_FALSE(lattice.contains(Point{1, INT64_MIN}));  // it has 2^63 there
}

// A member all of whose coordinates fit while z grows like the Fibonacci numbers: left of each pivot the entry is as
// large as it may be where z has one sign, and 0 where it has the other.
TEST(Lattice, ContainsStaysExactWhereZDoesNotFit) {
  const std::int64_t pivot = std::int64_t{1} << 62;
  for (const std::size_t n : {std::size_t{8}, std::size_t{64}, std::size_t{70}}) {
    AffineLattice::Canonical form{std::vector<std::string>(n, "0"), {}};
    form.generators.assign(n, form.point);
    std::mt19937_64 random(3);
    Column z{INT64_MAX};
    Point x{INT64_MAX};
    form.generators[0][0] = "1";
    for (std::size_t i = 1; i < n; ++i) {
      Whole sum = 0;
      for (std::size_t j = 0; j < i; ++j) {
        if ((z[j] > 0) != (i % 2 == 1)) continue;
        const std::int64_t entry = uniform(random, pivot - 1000, pivot - 1);
        form.generators[j][i] = std::to_string(entry);
        sum += z[j] * entry;
      }
      form.generators[i][i] = std::to_string(pivot);
      z.push_back(-sum / pivot);
      x.push_back(static_cast<std::int64_t>(sum + z[i] * pivot));
    }
    EXPECT_GT(abs(z[n - 1]), Whole(1) << (n < 64 ? 64 : 100));
    const auto lattice = AffineLattice::from_canonical(n, form);
    ASSERT_TRUE(lattice.ok()) << lattice.error().message();
    std::size_t allocations = allocations_of([&] { EXPECT_TRUE(lattice->contains(x)); });
    for (std::size_t i = 1; i < n; ++i) {
      ++x[i];
      allocations += allocations_of([&] { EXPECT_FALSE(lattice->contains(x)) << i; });
      --x[i];
    }
    EXPECT_EQ(allocations == 0, n <= 64 || !allocations_are_counted());
    const Matrix h = generators_of(*lattice);
    for (int k = 0; k < 20; ++k) {  // the first coordinate is free, and everything below follows from it
      Point y = x;
      y[0] = static_cast<std::int64_t>(random());
      EXPECT_EQ(lattice->contains(y), solve(h, n, column_of(y)).has_value());
    }
  }
}

}  // namespace
}  // namespace tensorspec::testing
