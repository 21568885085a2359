// SPDX-License-Identifier: Apache-2.0
//
// The law of TensorSpec: what updates give is a function of the set of (sizes, batch size) pairs seen. The oracle below
// knows only the definition of DESIGN.md section 3 and never merges anything.
#include "tensorspec/tensor_spec.hpp"
#include "support/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tensorspec {
namespace {

using Batch = std::optional<std::int64_t>;
struct Sight {
  Shape sizes;
  Batch batch;
};
using Sights = std::vector<Sight>;

__extension__ using Wide = __int128;

struct Outcome {
  std::string shape;
  Shape min, max;
  std::vector<bool> known;  // is there one multiplier
};

// By the definition, axis by axis, over all pairs at once.
Outcome oracle(const Sights& sights) {
  Outcome out;
  for (std::size_t i = 0; i < sights[0].sizes.size(); ++i) {
    bool one_ratio = true, whole = true;
    std::int64_t min = INT64_MAX, max = INT64_MIN;
    for (const Sight& s : sights) {
      min = std::min(min, s.sizes[i]);
      max = std::max(max, s.sizes[i]);
      const Sight& first = sights[0];
      if (!s.batch || !first.batch || Wide{s.sizes[i]} * *first.batch != Wide{first.sizes[i]} * *s.batch)
        one_ratio = false;
      if (!s.batch || s.sizes[i] % *s.batch != 0) whole = false;
    }
    out.min.push_back(min);
    out.max.push_back(max);
    out.known.push_back(one_ratio);
    if (i > 0) out.shape += ", ";
    out.shape += min == max ? std::to_string(min) : (one_ratio && whole ? "batch" : "dim") + std::to_string(i);
  }
  out.shape = "shape=[" + out.shape + "]";
  return out;
}

std::string show(const Sights& sights) {
  std::string text;
  for (const Sight& s : sights) {
    text += "(";
    for (const std::int64_t size : s.sizes) text += std::to_string(size) + " ";
    text += "@ " + (s.batch ? std::to_string(*s.batch) : "unknown") + ") ";
  }
  return text;
}

TensorSpec spec_of(const Sight& sight) {
  return *TensorSpec::from_tensor({"t", DType(DType::Kind::float32), sight.sizes}, sight.batch);
}

void expect_outcome(const TensorSpec& spec, const Sights& sights) {
  const Outcome want = oracle(sights);
  ASSERT_EQ(spec.to_string(), want.shape) << show(sights);
  ASSERT_EQ(spec.min_shape, want.min) << show(sights);
  ASSERT_EQ(spec.max_shape, want.max) << show(sights);
  for (std::size_t i = 0; i < want.known.size(); ++i) {
    const double got = spec._bs_multipliers[i];
    if (!want.known[i]) {
      ASSERT_TRUE(std::isnan(got)) << show(sights);
    } else if (!std::isnan(got)) {
      const auto size = static_cast<double>(sights[0].sizes[i]), batch = static_cast<double>(*sights[0].batch);
      ASSERT_NEAR(got, size / batch, 1e-15 * got) << show(sights);
    } else {  // only a fraction too fine for a double may be unknown
      ASSERT_TRUE(*sights[0].batch > std::int64_t{1} << 51 && sights[0].sizes[i] % *sights[0].batch != 0)
          << show(sights);
    }
  }
}

TensorSpec fold(const Sights& sights) {
  TensorSpec all = spec_of(sights[0]);
  for (std::size_t i = 1; i < sights.size(); ++i) EXPECT_TRUE(all.update_shapes_seen(spec_of(sights[i])).ok());
  return all;
}

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

// Merges in a random tree, sees some pairs twice, and sends some of the results through text.
TensorSpec random_tree(Sights sights, Random& random) {
  std::shuffle(sights.begin(), sights.end(), random);
  std::vector<TensorSpec> parts;
  for (const Sight& sight : sights) parts.push_back(spec_of(sight));
  if (below(random, 2) == 0) parts.push_back(parts[below(random, parts.size())]);
  while (parts.size() > 1) {
    const std::size_t from = below(random, parts.size());
    const TensorSpec taken = parts[from];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
    TensorSpec& into = parts[below(random, parts.size())];
    EXPECT_TRUE(into.update_shapes_seen(taken).ok());
    if (below(random, 3) == 0) into = *TensorSpec::from_dict(into.to_dict());
    if (below(random, 5) == 0) { EXPECT_TRUE(into.update_shapes_seen(TensorSpec(into)).ok()); }
  }
  return parts[0];
}

// Each axis is of one kind, mostly: fixed, k x batch, a fraction of it, free, or at the edge of 2^62.
Sights random_sights(Random& random) {
  const std::size_t rank = below(random, 4), count = 1 + below(random, 6);
  const bool huge = below(random, 4) == 0;
  std::vector<std::size_t> kinds, factors;
  for (std::size_t i = 0; i < rank; ++i) {
    kinds.push_back(below(random, 5));
    factors.push_back(below(random, 4));
  }
  Sights sights(count);
  for (Sight& sight : sights) {
    std::int64_t batch = static_cast<std::int64_t>(1 + below(random, 4));
    if (huge) batch = below(random, 2) ? batch + (std::int64_t{1} << below(random, 60)) : kMaxExtent - 4 + batch;
    for (std::size_t i = 0; i < rank; ++i) {
      const auto k = static_cast<std::int64_t>(factors[i]);
      std::int64_t size = k;
      if (kinds[i] == 1) size = batch <= kMaxExtent / 4 ? k * batch : batch;
      if (kinds[i] == 2) size = batch % 2 == 0 ? batch / 2 * (k % 2 + 1) : batch / 2;
      if (kinds[i] == 3) size = static_cast<std::int64_t>(below(random, 5));
      if (kinds[i] == 4) size = kMaxExtent - static_cast<std::int64_t>(below(random, 3));
      if (below(random, 12) == 0 && size < kMaxExtent) ++size;
      sight.sizes.push_back(size);
    }
    if (below(random, 10) != 0) sight.batch = batch;
  }
  return sights;
}

TEST(TensorSpecLaw, OutcomeIsAFunctionOfTheSetOfPairs) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    for (std::uint64_t round = 0; round < tests::cases(2500); ++round) {
      const Sights sights = random_sights(random);
      const TensorSpec first = random_tree(sights, random);
      ASSERT_NO_FATAL_FAILURE(expect_outcome(first, sights));
      for (int again = 0; again < 3; ++again)
        ASSERT_EQ(random_tree(sights, random).to_dict(), first.to_dict()) << show(sights);
    }
  }
}

// Every set of up to three pairs, and of four from fewer: every order, and both groupings of the last two.
TEST(TensorSpecLaw, ExhaustiveSmallSets) {
  const Batch batches[] = {1, 2, 3, std::nullopt};
  Sights pairs;
  for (std::int64_t size = 0; size <= 4; ++size)
    for (const Batch& batch : batches) pairs.push_back({{size}, batch});
  std::size_t checked = 0;
  const auto check = [&](std::vector<std::size_t> order) {
    do {
      Sights sights;
      for (const std::size_t i : order) sights.push_back(pairs[i]);
      const TensorSpec left = fold(sights);
      ASSERT_NO_FATAL_FAILURE(expect_outcome(left, sights));
      TensorSpec right = spec_of(sights[0]);
      ASSERT_TRUE(right.update_shapes_seen(fold({sights.begin() + (sights.size() > 1 ? 1 : 0), sights.end()})).ok());
      ASSERT_EQ(left.to_dict(), right.to_dict()) << show(sights);
      ++checked;
    } while (std::next_permutation(order.begin(), order.end()));
  };
  for (std::size_t a = 0; a < pairs.size(); ++a) {
    ASSERT_NO_FATAL_FAILURE(check({a}));
    for (std::size_t b = a + 1; b < pairs.size(); ++b) {
      ASSERT_NO_FATAL_FAILURE(check({a, b}));
      for (std::size_t c = b + 1; c < pairs.size(); ++c) {
        ASSERT_NO_FATAL_FAILURE(check({a, b, c}));
        for (std::size_t d = c + 1; d < 12; ++d) ASSERT_NO_FATAL_FAILURE(check({a, b, c, d}));
      }
    }
  }
  EXPECT_EQ(checked, 20u + 190 * 2 + 1140 * 6 + 495 * 24);
}

TEST(TensorSpecLaw, MergeLaws) {
  Random random(5);
  SCOPED_TRACE("seed 5");
  for (std::uint64_t round = 0; round < tests::cases(500); ++round) {
    Sights sights = random_sights(random);
    const TensorSpec a = random_tree(sights, random);
    for (Sight& sight : sights)
      for (std::int64_t& size : sight.sizes)
        size = std::max<std::int64_t>(0, size - static_cast<std::int64_t>(below(random, 2)));
    const TensorSpec b = random_tree(sights, random);
    TensorSpec ab = a, ba = b, aa = a;
    const std::string b_before = b.to_dict();
    ASSERT_TRUE(ab.update_shapes_seen(b).ok() && ba.update_shapes_seen(a).ok() && aa.update_shapes_seen(aa).ok());
    EXPECT_EQ(ab.to_dict(), ba.to_dict());
    EXPECT_EQ(aa.to_dict(), a.to_dict());
    EXPECT_EQ(b.to_dict(), b_before);
    EXPECT_TRUE(ab.matches(a) && ab.matches(b));  // sound: it takes what it has seen
    EXPECT_EQ(std::hash<TensorSpec>()(ab), std::hash<TensorSpec>()(a));
  }
}

}  // namespace
}  // namespace tensorspec
