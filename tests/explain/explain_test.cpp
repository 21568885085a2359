// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/explain.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/text.hpp"
#include "support/calls.hpp"

namespace tensorspec {
namespace {

// Calls separated by " / ".
Evidence evidence_of(const std::string& text) {
  Evidence evidence;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(" / ", begin), text.size());
    EXPECT_TRUE(evidence.add(tests::call(text.substr(begin, end - begin))).ok());
    begin = end + 3;
  }
  return evidence;
}

std::string shapes_of(const Contract& contract) {
  std::vector<std::string> variants;
  for (const Variant& variant : contract.variants()) {
    std::vector<std::string> tensors;
    for (const auto* group : {&variant.inputs, &variant.outputs})
      for (const TensorContract& tensor : *group) {
        std::vector<std::string> dims;
        for (const Dim& dim : tensor.shape) dims.push_back(dim.to_string());
        tensors.push_back(tensor.name + "[" + join(dims, ",") + "]" + (tensor.optional ? "?" : ""));
      }
    variants.push_back(join(tensors, " "));
  }
  return join(variants, " / ");
}

TEST(Explain, TablesInTheNotationOfContracts) {
  const struct {
    const char *why, *calls, *shapes;
  } cases[] = {
      {"a fixed axis stays", "1 | x 1,3 / 2 | x 2,3", "x[batch,3]"},
      {"equal axes share a symbol; behind an axis that stays 1 it is no batch", "- | x 1,5; y 5 / - | x 1,7; y 7",
       "x[1,s0] y[s0]"},
      {"twice the batch, told", "1 | x 1; z 2 / 2 | x 2; z 4 / 3 | x 3; z 6", "x[batch] z[2*batch]"},
      {"an axis that follows no batch", "1 | x 1,5 / 2 | x 2,5 / 3 | x 3,6", "x[batch,s0]"},
      {"batch on axis 1", "1 | x 2,1 / 4 | x 2,4", "x[2,batch]"},
      {"outputs share with inputs", "1 | x 1,5 | y 1,5,7 / 2 | x 2,6 | y 2,6,7", "x[batch,s0] y[batch,s0,7]"},
      {"not told: axis 0 of the inputs", "- | x 1,4; y 1 / - | x 2,8; y 2", "x[batch,s0] y[batch]"},
      {"variants by inputs", "- | x 1 / - | x 1; y 2", "x[1] / x[1] y[2]"},
      {"calls without outputs count", "1 | x 1,5 / 2 | x 2,6 | y 2,6 / 3 | x 3,7 | y 3,7", "x[batch,s0] y[batch,s0]"},
      {"an output that is not always there", "1 | x 1 | y 1; z 4 / 2 | x 2 | y 2", "x[batch] y[batch] z[4]?"},
      {"scalars have no axes", "- | s / - | s", "s[]"},
      {"sizes of 0 are sizes", "1 | x 1,0 / 2 | x 2,3", "x[batch,s0]"},
  };
  for (const auto& c : cases) {
    const auto contract = explain(evidence_of(c.calls));
    ASSERT_TRUE(contract.ok()) << c.why;
    EXPECT_EQ(shapes_of(*contract), c.shapes) << c.why;
  }
}

TEST(Explain, SaysWhatIsNotKnown) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 | x 1,5", "calls of one size say nothing about what varies"},
      {"1 | x 1,5 / 1 | x 1,6", "only batch size 1 was seen"},
      {"1 | x 1; z 2 / 2 | x 2; z 4", "z[0] was 2*batch at two batch sizes only"},
  };
  for (const auto& [calls, text] : cases) {
    const auto contract = explain(evidence_of(calls));
    ASSERT_TRUE(contract.ok());
    ASSERT_FALSE(contract->variants()[0].questions.empty()) << calls;
    EXPECT_EQ(contract->variants()[0].questions[0].text, text);
    EXPECT_FALSE(contract->variants()[0].questions[0].ask.empty());
  }
  const auto sure = explain(evidence_of("1 | x 1; z 2 / 2 | x 2; z 4 / 3 | x 3; z 6"));
  EXPECT_TRUE(sure->variants()[0].questions.empty());
  EXPECT_EQ(sure->variants()[0].claims[0].certainty, Certainty::believed);
}

TEST(Explain, WhatAPersonStatesWins) {
  const Evidence evidence = evidence_of("- | x 4,10 / - | x 4,20 / - | x 5,30");
  Declarations declared;
  declared.batch = Declarations::Axis{"x", 1, false};
  declared.names["s0"] = "frames";
  declared.ranges["frames"] = {1, 64, false};
  declared.ranges["batch"] = {1, 16, false};
  const auto contract = explain(evidence, declared);
  ASSERT_TRUE(contract.ok()) << contract.error().message();
  EXPECT_EQ(shapes_of(*contract), "x[frames,batch]");
  const Variant& variant = contract->variants()[0];
  EXPECT_EQ(variant.symbol("frames")->max, 64);
  EXPECT_TRUE(variant.symbol("frames")->declared);
  EXPECT_EQ(variant.symbol("batch")->source, Symbol::Source::declared);
  ASSERT_FALSE(variant.questions.empty()) << "the conflict with the sizes seen is told";
  EXPECT_NE(variant.questions.back().text.find("10..30"), std::string::npos);

  // It is kept for the next time, and what is gone then is no error.
  const Declarations kept = declarations_of(*contract);
  const auto again = explain(evidence, kept);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->variants()[0].symbol("frames")->max, 64);
  EXPECT_TRUE(explain(evidence_of("- | z 1"), kept).ok());

  declared.ranges["nothing"] = {1, 2, false};
  EXPECT_EQ(explain(evidence, declared).error().code, ErrorCode::invalid_argument);
  Declarations wrong;
  wrong.batch = Declarations::Axis{"x", 2, false};
  EXPECT_EQ(explain(evidence, wrong).error().code, ErrorCode::invalid_argument);
  wrong = {};
  wrong.names["s0"] = "not a name";
  EXPECT_EQ(explain(evidence, wrong).error().code, ErrorCode::invalid_argument);
  wrong = {};
  wrong.names["s9"] = "seq";
  EXPECT_EQ(explain(evidence, wrong).error().code, ErrorCode::invalid_argument);
}

TEST(Explain, NothingAcceptedIsAnError) {
  EXPECT_EQ(explain(Evidence()).error().code, ErrorCode::nothing_found);
  Evidence refused;
  Call call = tests::call("1 | x 1");
  call.ok = false;
  ASSERT_TRUE(refused.add(call).ok());
  EXPECT_EQ(explain(refused).error().code, ErrorCode::nothing_found);
}

TEST(Explain, OrderOfCallsLeavesNoTrace) {
  std::vector<Call> calls;
  for (const char* text :
       {"1 | x 1,5; m 1,9 | y 2,5", "2 | x 2,5; m 2,9 | y 4,5", "- | m 3,4; x 3,2 | y 6,2", "4 | x 4,1; m 4,8"})
    calls.push_back(tests::call(text));
  std::string first;
  std::mt19937_64 random(3);
  for (int i = 0; i < 24; ++i) {
    Evidence evidence;
    for (const Call& call : calls) ASSERT_TRUE(evidence.add(call).ok());
    const std::string text = explain(evidence)->to_json();
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
    std::shuffle(calls.begin(), calls.end(), random);
  }
}

}  // namespace
}  // namespace tensorspec
