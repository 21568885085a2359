// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/learner.hpp"

#include <gtest/gtest.h>

#include "support/allocation_count.hpp"
#include "support/calls.hpp"
#include "support/random_calls.hpp"

namespace tensorspec {
namespace {

using tests::between;
using tests::Random;

// A decoder: 32 tensors of rank 4 that follow three sizes.
Call decoder_call(std::int64_t batch, std::int64_t seq, std::int64_t past) {
  Call call;
  for (int layer = 0; layer < 8; ++layer)
    for (const char* kind : {"key", "value"}) {
      const std::string name = "layers." + std::to_string(layer) + "." + kind;
      call.inputs.push_back({"past_" + name, DType(DType::Kind::float16), {batch, 8, past, 64}});
      call.outputs.push_back({"present_" + name, DType(DType::Kind::float16), {batch, 8, past + seq, 64}});
    }
  return call;
}

TEST(Learner, ObservesWithoutAllocating) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "a sanitizer brings its own operator new";
  Learner learner(256);
  Random random(1);
  const auto draw = [&] {
    return decoder_call(between(random, 1, 8), between(random, 1, 512), between(random, 0, 4096));
  };
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(learner.observe(draw()).ok());
  ASSERT_TRUE(learner.evidence().states().begin()->second.sample().saturated());

  const auto allocations = [&](const Call& call) {
    const std::size_t before = tests::allocation_count();
    EXPECT_TRUE(learner.observe(call).ok());
    return tests::allocation_count() - before;
  };
  // New sizes that keep every relation. Only a histogram that doubles may ask for memory.
  std::size_t doublings = 0;
  for (int i = 0; i < 2000; ++i) doublings += allocations(draw());
  EXPECT_LE(doublings, 4u);
  // Sizes seen: those of the sample, in no order.
  const auto& entries = learner.evidence().states().begin()->second.sample().entries();
  ASSERT_EQ(entries.size(), 256u);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& extents = entries[i * 37 % 256].key.extents;
    EXPECT_EQ(allocations(decoder_call(extents[0], extents[66] - extents[2], extents[2])), 0u);
  }
}

TEST(Learner, RowsOfColumnsAreCalls) {
  const Call like = tests::call("2 | b 2,10; a~ 2,12 | y 4");
  Learner by_row, by_call;
  const auto columns = by_row.columns_of(like);
  ASSERT_TRUE(columns.ok());
  EXPECT_TRUE(by_row.evidence().empty());  // to be told the columns is to learn nothing
  EXPECT_EQ(columns->size(), 6u);
  ASSERT_TRUE(by_row.observe(*columns, Shape{3, 11, 3, 13, 6, 3}, 5).ok());
  Call call = tests::call("3 | b 3,11; a~ 3,13 | y 6");
  call.weight = 5;
  ASSERT_TRUE(by_call.observe(call).ok());
  EXPECT_EQ(by_row.evidence(), by_call.evidence());

  EXPECT_EQ(by_row.observe(*columns, Shape{3, 11, 3, 13, 6}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(by_row.observe(Learner::Columns(), Shape{3, 11, 3, 13, 6, 3}).error().code, ErrorCode::invalid_argument);
  const auto wrong = by_row.observe(*columns, Shape{3, 11, 3, -1, 6, 3});
  EXPECT_EQ(wrong.error().code, ErrorCode::invalid_extent);
  EXPECT_EQ(wrong.error().where, "a axis 1");
  EXPECT_EQ(by_row.observe(*columns, Shape{3, 11, 3, 13, 6, 0}).error().code, ErrorCode::invalid_batch_size);
  EXPECT_EQ(by_row.observe(*columns, Shape{3, 11, 3, 13, 6, 3}, 0).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(by_row.evidence(), by_call.evidence());
}

TEST(Learner, ColumnsOutliveOtherLayoutsAndServeACopy) {
  Learner learner;
  const auto columns = learner.columns_of(tests::call("- | x 2,3"));
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(learner.observe(tests::call("- | x" + std::to_string(i) + " 2,3")).ok());
  ASSERT_TRUE(learner.observe(*columns, Shape{4, 3}).ok());
  Learner copy = learner;
  ASSERT_TRUE(copy.observe(*columns, Shape{4, 3}).ok());
  ASSERT_TRUE(learner.observe(*columns, Shape{5, 3}).ok());
  const auto calls = [](const Learner& from) {
    return from.evidence().states().at(Signature::of(tests::call("- | x 2,3"))).calls();
  };
  EXPECT_EQ(calls(copy), 2u);
  EXPECT_EQ(calls(learner), 2u);
  EXPECT_EQ(learner.evidence().states().size(), 201u);
}

TEST(Learner, AMemoryLimitThatIsTooSmallIsAnError) {
  Learner learner;
  ASSERT_TRUE(learner.limit_memory(100000).ok());
  const auto status = learner.observe(decoder_call(1, 2, 3));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::memory_limit);
  EXPECT_EQ(learner.evidence().sample_size(), Learner::kMinSampleSize);
  EXPECT_EQ(learner.evidence().calls(), 1u);
  ASSERT_TRUE(learner.limit_memory(10000000).ok());
  EXPECT_TRUE(learner.observe(decoder_call(1, 2, 4)).ok());
}

}  // namespace
}  // namespace tensorspec
