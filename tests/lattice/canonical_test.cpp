// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/slow_lattice.hpp"
#include "tensorspec/lattice.hpp"

namespace tensorspec::testing {
namespace {

using Canonical = AffineLattice::Canonical;

TEST(LatticeCanonical, ComesBackAsItWas) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto dimension = static_cast<std::size_t>(uniform(random, 1, 12));
    const auto count = static_cast<std::size_t>(uniform(random, 0, 8));
    const std::vector<Point> points = random_points(random, dimension, count, seed % 2 ? 4096 : std::int64_t{1} << 62);
    const AffineLattice lattice = lattice_of(dimension, points);
    const auto back = AffineLattice::from_canonical(dimension, lattice.canonical());
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(*back, lattice);
    EXPECT_TRUE(back->well_formed());
    EXPECT_EQ(back->canonical(), lattice.canonical());
    for (const Point& x : points) EXPECT_TRUE(back->contains(x));
  }
}

TEST(LatticeCanonical, IsTheConvention) {
  const AffineLattice lattice = lattice_of(3, {{4, 10, 7}, {12, 14, 7}, {4, 13, 7}});
  EXPECT_EQ(lattice.canonical(), (Canonical{{"4", "1", "7"}, {{"8", "1", "0"}, {"0", "3", "0"}}}));
}

TEST(LatticeCanonical, LargeNumbersUpToTheLimit) {
  const std::string longest(4096, '9');
  const Canonical form{{longest.substr(0, 4095), "-" + longest}, {{longest, "-" + longest}}};
  const auto lattice = AffineLattice::from_canonical(2, form);
  ASSERT_TRUE(lattice.ok()) << lattice.error().message();
  EXPECT_EQ(lattice->canonical(), form);
  EXPECT_FALSE(lattice->contains(Point{1, 1}));
  EXPECT_EQ(lattice->column(0), std::nullopt);
}

struct Hostile {
  const char* what;
  std::size_t dimension;
  Canonical form;
  const char* where;
  std::string detail;
};

std::vector<std::string> zeros(std::size_t n) { return std::vector<std::string>(n, "0"); }

TEST(LatticeCanonical, RefusesEverythingElse) {
  const Hostile cases[] = {
      {"too many coordinates", 16385, {zeros(16385), {}}, "", "16385 coordinates, the limit is 16384"},
      {"point too short", 2, {{"1"}, {}}, "point", "1 numbers for 2 coordinates"},
      {"point missing", 2, {{}, {{"1", "0"}}}, "point", "0 numbers for 2 coordinates"},
      {"a point without coordinates", 0, {{"1"}, {}}, "point", "1 numbers for 0 coordinates"},
      {"generator too long", 1, {{"0"}, {{"1", "2"}}}, "generators[0]", "2 numbers for 1 coordinates"},
      {"too many generators", 1, {{"0"}, {{"2"}, {"3"}}}, "generators", "2 generators for 1 coordinates"},
      {"a generator of no coordinates", 0, {{}, {{}}}, "generators", "1 generators for 0 coordinates"},
      {"empty text", 1, {{""}, {}}, "point[0]", "'' is not a whole number in plain decimal digits"},
      {"a lone sign", 1, {{"-"}, {}}, "point[0]", "'-' is not a whole number in plain decimal digits"},
      {"minus zero", 1, {{"-0"}, {}}, "point[0]", "'-0' is not a whole number in plain decimal digits"},
      {"leading zero", 1, {{"007"}, {}}, "point[0]", "'007' is not a whole number in plain decimal digits"},
      {"plus", 1, {{"+7"}, {}}, "point[0]", "'+7' is not a whole number in plain decimal digits"},
      {"space", 1, {{" 7"}, {}}, "point[0]", "' 7' is not a whole number in plain decimal digits"},
      {"hexadecimal", 1, {{"0x7"}, {}}, "point[0]", "'0x7' is not a whole number in plain decimal digits"},
      {"a fraction",
       2,
       {{"0", "0"}, {{"1", "1.5"}}},
       "generators[0][1]",
       "'1.5' is not a whole number in plain decimal digits"},
      {"a zero byte",
       1,
       {{std::string("1\0", 2)}, {}},
       "point[0]",
       "'1" + std::string(1, '\0') + "' is not a whole number in plain decimal digits"},
      {"too many digits", 1, {{std::string(4097, '1')}, {}}, "point[0]", "4097 digits, the limit is 4096"},
      {"a generator of zeros", 2, {{"0", "0"}, {{"0", "0"}}}, "generators[0]", "all zeros"},
      {"a negative pivot", 1, {{"0"}, {{"-3"}}}, "generators[0][0]", "the pivot -3 is not positive"},
      {"the same pivot twice",
       2,
       {{"0", "0"}, {{"2", "0"}, {"3", "0"}}},
       "generators[1][0]",
       "not in echelon order: the generator before has its pivot at 0"},
      {"pivots backwards",
       2,
       {{"0", "0"}, {{"0", "2"}, {"3", "0"}}},
       "generators[1][0]",
       "not in echelon order: the generator before has its pivot at 1"},
      {"left of a pivot too large",
       2,
       {{"0", "0"}, {{"2", "8"}, {"0", "8"}}},
       "generators[0][1]",
       "8 is not in [0, 8), the pivot of generator 1"},
      {"left of a pivot negative",
       2,
       {{"0", "0"}, {{"2", "-1"}, {"0", "8"}}},
       "generators[0][1]",
       "-1 is not in [0, 8), the pivot of generator 1"},
      {"point not reduced", 2, {{"5", "0"}, {{"5", "1"}}}, "point[0]", "5 is not in [0, 5), the pivot of generator 0"},
      {"long numbers are cut",
       1,
       {{std::string(60, '9')}, {{"2"}}},
       "point[0]",
       "99999999999999999999... is not in [0, 2), the pivot of generator 0"},
  };
  for (const Hostile& c : cases) {
    SCOPED_TRACE(c.what);
    const auto result = AffineLattice::from_canonical(c.dimension, c.form);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::evidence_format);
    EXPECT_EQ(result.error().where, c.where);
    EXPECT_EQ(result.error().detail, c.detail);
  }
}

// Whatever a file says, the outcome is an error or the very form that the file says.
TEST(LatticeCanonical, AnyTextIsRefusedOrKept) {
  const char* words[] = {"0", "0", "0", "1", "2", "3", "-1", "7", "-0", "", "9223372036854775808", "1e3"};
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    std::mt19937_64 random(seed);
    const auto word = [&] { return words[uniform(random, 0, uniform(random, 0, 3) ? 5 : 11)]; };
    const auto dimension = static_cast<std::size_t>(uniform(random, 0, 3));
    Canonical form;
    for (std::size_t i = 0; i < dimension; ++i) form.point.emplace_back(word());
    form.generators.resize(static_cast<std::size_t>(uniform(random, 0, 2)));
    for (auto& generator : form.generators)
      for (std::size_t i = 0; i < dimension; ++i) generator.emplace_back(word());
    const auto result = AffineLattice::from_canonical(dimension, form);
    if (!result.ok()) continue;
    ++kept;
    ASSERT_TRUE(result->well_formed()) << "seed " << seed;
    ASSERT_EQ(result->canonical(), form) << "seed " << seed;
  }
  EXPECT_GT(kept, 500U);
}

}  // namespace
}  // namespace tensorspec::testing
