// SPDX-License-Identifier: Apache-2.0
//
// The one law of Learner: whatever way a call takes through it, the evidence is that of Evidence::add, byte for byte.
#include "tensorspec/learner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/calls.hpp"
#include "support/cases.hpp"
#include "support/random_calls.hpp"

namespace tensorspec {
namespace {

using tests::between;
using tests::Random;

// Calls that repeat one another more or less: orders, dtypes, names, presence and sizes vary now and then.
Call some_call(Random& random) {
  static const DType kDTypes[] = {DType(DType::Kind::int64), DType(DType::Kind::float16), DType(), DType::other("V2"),
                                  DType::other("V4")};
  Call call = tests::random_call(random, random() % 2 == 0 ? 3 : 40);
  if (random() % 8 == 0) std::shuffle(call.inputs.begin(), call.inputs.end(), random);
  if (random() % 8 == 0) call.inputs.push_back({"scalar", kDTypes[random() % 5], {}});
  if (random() % 8 == 0) call.inputs[0].dtype = kDTypes[random() % 5];
  if (random() % 16 == 0) call.inputs[1].name = "layers[" + std::to_string(random() % 60) + "].a_rather_long_name";
  if (random() % 16 == 0) call.outputs.push_back({"another", kDTypes[random() % 5], {2, 3}});
  if (random() % 16 == 0) call.inputs[0].shape.push_back(between(random, 0, 2));
  if (random() % 30 == 0) call.weight = UINT64_MAX - random() % 3;
  return call;
}

// Something that validate() refuses.
void spoil(Call& call, Random& random) {
  switch (random() % 5) {
    case 0: call.weight = 0; break;
    case 1: call.batch_size = random() % 2 == 0 ? 0 : kMaxExtent + 1; break;
    case 2: call.inputs[0].shape[0] = random() % 2 == 0 ? -1 : kMaxExtent + 1; break;
    case 3: call.inputs.push_back(call.inputs[0]); break;
    default: call.outputs = {{"y", DType(), Shape(65, 1)}};
  }
}

Shape row_of(const Call& call) {
  Shape row;
  for (const auto* group : {&call.inputs, &call.outputs})
    for (const TensorInfo& tensor : *group) row.insert(row.end(), tensor.shape.begin(), tensor.shape.end());
  if (call.batch_size) row.push_back(*call.batch_size);
  return row;
}

void expect_same_refusal(const Status& a, const Status& b) {
  ASSERT_FALSE(a.ok());
  ASSERT_FALSE(b.ok());
  EXPECT_EQ(a.error().message(), b.error().message());
  EXPECT_EQ(a.error().code, b.error().code);
}

TEST(LearnerLaws, EvidenceIsThatOfEveryCallAddedByItself) {
  for (std::uint64_t seed = 1; seed <= tests::cases(80); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t sample_size = seed % 2 == 0 ? 4096 : static_cast<std::size_t>(between(random, 1, 20));
    Learner learner(sample_size), other(sample_size);
    Evidence evidence(sample_size), others(sample_size);
    std::vector<Call> earlier;
    for (int i = 0; i < 400; ++i) {
      Call call = !earlier.empty() && random() % 2 == 0 ? earlier[random() % earlier.size()] : some_call(random);
      earlier.push_back(call);
      if (random() % 20 == 0) spoil(call, random);
      const auto [to, plain] = random() % 4 == 0 ? std::pair(&other, &others) : std::pair(&learner, &evidence);
      if (random() % 3 == 0) {
        Call like = call;
        like.weight = 1;
        const auto columns = to->columns_of(like);
        if (columns.ok()) {
          EXPECT_EQ(columns->size(), row_of(call).size());
          const Status seen = to->observe(*columns, row_of(call), call.weight), added = plain->add(call);
          if (!added.ok()) expect_same_refusal(seen, added);
          else EXPECT_TRUE(seen.ok());
          continue;
        }
      }
      const Status seen = to->observe(call), added = plain->add(call);
      if (!added.ok()) expect_same_refusal(seen, added);
      else EXPECT_TRUE(seen.ok());
      // Copies, moves, merges and files on the way leave no trace.
      switch (random() % 60) {
        case 0:
          ASSERT_TRUE(learner.merge(other).ok());
          ASSERT_TRUE(evidence.merge(others).ok());
          break;
        case 1: {
          Learner copy = learner;
          learner = some_call(random).ok ? copy : Learner(std::move(copy));
          break;
        }
        case 2: learner = Learner(Evidence::from_json(learner.evidence().to_json()).value()); break;
        case 3:
          ASSERT_TRUE(learner.merge(learner).ok());
          ASSERT_TRUE(evidence.merge(Evidence(evidence)).ok());
          break;
        default: break;
      }
      if (random() % 40 == 0) { EXPECT_EQ(learner.evidence(), evidence); }
    }
    EXPECT_EQ(learner.evidence(), evidence);
    EXPECT_EQ(learner.evidence().to_json(), evidence.to_json());
    EXPECT_EQ(other.evidence().to_json(), others.to_json());
  }
}

// Under a limit, the order of the calls leaves no trace either.
TEST(LearnerLaws, TheSampleThatFitsDependsOnTheCallsAlone) {
  for (std::uint64_t seed = 1; seed <= tests::cases(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Call> calls;
    for (int i = 0; i < 300; ++i) calls.push_back(tests::random_call(random, 40));
    const std::uint64_t limit = std::uint64_t{1} << between(random, 20, 25);
    const auto learn = [&] {
      Learner learner;
      bool fits = learner.limit_memory(limit).ok();
      for (const Call& call : calls) fits = learner.observe(call).ok() && fits;
      EXPECT_EQ(learner.evidence().max_bytes() <= limit, fits);
      if (!fits) { EXPECT_EQ(learner.evidence().sample_size(), Learner::kMinSampleSize); }
      return learner;
    };
    const Learner first = learn();
    Evidence plain(first.evidence().sample_size());
    for (const Call& call : calls) ASSERT_TRUE(plain.add(call).ok());
    EXPECT_EQ(first.evidence().to_json(), plain.to_json());
    std::shuffle(calls.begin(), calls.end(), random);
    EXPECT_EQ(learn().evidence().to_json(), plain.to_json());
    // The largest of the halves that fits.
    if (const std::size_t size = plain.sample_size(); size < Evidence::kDefaultSampleSize) {
      Evidence larger(2 * size);
      for (const Call& call : calls) ASSERT_TRUE(larger.add(call).ok());
      EXPECT_GT(larger.max_bytes(), limit);
    }
  }
}

}  // namespace
}  // namespace tensorspec
