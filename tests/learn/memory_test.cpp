// SPDX-License-Identifier: Apache-2.0
//
// Memory depends on the model and not on the number of calls: what is held, counted byte by byte.
#include <gtest/gtest.h>

#include <string>

#include "support/allocation_count.hpp"
#include "support/random_calls.hpp"
#include "tensorspec/learner.hpp"
#include "tensorspec/recording.hpp"

namespace tensorspec {
namespace {

using tests::Random;

constexpr std::size_t kCalls = 1000000;

#define NEEDS_COUNTED_ALLOCATIONS() \
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "a sanitizer brings its own operator new"

// Three kinds of calls, one of them refused, with sizes that hardly ever repeat.
struct Rows {
  Learner::Columns decode, prefill, refused;
  Random random{1};

  explicit Rows(Learner& learner) {
    const DType half(DType::Kind::float16), whole(DType::Kind::int64);
    Call call;
    call.batch_size = 1;
    call.inputs = {{"ids", whole, {1, 1}}, {"cache", half, {1, 12, 1, 64}}};
    call.outputs = {{"logits", half, {1, 1, 50257}}};
    decode = learner.columns_of(call).value();
    call.inputs.pop_back();
    prefill = learner.columns_of(call).value();
    call.ok = false;
    call.outputs.clear();
    refused = learner.columns_of(call).value();
  }
  bool observe(Learner& learner) {
    const std::int64_t b = static_cast<std::int64_t>(random() % 64) + 1,
                       s = static_cast<std::int64_t>(random() % 100000),
                       past = static_cast<std::int64_t>(random() >> 20);
    switch (random() % 4) {
      case 0: return learner.observe(prefill, Shape{b, s, b, s, 50257, b}).ok();
      case 1: return learner.observe(refused, Shape{b, s, b}).ok();
      default: return learner.observe(decode, Shape{b, s, b, 12, past, 64, b, s, 50257, b}).ok();
    }
  }
};

TEST(Memory, OfAMillionCallsIsThatOfTheFirstHundredThousand) {
  NEEDS_COUNTED_ALLOCATIONS();
  tests::restart_peak();
  Learner learner;
  Rows rows(learner);
  std::size_t after_some = 0;
  for (std::size_t i = 0; i < kCalls; ++i) {
    if (i == kCalls / 10) after_some = tests::peak_bytes();
    ASSERT_TRUE(rows.observe(learner));
  }
  EXPECT_EQ(learner.evidence().calls(), kCalls);
  EXPECT_EQ(learner.evidence().states().size(), 2u);
  EXPECT_EQ(tests::peak_bytes(), after_some);
  EXPECT_LT(tests::peak_bytes(), std::size_t{4} << 20);
}

// max_bytes() is a bound on what is really held, for small samples and large ones.
TEST(Memory, IsAtMostWhatTheEvidenceSays) {
  NEEDS_COUNTED_ALLOCATIONS();
  constexpr std::size_t kBeside = 16384;  // names, layouts and the nodes of maps, which do not grow
  for (const std::size_t sample_size : {std::size_t{64}, std::size_t{1000}, std::size_t{4096}, std::size_t{20000}}) {
    SCOPED_TRACE(sample_size);
    tests::restart_peak();
    Learner learner(sample_size);
    Rows rows(learner);
    for (std::size_t i = 0; i < 5 * sample_size + 20000; ++i) ASSERT_TRUE(rows.observe(learner));
    EXPECT_LT(tests::peak_bytes(), learner.evidence().max_bytes() + kBeside);
  }
}

TEST(Memory, OfALimitedLearnerStaysBelowTheLimit) {
  NEEDS_COUNTED_ALLOCATIONS();
  for (const std::uint64_t limit : {std::uint64_t{1} << 20, std::uint64_t{2} << 20, std::uint64_t{8} << 20}) {
    SCOPED_TRACE(limit);
    tests::restart_peak();
    Learner learner;
    ASSERT_TRUE(learner.limit_memory(limit).ok());
    Rows rows(learner);
    bool fits = true;
    for (std::size_t i = 0; i < 50000 && fits; ++i) fits = rows.observe(learner);
    EXPECT_EQ(fits, limit > std::uint64_t{1} << 20);
    EXPECT_LT(tests::peak_bytes(), limit + 16384);
  }
}

TEST(Memory, OfReadingAMillionLinesIsThatOfTheLearner) {
  NEEDS_COUNTED_ALLOCATIONS();
  tests::restart_peak();
  Learner learner;
  std::uint64_t bad = 0;
  RecordingParser parser({.call = [&](const Call& call, std::uint64_t) { bad += learner.observe(call).ok() ? 0 : 1; },
                          .bad =
                              [&](const Error&) {
                                ++bad;
                                return true;
                              }});
  Random random(2);
  std::string lines;
  std::size_t after_some = 0;
  for (std::size_t i = 0; i < kCalls; ++i) {
    if (i == kCalls / 10) after_some = tests::peak_bytes();
    const std::string batch = std::to_string(random() % 64 + 1), seq = std::to_string(random() % 100000);
    lines += R"({"batch_size": )" + batch + R"(, "inputs": {"ids": {"dtype": "int64", "shape": [)" + batch + ", " +
             seq + R"(]}, "mask": {"dtype": "int64", "shape": [)" + batch + ", " + seq + "]}}}\n";
    if (lines.size() < 65536) continue;
    parser.feed(lines);
    lines.clear();
  }
  parser.feed(lines);
  parser.finish();
  EXPECT_EQ(bad, 0u);
  EXPECT_EQ(learner.evidence().calls(), kCalls);
  EXPECT_LE(tests::peak_bytes(), after_some + 65536);
  EXPECT_LT(tests::peak_bytes(), std::size_t{4} << 20);
}

}  // namespace
}  // namespace tensorspec
