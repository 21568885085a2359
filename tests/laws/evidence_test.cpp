// SPDX-License-Identifier: Apache-2.0
//
// Laws of Evidence: merging is exact and does not depend on order or grouping, down to the bytes of the file.
#include "tensorspec/evidence.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/calls.hpp"
#include "support/cases.hpp"
#include "support/random_calls.hpp"

namespace tensorspec {
namespace {

using tests::between;
using tests::Random;
using tests::random_call;

Evidence evidence_of(const std::vector<Call>& calls, std::size_t sample_size) {
  Evidence evidence(sample_size);
  for (const Call& call : calls) EXPECT_TRUE(evidence.add(call).ok());
  return evidence;
}

// Merges the parts pairwise in random order until one is left.
Evidence merge_tree(std::vector<Evidence> parts, Random& random) {
  while (parts.size() > 1) {
    std::shuffle(parts.begin(), parts.end(), random);
    auto merged = Evidence::merge(parts[parts.size() - 1], parts[parts.size() - 2]);
    EXPECT_TRUE(merged.ok());
    parts.pop_back();
    parts.back() = std::move(merged).value();
  }
  return parts.front();
}

TEST(EvidenceLaws, OrderAndGroupingLeaveNoTrace) {
  for (std::uint64_t seed = 1; seed <= tests::cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    // Small samples, so that many calls leave them; large ones, so that none does.
    const std::size_t sample_size = seed % 2 == 0 ? 8 : 4096;
    std::vector<Call> calls;
    const std::int64_t count = between(random, 1, 120), most = between(random, 1, 60);
    for (std::int64_t i = 0; i < count; ++i) calls.push_back(random_call(random, most));
    const Evidence whole = evidence_of(calls, sample_size);
    std::shuffle(calls.begin(), calls.end(), random);
    EXPECT_EQ(evidence_of(calls, sample_size).to_json(), whole.to_json());
    std::vector<std::vector<Call>> parts(static_cast<std::size_t>(between(random, 1, 7)));
    for (const Call& call : calls) parts[random() % parts.size()].push_back(call);
    std::vector<Evidence> learned;
    for (const auto& part : parts) learned.push_back(evidence_of(part, sample_size));
    const Evidence merged = merge_tree(learned, random);
    EXPECT_EQ(merged.to_json(), whole.to_json());
    EXPECT_EQ(merged, whole);
    const auto read = Evidence::from_json(whole.to_json());
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(*read, whole);
    EXPECT_EQ(read->to_json(), whole.to_json());
  }
}

TEST(EvidenceLaws, MoreDistinctSizesThanAHistogramHolds) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE("seed 7");
  Random random(kSeed);
  std::vector<Call> calls;
  for (int i = 0; i < 12000; ++i)
    calls.push_back(tests::call("- | x " + std::to_string(between(random, 1, 1 << 20)) + ",3"));
  const Evidence whole = evidence_of(calls, 64);
  std::vector<Evidence> learned;
  std::shuffle(calls.begin(), calls.end(), random);
  for (std::size_t i = 0; i < 3; ++i)
    learned.push_back(evidence_of({calls.begin() + static_cast<std::ptrdiff_t>(4000 * i),
                                   calls.begin() + static_cast<std::ptrdiff_t>(4000 * (i + 1))},
                                  64));
  EXPECT_EQ(merge_tree(learned, random).to_json(), whole.to_json());
  const State& state = whole.states().begin()->second;
  EXPECT_FALSE(state.tail(0).exact());
  EXPECT_TRUE(state.sample().saturated());
}

TEST(EvidenceLaws, NothingIsLostBetweenSampleAndHistogram) {
  for (std::uint64_t seed = 1; seed <= tests::cases(20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::map<std::int64_t, std::uint64_t> wanted;
    Evidence evidence(16);
    for (int i = 0; i < 500; ++i) {
      Call call = random_call(random, 40);
      if (!call.ok || call.inputs.size() != 2) continue;
      for (const TensorInfo& tensor : call.inputs)
        if (tensor.name == "mask") wanted[tensor.shape[1]] += call.weight;
      ASSERT_TRUE(evidence.add(call).ok());
    }
    std::map<std::int64_t, std::uint64_t> got;
    for (const auto& [signature, state] : evidence.states()) {
      for (const auto& [key, count] : state.sample().entries()) got[key.extents[3]] += count;
      const SizeHistogram tail = state.tail(3);
      for (const auto& [size, count] : tail.counts()) got[size] += count;
    }
    EXPECT_EQ(got, wanted);
  }
}

TEST(EvidenceLaws, ASmallerSampleIsAsIfItHadAlwaysBeenSmall) {
  for (std::uint64_t seed = 1; seed <= tests::cases(40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Call> calls;
    const std::int64_t count = between(random, 1, 200);
    for (std::int64_t i = 0; i < count; ++i) calls.push_back(random_call(random, 30));
    const std::size_t large = seed % 2 == 0 ? 4096 : 32, small = static_cast<std::size_t>(between(random, 1, 32));
    Evidence shrunk = evidence_of(calls, large);
    shrunk.shrink_sample(small);
    EXPECT_EQ(shrunk, evidence_of(calls, small));
    EXPECT_EQ(shrunk.to_json(), evidence_of(calls, small).to_json());
    // It goes on as such.
    for (int i = 0; i < 20; ++i) {
      calls.push_back(random_call(random, 30));
      ASSERT_TRUE(shrunk.add(calls.back()).ok());
    }
    EXPECT_EQ(shrunk, evidence_of(calls, small));
  }
}

TEST(EvidenceLaws, MergingInPlaceIsMergingAndMayMeetItself) {
  Random random(5);
  std::vector<Call> calls;
  for (int i = 0; i < 300; ++i) calls.push_back(random_call(random, 20));
  Evidence evidence = evidence_of(calls, 16);
  const Evidence copy = evidence, twice = Evidence::merge(copy, copy).value();
  ASSERT_TRUE(evidence.merge(evidence).ok());
  EXPECT_EQ(evidence, twice);
  std::vector<Call> all = calls;
  all.insert(all.end(), calls.begin(), calls.end());
  EXPECT_EQ(evidence, evidence_of(all, 16));
}

TEST(EvidenceLaws, MergeOfDifferentSampleSizesIsAnError) {
  EXPECT_EQ(Evidence::merge(Evidence(4), Evidence(5)).error().code, ErrorCode::evidence_mismatch);
}

TEST(EvidenceLaws, ABadCallChangesNothing) {
  Evidence evidence;
  ASSERT_TRUE(evidence.add(tests::call("1 | x 1,2")).ok());
  const std::string before = evidence.to_json();
  EXPECT_EQ(evidence.add(tests::call("1 | x 1,2; x 3")).error().code, ErrorCode::duplicate_tensor);
  EXPECT_EQ(evidence.add(tests::call("0 | x 1,2")).error().code, ErrorCode::invalid_batch_size);
  EXPECT_EQ(evidence.to_json(), before);
}

// Any single byte of a saved file changed: an error or evidence that is still well formed; never a crash.
TEST(EvidenceLaws, DamagedFilesAreErrorsOrStillEvidence) {
  Random random(11);
  std::vector<Call> calls;
  for (int i = 0; i < 30; ++i) calls.push_back(random_call(random, 9));
  const std::string text = evidence_of(calls, 8).to_json();
  int errors = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = "0-]}\"9,"[random() % 7];
    const auto read = Evidence::from_json(damaged);
    if (!read.ok()) {
      ++errors;
      continue;
    }
    Evidence more = *read;
    EXPECT_TRUE(more.add(calls[0]).ok());
    EXPECT_TRUE(Evidence::merge(more, *read).ok());
  }
  EXPECT_GT(errors, 100);
  for (std::size_t length = 0; length < text.size(); length += 17)
    EXPECT_FALSE(Evidence::from_json(text.substr(0, length)).ok());
  EXPECT_EQ(Evidence::from_json("{}").error().code, ErrorCode::evidence_format);
}

}  // namespace
}  // namespace tensorspec
