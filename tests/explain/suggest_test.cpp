// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/suggest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "support/calls.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Contract learned(const std::string& text) {
  auto contract = explain(tests::evidence(text));
  EXPECT_TRUE(contract.ok());
  return *std::move(contract);
}

// "2 | x[2,30] y[2]" and what it decides.
std::vector<std::string> told(const std::string& text, const SizeLimits& limits = {}) {
  const auto calls = suggest(learned(text), limits);
  EXPECT_TRUE(calls.ok());
  std::vector<std::string> out;
  for (const SuggestedCall& suggested : *calls) {
    std::vector<std::string> inputs;
    for (const TensorInfo& tensor : suggested.call.inputs) inputs.push_back(tensor.name + bracketed(tensor.shape));
    const auto& batch = suggested.call.batch_size;
    out.push_back((batch ? std::to_string(*batch) : "-") + " | " + join(inputs, " ") + ": " +
                  join(suggested.decides, "; "));
  }
  return out;
}

TEST(Suggest, NothingWhereNothingIsOpen) {
  EXPECT_THAT(told("1 | x 1,5 / 2 | x 2,9 / 3 | x 3,16 / 4 | x 4,23 / 7 | x 7,30"), IsEmpty());
}

TEST(Suggest, SizesThatTellAnOutput) {
  const auto calls = told("2 | x 2,320 | y 2,40 / 6 | x 6,1603 | y 6,200");
  ASSERT_FALSE(calls.empty());
  for (const std::string& call : calls) EXPECT_THAT(call, HasSubstr("y[1] from the inputs"));
}

TEST(Suggest, AnotherBatchSize) {
  const std::string calls = "1 | ids 1,5; past 1,4,5,8; places 1,5 / 1 | ids 1,7; past 1,4,7,8; places 1,7";
  EXPECT_THAT(told(calls), Contains(testing::AllOf(HasSubstr("2 | ids[2,"), HasSubstr("past[2,"),
                                                   HasSubstr("places[2,"), HasSubstr("batch sizes other than 1"))));
  // What the model refuses is not asked again: the last kind of tensor may not follow.
  const auto next = told(calls + " / !2 | ids 2,5; past 2,4,5,8; places 2,5");
  EXPECT_THAT(next, Contains(HasSubstr("batch sizes other than 1")));
  EXPECT_THAT(next, Not(Contains(testing::AllOf(HasSubstr("ids[2,"), HasSubstr("past[2,"), HasSubstr("places[2,")))));
}

TEST(Suggest, ASizeOffTheStep) {
  const std::string calls = "1 | x 1,14 / 2 | x 2,28 / 3 | x 3,84 / 5 | x 5,56";
  const auto off = [](const std::vector<std::string>& all) {
    return std::count_if(all.begin(), all.end(),
                         [](const std::string& call) { return call.ends_with("s0 only in steps of 14"); });
  };
  EXPECT_EQ(off(told(calls)), 1);
  EXPECT_EQ(off(told(calls + " / !7 | x 7,49")), 0) << "the model minds";
  EXPECT_EQ(off(told(calls + " / 7 | x 7,49")), 0) << "the step is gone";
  const std::string wide = "1 | x 1,1400 / 2 | x 2,2800 / 3 | x 3,8400 / 5 | x 5,5600";
  const auto limited = told(wide, {{"s0", {std::nullopt, 100}}});
  EXPECT_THAT(limited, testing::Contains(testing::AllOf(testing::HasSubstr(", 99]"), testing::HasSubstr("s0 only in"))))
      << "within limits far from what was seen";
}

TEST(Suggest, AxesApartThatWereEqual) {
  const std::string square = "1 | m 1,4,4 / 2 | m 2,9,9";
  EXPECT_THAT(told(square), Contains(HasSubstr("m[2] apart from m[1]")));
  EXPECT_THAT(told(square + " / !2 | m 2,9,7"), Not(Contains(HasSubstr("apart"))));
  EXPECT_THAT(told(square + " / 3 | m 3,25,25 / 4 | m 4,36,36"), Not(Contains(HasSubstr("apart"))));
}

TEST(Suggest, FewCallsDoNotTieInputs) {
  // y = x + 3 in both calls; and with more of them the sum of two is believed, and still worth breaking once.
  EXPECT_THAT(told("1 | x 1,4; y 1,7 / 2 | x 2,10; y 2,13"), Contains(HasSubstr("other than")));
  const std::string sums = "1 | a 1,4; b 1,7; c 1,11 / 2 | a 2,10; b 2,1; c 2,11 / 3 | a 3,5; b 3,20; c 3,25";
  const auto broken = [](const std::string& call) { return call.find("other than s0+s1") != std::string::npos; };
  const auto calls = told(sums);
  EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), broken));
  const auto later = told(sums + " / !3 | a 3,5; b 3,20; c 3,26");
  EXPECT_FALSE(std::any_of(later.begin(), later.end(), broken));
}

TEST(Suggest, RivalsAreToldApart) {
  const std::string calls = "1 | x 8 | y 4 / 2 | x 20 | y 10 / 3 | x 34 | y 17 / 4 | x 50 | y 25 / 5 | x 2 | y 1";
  const auto contract = learned(calls);
  const Claim& claim = contract.variants()[0].claims.at(0);
  ASSERT_FALSE(claim.rivals.empty());
  const auto suggested = suggest(contract);
  ASSERT_FALSE(suggested->empty());
  const bool decided = std::any_of(suggested->begin(), suggested->end(), [&](const SuggestedCall& made) {
    const auto x = [&](std::string_view) { return std::optional(made.call.inputs[0].shape[0]); };
    return claim.dim.evaluate(x) != claim.rivals[0].evaluate(x);
  });
  EXPECT_TRUE(decided);
}

TEST(Suggest, KeepsToLimits) {
  const std::string calls = "1 | x 1,100 | y 4 / 2 | x 2,231 | y 9";
  const auto suggested = suggest(learned(calls), {{"s0", {150, 160}}, {"batch", {std::nullopt, 4}}});
  ASSERT_TRUE(suggested.ok());
  ASSERT_FALSE(suggested->empty());
  for (const SuggestedCall& made : *suggested) {
    EXPECT_GE(made.call.inputs[0].shape[1], 150);
    EXPECT_LE(made.call.inputs[0].shape[1], 160);
    EXPECT_GE(made.call.batch_size, 2);
    EXPECT_LE(made.call.batch_size, 4);
  }
  EXPECT_EQ(suggest(learned(calls), {{"s7", {1, 2}}}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(suggest(learned(calls), {{"s0", {3, 2}}}).error().code, ErrorCode::invalid_argument);
}

TEST(Suggest, NeverAgainWhatWasMade) {
  const std::string calls = "1 | x 1,14; y 3,14 | z 5 / 2 | x 2,28; y 3,28 | z 9";
  const Contract contract = learned(calls);
  const auto first = suggest(contract), second = suggest(contract);
  ASSERT_EQ(first->size(), second->size());
  for (std::size_t i = 0; i < first->size(); ++i) {
    EXPECT_EQ((*first)[i].call, (*second)[i].call) << "the same contract, the same calls";
    EXPECT_FALSE((*first)[i].decides.empty());
    Evidence evidence = *contract.evidence();
    Call refused = (*first)[i].call;
    refused.ok = false;
    ASSERT_TRUE(evidence.add(refused).ok());
    const auto later = suggest(*explain(evidence));
    for (const SuggestedCall& next : *later) EXPECT_NE(next.call, (*first)[i].call);
  }
}

TEST(Suggest, AContractWrittenByHandHasNothingOpen) {
  const auto contract = Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [
    {"inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", "s0"]}]}]})");
  ASSERT_TRUE(contract.ok());
  const auto calls = suggest(*contract);
  EXPECT_TRUE(calls->empty());
}

}  // namespace
}  // namespace tensorspec
