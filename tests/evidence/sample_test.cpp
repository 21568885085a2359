// SPDX-License-Identifier: Apache-2.0
//
// The sample and the histogram against maps that do the same the plain way.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/checked.hpp"
#include "support/allocation_count.hpp"
#include "support/random_calls.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {
namespace {

using tests::between;
using tests::Random;

std::uint64_t fmix64(std::uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdULL;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ULL;
  k ^= k >> 33;
  return k;
}

std::uint64_t plain_hash(const Shape& extents) {
  std::uint64_t h = fmix64(extents.size());
  for (const std::int64_t extent : extents) h = fmix64(h ^ static_cast<std::uint64_t>(extent));
  return h;
}

TEST(SampleHash, IsWhatTheHeaderSays) {
  EXPECT_EQ(sample_hash({}), 0u);
  EXPECT_EQ(sample_hash(Shape{0}), fmix64(fmix64(1)));
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    Shape extents(static_cast<std::size_t>(between(random, 0, 20)));
    for (std::int64_t& extent : extents) extent = between(random, 0, kMaxExtent) >> (random() % 63);
    EXPECT_EQ(sample_hash(extents), plain_hash(extents));
  }
}

// What BottomKSample is, with nothing but a map.
struct PlainSample {
  std::size_t capacity;
  std::map<std::pair<std::uint64_t, Shape>, std::uint64_t> entries;
  std::map<Shape, std::uint64_t> left;

  void add(const Shape& extents, std::uint64_t count) {
    std::uint64_t& known = entries[{plain_hash(extents), extents}];
    known = saturating_add(known, count);
    if (entries.size() <= capacity) return;
    const auto last = std::prev(entries.end());
    left[last->first.second] += last->second;
    entries.erase(last);
  }
};

void expect_equal(const BottomKSample& sample, const PlainSample& plain) {
  ASSERT_EQ(sample.entries().size(), plain.entries.size());
  std::size_t at = 0;
  for (const auto& [key, count] : plain.entries) {
    const auto entry = sample.entries()[at++];
    EXPECT_EQ(entry.key.hash, key.first);
    EXPECT_EQ(Shape(entry.key.extents.begin(), entry.key.extents.end()), key.second);
    EXPECT_EQ(entry.count, count);
  }
  EXPECT_EQ(sample.saturated(), !plain.left.empty());
}

TEST(BottomKSample, IsTheMapOfTheSmallestHashes) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t capacity = static_cast<std::size_t>(between(random, 1, 40));
    const std::size_t columns = static_cast<std::size_t>(between(random, 1, 5));
    BottomKSample sample(capacity);
    PlainSample plain{capacity, {}, {}};
    std::map<Shape, std::uint64_t> left;
    // The table may be guided by columns that tell rows apart or not, and be told late.
    const auto guide = [&] {
      std::vector<std::uint32_t> some;
      for (std::uint32_t i = 0; i < columns; ++i)
        if (random() % 2 == 0) some.push_back(i);
      sample.find_by(some);
    };
    for (int i = 0; i < 600; ++i) {
      if (random() % 100 == 0) guide();
      Shape extents(columns);
      for (std::int64_t& extent : extents) extent = between(random, 0, 3);
      const std::uint64_t count = random() % 50 == 0 ? UINT64_MAX - 1 : 1 + random() % 3;
      const bool there = plain.entries.contains({plain_hash(extents), extents});
      plain.add(extents, count);
      if (random() % 2 == 0 && sample.add_known(extents, count)) {
        EXPECT_TRUE(there);
        ++found;
      } else if (const auto evicted = sample.add(extents, count)) {
        left[Shape(evicted->extents.begin(), evicted->extents.end())] += evicted->count;
      }
    }
    expect_equal(sample, plain);
    EXPECT_EQ(left, plain.left);
    // Equal by what was added, however it lies in memory.
    BottomKSample again(capacity);
    if (sample.saturated()) again.mark_saturated();
    for (const auto& [key, count] : plain.entries) again.add(key.second, count);
    EXPECT_EQ(again, sample);
    again.add(plain.entries.begin()->first.second, UINT64_MAX);
    EXPECT_EQ(again == sample, sample.entries()[0].count == UINT64_MAX);
  }
  EXPECT_GT(found, 1000u);
}

// Two vectors of one hash: the vector decides. fmix64 is a bijection, so such pairs can be made.
TEST(BottomKSample, EqualHashesAreOrderedByTheirVectors) {
  std::vector<Shape> twins;
  const Shape a{1, 12345};
  const std::uint64_t at_a = fmix64(fmix64(2) ^ 1);
  for (std::int64_t first = 2; twins.size() < 3; ++first) {
    const std::uint64_t second = at_a ^ 12345u ^ fmix64(fmix64(2) ^ static_cast<std::uint64_t>(first));
    if (second < static_cast<std::uint64_t>(kMaxExtent)) twins.push_back({first, static_cast<std::int64_t>(second)});
  }
  ASSERT_EQ(sample_hash(twins[0]), sample_hash(a));
  twins.push_back(a);
  for (std::size_t capacity = 1; capacity <= 4; ++capacity) {
    Random random(capacity);
    for (int round = 0; round < 20; ++round) {
      std::shuffle(twins.begin(), twins.end(), random);
      BottomKSample sample(capacity);
      PlainSample plain{capacity, {}, {}};
      sample.find_by({1});
      for (const Shape& twin : twins) {
        sample.add(twin, 1);
        plain.add(twin, 1);
      }
      expect_equal(sample, plain);
    }
  }
}

TEST(BottomKSample, AllocatesOnlyToDouble) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "a sanitizer brings its own operator new";
  BottomKSample sample(1000);
  sample.find_by({0, 1});
  Random random(3);
  Shape extents(8);
  std::size_t with_allocation = 0, late = 0, known = 0;
  for (int i = 0; i < 20000; ++i) {
    for (std::int64_t& extent : extents) extent = between(random, 1, 1 << 20);
    const std::size_t before = tests::allocation_count();
    sample.add(extents, 1);
    known += sample.add_known(extents, 1) ? 1 : 0;
    if (tests::allocation_count() != before) ++(i < 1000 ? with_allocation : late);
  }
  EXPECT_TRUE(sample.saturated());
  EXPECT_GT(known, 990u);
  EXPECT_LT(with_allocation, 20u);
  EXPECT_EQ(late, 0u);
}

TEST(SizeHistogram, IsTheMapOfSizesAndThenOfBins) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::int64_t most = seed % 3 == 0 ? kMaxExtent : seed % 3 == 1 ? 200000 : 3000;
    std::map<std::int64_t, std::uint64_t> exact, bins;
    SizeHistogram parts[3];
    for (int i = 0; i < 12000; ++i) {
      const std::int64_t size = between(random, 0, most) >> (seed % 2 == 0 ? random() % 60 : 0);
      const std::uint64_t count = random() % 1000 == 0 ? UINT64_MAX / 2 : 1 + random() % 5;
      parts[random() % 3].add(size, count);
      exact[size] = saturating_add(exact[size], count);
      bins[SizeHistogram::bin(size)] = saturating_add(bins[SizeHistogram::bin(size)], count);
    }
    for (const std::size_t first : {0u, 1u, 2u}) {
      SizeHistogram all = parts[first];
      all.merge(parts[(first + 1) % 3]);
      all.merge(parts[(first + 2) % 3]);
      const auto& wanted = exact.size() <= 4096 ? exact : bins;
      EXPECT_EQ(all.exact(), exact.size() <= 4096);
      const auto counts = all.counts();
      EXPECT_TRUE(std::equal(counts.begin(), counts.end(), wanted.begin(), wanted.end(),
                             [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
      EXPECT_EQ(SizeHistogram::restore(all.exact(), {counts.begin(), counts.end()}), all);
    }
  }
}

TEST(SizeHistogram, BinsEndWhereTheNextBegins) {
  for (int width = 0; width <= 61; ++width)
    for (std::int64_t step = 0; step < 700; ++step) {
      const std::int64_t size = (std::int64_t{1} << width) + step * ((std::int64_t{1} << width) / 700);
      const std::int64_t end = SizeHistogram::bin_end(size);
      ASSERT_GE(end, size);
      ASSERT_EQ(SizeHistogram::bin(end), SizeHistogram::bin(size)) << size;
      ASSERT_EQ(SizeHistogram::bin(end + 1), end + 1) << size;
    }
}

TEST(SizeHistogram, NeverHasMoreBinsThanItsTableHolds) {
  std::set<std::int64_t> bins;
  for (int width = 0; width <= 62; ++width)
    for (std::int64_t step = 0; step < 256; ++step) {
      const std::int64_t size = (std::int64_t{1} << width) + step * ((std::int64_t{1} << width) / 256);
      if (size <= kMaxExtent) bins.insert(SizeHistogram::bin(size));
    }
  EXPECT_GT(bins.size(), 6900u);
  EXPECT_LT(2 * bins.size() * 16, SizeHistogram::kMaxBytes);
}

}  // namespace
}  // namespace tensorspec
