// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/text.hpp"
#include "support/calls.hpp"

namespace tensorspec {
namespace {

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
    const auto contract = explain(tests::evidence(c.calls));
    ASSERT_TRUE(contract.ok()) << c.why;
    EXPECT_EQ(shapes_of(*contract), c.shapes) << c.why;
  }
}

TEST(Explain, FormsThatModelsHave) {
  const struct {
    const char *why, *calls, *shapes;
  } cases[] = {
      {"cache: a sum, whichever of the three comes first",
       "1 | a 5; b 9; c 4 / 1 | a 1; b 20; c 19 / 1 | a 7; b 7; c 0 / 1 | a 3; b 15; c 12", "a[s0] b[s0+s1] c[s1]"},
      {"special tokens: a constant more", "1 | x 2 | y 5 / 1 | x 9 | y 12 / 1 | x 30 | y 33", "x[s0] y[s0+3]"},
      {"an input is never explained by an output",
       "1 | x 16 | y 2 / 1 | x 40 | y 5 / 1 | x 72 | y 9 / 1 | x 24 | y 3 / 1 | x 96 | y 12 / 1 | x 104 | y 13",
       "x[s0] y[floor(s0/8)]"},
      {"of two inputs the latent is the symbol", "1 | x 16; y 2 / 1 | x 40; y 5 / 1 | x 72; y 9 / 1 | x 24; y 3",
       "x[8*s0] y[s0]"},
      {"flattened", "2 | x 2,3 | y 6 / 3 | x 3,7 | y 21 / 4 | x 4,5 | y 20", "x[batch,s0] y[batch*s0]"},
      {"heads and batch", "2 | x 2,3 | y 24 / 3 | x 3,7 | y 84 / 4 | x 4,5 | y 80 / 1 | x 1,9 | y 36",
       "x[batch,s0] y[4*batch*s0]"},
      {"pooling", "1 | x 9 | y 5 / 1 | x 20 | y 10 / 1 | x 33 | y 17 / 1 | x 50 | y 25 / 1 | x 71 | y 36",
       "x[s0] y[ceil(s0/2)]"},
      {"a window without padding",
       "1 | x 407 | y 1 / 1 | x 1999 | y 5 / 1 | x 2000 | y 6 / 1 | x 16000 | y 49 / 1 | x 20559 | y 63 / 1 | x 20560 "
       "| y "
       "64 / 1 | x 9999 | y 30",
       "x[s0] y[floor((s0+240)/320)-1]"},
      {"patches and a class token",
       "1 | x 32,48 | y 7 / 1 | x 64,64 | y 17 / 1 | x 100,33 | y 13 / 1 | x 81,95 | y 26 / 1 | x 48,170 | y 31",
       "x[s0,s1] y[floor(s0/16)*floor(s1/16)+1]"},
      {"a product, though a longer sum fits as well",
       "1 | x 1,6 | y 6 / 3 | x 3,6 | y 18 / 4 | x 4,6 | y 24 / 8 | x 8,5 | y 40 / 7 | x 7,6 | y 42",
       "x[batch,s0] y[batch*s0]"},
      {"padding to a multiple", "1 | x 3 | y 8 / 1 | x 16 | y 16 / 1 | x 17 | y 24 / 1 | x 40 | y 40 / 1 | x 61 | y 64",
       "x[s0] y[8*ceil(s0/8)]"},
      {"two calls do not make a rule of every line through them", "1 | x 1,10 / 2 | x 2,24", "x[batch,s0]"},
      {"frames on axis 0 twice are no batch", "- | m 4,4 / - | m 9,9", "m[s0,s0]"},
      {"the batch of a recurrent state is on axis 1", "- | x 1,5; h 2,1,8 / - | x 3,5; h 2,3,8",
       "x[batch,5] h[2,batch,8]"},
  };
  for (const auto& c : cases) {
    const auto contract = explain(tests::evidence(c.calls));
    ASSERT_TRUE(contract.ok()) << c.why;
    EXPECT_EQ(shapes_of(*contract), c.shapes) << c.why;
  }
}

// A stride is claimed once chance and round sizes are ruled out, and only told before.
TEST(Explain, StridesAreEarned) {
  const auto symbol_of = [](const char* calls) { return explain(tests::evidence(calls))->variants()[0].symbols[0]; };
  const Symbol few = symbol_of("1 | x 1,14 / 1 | x 1,28");
  EXPECT_EQ(few.multiple_of, 1);
  EXPECT_EQ(few.seen_multiple_of, 14);
  const Symbol many = symbol_of("1 | x 64 / 1 | x 320 / 1 | x 448 / 1 | x 192 / 1 | x 1024 / 1 | x 640");
  EXPECT_EQ(many.multiple_of, 64);
  EXPECT_EQ(many.seen_multiple_of, 1);
  const Symbol shifted = symbol_of("1 | x 65 / 1 | x 321 / 1 | x 449 / 1 | x 193 / 1 | x 1025 / 1 | x 641");
  EXPECT_EQ(shifted.multiple_of, 64);
  EXPECT_EQ(shifted.residue, 1);
  EXPECT_EQ(symbol_of("1 | x 5 / 1 | x 9").seen_multiple_of, 1) << "any two sizes have a step";
  // Sizes picked by doubling are multiples of the least, whatever the model takes; one between them is evidence.
  const char* doubled = "1 | x 0 / 1 | x 64 / 1 | x 128 / 1 | x 256 / 1 | x 512 / 1 | x 1024 / 1 | x 2048 / 1 | x 4096";
  EXPECT_EQ(symbol_of(doubled).multiple_of, 1);
  EXPECT_EQ(symbol_of(doubled).seen_multiple_of, 64);
  EXPECT_EQ(symbol_of((std::string(doubled) + " / 1 | x 192").c_str()).multiple_of, 64);
  // Width repeats the step of height.
  const auto image = explain(
      tests::evidence("1 | x 64,64 / 1 | x 320,64 / 1 | x 448,256 / 1 | x 192,704 / 1 | x 1024,64 / 1 | x 640,192"));
  ASSERT_EQ(image->variants()[0].symbols.size(), 2u);
  EXPECT_EQ(image->variants()[0].symbols[1].multiple_of, 64);
}

TEST(Explain, KeepsTheRivalsOfAClaim) {
  const auto contract =
      explain(tests::evidence("1 | x 8 | y 4 / 1 | x 20 | y 10 / 1 | x 34 | y 17 / 1 | x 50 | y 25 / 1 | x 2 | y 1"));
  const Variant& variant = contract->variants()[0];
  ASSERT_EQ(variant.claims.size(), 1u);
  std::vector<std::string> forms{variant.claims[0].dim.to_string()};
  for (const Dim& rival : variant.claims[0].rivals) forms.push_back(rival.to_string());
  for (const char* form : {"floor(s0/2)", "ceil(s0/2)", "s0/2"})
    EXPECT_NE(std::find(forms.begin(), forms.end(), form), forms.end()) << form;
  bool asked = false;
  for (const Question& question : variant.questions) asked = asked || question.ask == "record a call with s0 = 51";
  EXPECT_TRUE(asked) << "the size that decides is asked for";
  EXPECT_GT(*variant.claims[0].margin_bits, 0);
  EXPECT_EQ(variant.claims[0].witnesses, 5u);
}

std::vector<std::string> rivals_of(const char* calls) {
  const auto contract = explain(tests::evidence(calls));
  std::vector<std::string> out;
  for (const Dim& rival : contract->variants()[0].claims.at(0).rivals) out.push_back(rival.to_string());
  return out;
}

TEST(Explain, RivalsOfLaterStages) {
  // A multiple may be padding, as long as every size was a multiple of it.
  EXPECT_THAT(rivals_of("1 | x 4 | y 8 / 1 | x 12 | y 24 / 1 | x 40 | y 80 / 1 | x 28 | y 56"),
              testing::IsSupersetOf({"4*floor(s0/2)", "8*ceil(s0/4)"}));
  EXPECT_THAT(rivals_of("1 | x 4 | y 8 / 1 | x 13 | y 26 / 1 | x 40 | y 80 / 1 | x 27 | y 54"), testing::IsEmpty());
  // Where the step is claimed, sizes off it are refused anyway.
  EXPECT_THAT(rivals_of("1 | x 64 | y 128 / 1 | x 320 | y 640 / 1 | x 448 | y 896 / 1 | x 192 | y 384 / 1 | x 1024 | y "
                        "2048 / 1 | x 640 | y 1280"),
              testing::IsEmpty());
  // Two sizes of s0 fit some rounding of it whatever the others do: that is no evidence for one.
  EXPECT_THAT(rivals_of("1 | a 1; b 5; c 6 / 1 | a 4; b 9; c 13 / 1 | a 1; b 20; c 21 / 1 | a 4; b 31; c 35 / 1 | a 1; "
                        "b 17; c 18"),
              testing::Not(testing::Contains(testing::HasSubstr("/"))));
}

// At three heights a was twice b; that both follow from the height is not ruled out by that.
TEST(Explain, AnOutputOfAnotherOutputMayFollowFromTheInputs) {
  const char* calls = "1 | h 210 | a 14; b 7 / 2 | h 788 | a 50; b 25 / 4 | h 500 | a 32; b 16";
  EXPECT_EQ(shapes_of(*explain(tests::evidence(calls))), "h[s0] a[2*s1] b[s1]");
  EXPECT_THAT(rivals_of(calls), testing::Contains("ceil(s0/16)"));
}

// A window of 7 over patches of 4: no multiple of 4 tells floor((h+24)/28) from ceil(h/28).
TEST(Explain, OffsetsOfGridsAreRivals) {
  std::string calls;
  for (const auto& [h, w] :
       {std::pair(132, 332), {376, 148}, {200, 280}, {308, 256}, {340, 172}, {164, 220}, {228, 304}})
    calls += (calls.empty() ? "" : " / ") + ("1 | x " + std::to_string(h) + "," + std::to_string(w) + " | y " +
                                             std::to_string(((h / 4 + 6) / 7) * ((w / 4 + 6) / 7)));
  const auto contract = explain(tests::evidence(calls.c_str()));
  EXPECT_EQ(shapes_of(*contract), "x[s0,s1] y[ceil(s0/28)*ceil(s1/28)]");
  EXPECT_THAT(rivals_of(calls.c_str()), testing::Contains("floor((s0+24)/28)*floor((s1+24)/28)"));
}

TEST(Explain, EveryRivalIsKept) {
  // Few widths leave many windows possible: each of them may be the right one.
  const std::vector<std::string> rivals =
      rivals_of("1 | w 17 | t 2 / 1 | w 25 | t 3 / 1 | w 34 | t 4 / 1 | w 50 | t 6 / 1 | w 90 | t 11");
  EXPECT_GT(rivals.size(), 8u);
  EXPECT_EQ(std::set(rivals.begin(), rivals.end()).size(), rivals.size());
}

TEST(Explain, ASymbolThatIsNeverAboveAnother) {
  const auto bounds_of = [](std::size_t calls, bool once_above) {
    Evidence evidence;
    std::mt19937_64 random(7);
    for (std::size_t i = 0; i < calls; ++i) {
      const auto frames = static_cast<std::int64_t>(random() % 90 + 10);
      auto length = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(frames) + 1);
      if (once_above && i == 3) length = frames + 1;
      EXPECT_TRUE(evidence.add(tests::call("1 | x " + std::to_string(frames) + "; y " + std::to_string(length))).ok());
    }
    std::vector<std::string> out;
    const auto contract = explain(evidence);
    for (const Bound& bound : contract->variants()[0].bounds) {
      EXPECT_GT(bound.witnesses, 16u);
      out.push_back(bound.symbol + " <= " + bound.at_most);
    }
    return out;
  };
  EXPECT_THAT(bounds_of(60, false), testing::ElementsAre("s1 <= s0"));
  EXPECT_THAT(bounds_of(60, true), testing::IsEmpty());
  EXPECT_THAT(bounds_of(12, false), testing::IsEmpty()) << "each call halves the chance; twelve are too few";
}

TEST(Explain, SaysWhatIsNotKnown) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 | x 1,5", "calls of one size say nothing about what varies"},
      {"1 | x 1,5 / 1 | x 1,6", "only batch size 1 was seen"},
      {"- | x 1,5 / - | x 1,8", "x[0] was always 1 (batch?)"},
      {"1 | x 1,5 | y 9 / 2 | x 2,8 | y 3 / 3 | x 3,7 | y 4", "y[0] is not explained by the inputs (3 sizes)"},
      {"1 | x 1; z 2 / 2 | x 2; z 4", "z[0] was 2*batch at two batch sizes only"},
  };
  for (const auto& [calls, text] : cases) {
    const auto contract = explain(tests::evidence(calls));
    ASSERT_TRUE(contract.ok());
    ASSERT_FALSE(contract->variants()[0].questions.empty()) << calls;
    EXPECT_EQ(contract->variants()[0].questions[0].text, text);
    EXPECT_FALSE(contract->variants()[0].questions[0].ask.empty());
  }
  const auto sure = explain(tests::evidence("1 | x 1; z 2 / 2 | x 2; z 4 / 3 | x 3; z 6"));
  EXPECT_TRUE(sure->variants()[0].questions.empty());
  EXPECT_EQ(sure->variants()[0].claims[0].certainty, Certainty::believed);
}

TEST(Explain, NoAxisIsTheBatchWhenAPersonSaysSo) {
  Declarations declared;
  declared.no_batch = true;
  for (const auto& [calls, shapes] :
       {std::pair("- | x 4,10 / - | x 5,20", "x[s0,s1]"), {"- | x 1,10 / - | x 1,20", "x[1,s0]"}}) {
    const auto contract = explain(tests::evidence(calls), declared);
    ASSERT_TRUE(contract.ok());
    EXPECT_EQ(shapes_of(*contract), shapes);
    for (const Question& question : contract->variants()[0].questions)
      EXPECT_EQ(question.text.find("batch"), std::string::npos) << question.text;
    // It is kept for the next time.
    const auto again = Contract::from_json(contract->to_json());
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(declarations_of(*again).no_batch);
  }
  EXPECT_EQ(shapes_of(*explain(tests::evidence("2 | x 2,10 / 3 | x 3,20"), declared)), "x[s0,s1]")
      << "also of sizes given";
  EXPECT_FALSE(
      Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "batch": 1, "variants": []})").ok());
}

TEST(Explain, ABatchIsNotPooled) {
  const auto audio = explain(tests::evidence(
      "- | audio 16000 | y 160,4 / - | audio 8123 | y 81,4 / - | audio 4000 | y 40,4 / - | audio 9999 | y 99,4"));
  EXPECT_EQ(shapes_of(*audio), "audio[s0] y[floor(s0/100),4]");
  const auto ids = explain(tests::evidence("- | ids 3 | y 3,8 / - | ids 5 | y 5,8 / - | ids 9 | y 9,8"));
  EXPECT_EQ(shapes_of(*ids), "ids[batch] y[batch,8]");
  ASSERT_FALSE(ids->variants()[0].questions.empty());
  EXPECT_EQ(ids->variants()[0].questions[0].text, "ids[0] may be a length instead of the batch");
  const auto rows = explain(tests::evidence("- | x 3,4; ids 3 / - | x 5,4; ids 5 / - | x 9,4; ids 9"));
  for (const Question& question : rows->variants()[0].questions)
    EXPECT_EQ(question.text.find("may be a length"), std::string::npos) << question.text;
}

TEST(Explain, AFactorThatNeverChangedIsNoRival) {
  const auto contract =
      explain(tests::evidence("3 | x 3,21 | y 3,11 / 1 | x 1,47 | y 1,24 / 5 | x 5,33 | y 5,17 / 2 | x 2,90 | y 2,45 / "
                              "4 | x 4,61 | y 4,31 / 1 | x 1,28 | y 1,14"));
  EXPECT_EQ(shapes_of(*contract), "x[batch,s0] y[batch,ceil(s0/2)]");
  for (const Claim& claim : contract->variants()[0].claims)
    for (const Dim& rival : claim.rivals)
      EXPECT_EQ(rival.to_string().find("(batch"), std::string::npos) << rival.to_string();
}

TEST(Explain, WhatAPersonStatesWins) {
  const Evidence evidence = tests::evidence("- | x 4,10 / - | x 4,20 / - | x 5,30");
  Declarations declared;
  declared.batch = Declarations::Axis{"x", 1, false};
  declared.names["s0"] = "frames";
  declared.ranges["frames"] = {1, 64, false};
  declared.ranges["batch"] = {1, 16, false, 8};
  const auto contract = explain(evidence, declared);
  ASSERT_TRUE(contract.ok()) << contract.error().message();
  EXPECT_EQ(shapes_of(*contract), "x[frames,batch]");
  const Variant& variant = contract->variants()[0];
  EXPECT_EQ(variant.symbol("frames")->max, 64);
  EXPECT_TRUE(variant.symbol("frames")->declared);
  EXPECT_EQ(variant.symbol("batch")->source, Symbol::Source::declared);
  EXPECT_EQ(variant.symbol("batch")->typical, 8);
  ASSERT_FALSE(variant.questions.empty()) << "the conflict with the sizes seen is told";
  EXPECT_NE(variant.questions.back().text.find("10..30"), std::string::npos);

  // It is kept for the next time, and what is gone then is no error.
  const Declarations kept = declarations_of(*contract);
  const auto again = explain(evidence, kept);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->variants()[0].symbol("frames")->max, 64);
  EXPECT_EQ(again->variants()[0].symbol("batch")->typical, 8);
  EXPECT_TRUE(explain(tests::evidence("- | z 1"), kept).ok());

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
