// SPDX-License-Identifier: Apache-2.0
#include "core/multiplier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tensorspec/call.hpp"

namespace tensorspec {
namespace {

constexpr std::int64_t kBig = kMaxExtent;

TEST(Multiplier, SmallestSizeAndDoubleGiveTheFractionBack) {
  for (std::int64_t size = 0; size <= 60; ++size)
    for (std::int64_t batch = 1; batch <= 60; ++batch)
      EXPECT_EQ(Multiplier::read(size, pack_multiplier(size, batch)), Multiplier::of(size, batch))
          << size << "@" << batch;

  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto size = static_cast<std::int64_t>(random() >> (2 + random() % 60));
    const auto batch = static_cast<std::int64_t>(1 + (random() >> (13 + random() % 50)));
    ASSERT_EQ(Multiplier::read(size, pack_multiplier(size, batch)), Multiplier::of(size, batch))
        << "seed 7: " << size << "@" << batch;
  }
}

TEST(Multiplier, WholeOnesAreNeverLost) {
  const std::int64_t wholes[] = {1,        2,   3, 7, 1000, (std::int64_t{1} << 53) - 1, (std::int64_t{1} << 53) + 1,
                                 kBig - 1, kBig};
  for (const std::int64_t k : wholes)
    for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, kBig / k, kBig / k - 1}) {
      if (batch < 1 || batch > kBig / k) continue;
      const auto read = Multiplier::read(k * batch, pack_multiplier(k * batch, batch));
      ASSERT_TRUE(read.has_value()) << k << " x " << batch;
      EXPECT_EQ(*read, (Multiplier{k, 1})) << k << " x " << batch;
    }
}

TEST(Multiplier, NeighboursThatShareADoubleStayApart) {
  // (2^53 + 1) / 1 and 2^53 / 1 have one double; the size tells which.
  const std::int64_t edge = std::int64_t{1} << 53;
  EXPECT_EQ(pack_multiplier(edge, 1), pack_multiplier(edge + 1, 1));
  EXPECT_NE(Multiplier::read(edge, pack_multiplier(edge, 1)), Multiplier::read(edge + 1, pack_multiplier(edge + 1, 1)));
  // 2^62 / (2^62 - 1) rounds to 1.0 and must not pass for 1.
  EXPECT_TRUE(std::isnan(pack_multiplier(kBig, kBig - 1)));
  EXPECT_EQ(pack_multiplier(kBig - 1, kBig - 1), 1.0);
}

TEST(Multiplier, IsTheNearestDouble) {
  EXPECT_EQ((Multiplier{1, 3}.to_double()), 1.0 / 3.0);
  EXPECT_EQ((Multiplier{kBig, 1}.to_double()), 0x1p62);
  EXPECT_EQ((Multiplier{1, kBig}.to_double()), 0x1p-62);
  EXPECT_EQ((Multiplier{(std::int64_t{1} << 53) + 1, 1}.to_double()), 0x1p53);                   // a tie, to even
  EXPECT_EQ((Multiplier{(std::int64_t{1} << 54) + 1, 2}.to_double()), 0x1p53);                   // just above
  EXPECT_EQ((Multiplier{4611686018427387903, 4611686018427387901}.to_double()), 1.0);            // Python says so too
  EXPECT_EQ((Multiplier{4611686018427387847, 3}.to_double()), 1.5372286728091292e18);            // Python
  EXPECT_EQ((Multiplier{1161928703861588096, 1161928703861587967}.to_double()), 1.0 + 0x1p-52);  // a tie but for a hair
  EXPECT_EQ((Multiplier{9007199254740993, 7}.to_double()), 1286742750677284.8);                  // Python
}

TEST(Multiplier, WhatPeopleWriteByHand) {
  struct Case {
    std::int64_t size;
    double value;
    std::optional<Multiplier> want;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {5, 2.0, Multiplier{2, 1}},  // 5 is no multiple of 2, but 2 is what was written
      {0, 3.0, Multiplier{3, 1}},     {4, 0.0, Multiplier{0, 1}}, {-4, 2.0, Multiplier{2, 1}},
      {4, 1.5, std::nullopt},         {0, 0.5, std::nullopt},     {4, -1.0, std::nullopt},
      {4, inf, std::nullopt},         {4, -inf, std::nullopt},    {4, std::nan(""), std::nullopt},
      {4, 1e300, std::nullopt},       {4, 5e-324, std::nullopt},  {INT64_MAX, 1e-300, std::nullopt},
      {INT64_MIN, 0.3, std::nullopt}, {3, 1.5, Multiplier{3, 2}},
  };
  for (const Case& c : cases) EXPECT_EQ(Multiplier::read(c.size, c.value), c.want) << c.size << " " << c.value;
}

}  // namespace
}  // namespace tensorspec
