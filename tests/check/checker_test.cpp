// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <gtest/gtest.h>

#include "support/calls.hpp"

namespace tensorspec {
namespace {

Checker checker_of(const std::string& variants) {
  const auto contract =
      Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [)" + variants + "]}");
  EXPECT_TRUE(contract.ok()) << contract.error().message();
  return Checker(*contract);
}

const char kDecoder[] = R"({"batch_size": "batch",
  "inputs": [{"name": "ids", "dtype": "int64", "shape": ["batch", "seq"]},
             {"name": "past", "dtype": "float32", "shape": ["batch", 4, "past", 8]},
             {"name": "mask", "dtype": "int64", "shape": ["batch", "past+seq"]}],
  "outputs": [{"name": "logits", "dtype": "float32", "shape": ["batch", "seq", 100]},
              {"name": "extra", "shape": ["2*batch"], "optional": true}],
  "symbols": [{"name": "batch", "min": 1, "max": 4}, {"name": "seq", "min": 1, "max": 64},
              {"name": "past", "min": 0, "max": 64, "multiple_of": 4}]})";

// The codes and messages of one call, or "ok".
std::string judged(const Checker& checker, const std::string& text, Policy policy = Policy::range) {
  const Verdict verdict = checker.check(tests::call(text), policy);
  EXPECT_EQ(verdict.ok, verdict.violations.empty());
  std::string out;
  for (const Violation& violation : verdict.violations)
    out += (out.empty() ? "" : " / ") + std::string(to_string(violation.code)) + ": " + violation.message;
  return out.empty() ? "ok" : out;
}

TEST(Checker, SaysWhatIsWrongInOneLine) {
  const Checker checker = checker_of(kDecoder);
  const std::pair<const char*, const char*> cases[] = {
      {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,13 | logits 2,1,100", "ok"},
      {"- | ids~ 2,1; past 2,4,12,8; mask~ 2,13", "ok"},
      {"- | mask~ 1,5; ids~ 1,5; past 1,4,0,8", "ok"},
      {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,12",
       "relation: mask axis 1: 12, expected 13 = past+seq (past = 12 from past axis 2, seq = 1 from ids axis 1)"},
      {"2 | ids~ 2,1; past 2,5,12,8; mask~ 2,13", "static: past axis 1: 5, expected 4"},
      {"2 | ids~ 3,1; past 2,4,12,8; mask~ 2,13",
       "relation: ids axis 0: 3, expected 2 = batch (batch = 2 from past axis 0)"},
      {"3 | ids~ 2,1; past 2,4,12,8; mask~ 2,13",
       "batch: batch size 3, expected 2 = batch (batch = 2 from ids axis 0)"},
      {"2 | ids~ 2,1; past 2,4,13,8; mask~ 2,14",
       "stride: past axis 2: 13, not a multiple of 4 (past); 12 or 16 would fit"},
      {"5 | ids~ 5,1; past 5,4,12,8; mask~ 5,13", "range: ids axis 0: 5, outside 1..4 (batch)"},
      {"2 | ids 2,1; past 2,4,12,8; mask~ 2,13", "dtype: ids: float32, expected int64"},
      {"2 | ids~ 2,1; past 2,4,12,8", "missing_tensor: mask: missing input"},
      {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,13; more 1", "unexpected_tensor: more: unexpected input"},
      {"2 | ids~ 2; past 2,4,12,8; mask~ 2,13", "rank: ids: rank 1 [2], expected rank 2"},
      {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,13 | wrong 1",
       "missing_tensor: logits: missing output / unexpected_tensor: wrong: unexpected output"},
      {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,13 | logits 2,1,100; extra 5",
       "relation: extra axis 0: 5, expected 4 = 2*batch (batch = 2 from ids axis 0)"},
      {"1 | pixels 1,3,8,8", "unknown_variant: no variant has any of the inputs (pixels)"},
  };
  for (const auto& [call, wanted] : cases) EXPECT_EQ(judged(checker, call), wanted) << call;
}

TEST(Checker, RelationsAloneLetSizesOutsideTheRangePass) {
  const Checker checker = checker_of(kDecoder);
  const char* call = "9 | ids~ 9,100; past 9,4,400,8; mask~ 9,500";
  EXPECT_EQ(judged(checker, call, Policy::relations), "ok");
  EXPECT_NE(judged(checker, call, Policy::range), "ok");
}

TEST(Checker, ExpressionsThatBindTheirSymbols) {
  const Checker doubled = checker_of(R"({"inputs": [{"name": "x", "shape": ["2*n", "n+3"]}]})");
  EXPECT_EQ(judged(doubled, "- | x 8,7"), "ok");
  EXPECT_EQ(judged(doubled, "- | x 8,8"), "relation: x axis 1: 8, expected 7 = n+3 (n = 4 from x axis 0)");
  EXPECT_EQ(judged(checker_of(R"({"inputs": [{"name": "x", "shape": ["2*n"]}]})"), "- | x 7"),
            "relation: x axis 0: 7, no whole size makes it 2*n");
  EXPECT_EQ(judged(checker_of(R"({"inputs": [{"name": "x", "shape": ["n+3"]}]})"), "- | x 2"),
            "relation: x axis 0: 2, no whole size makes it n+3");
  const Checker grid = checker_of(R"j({"inputs": [{"name": "x", "shape": ["h", "w"]}],
      "outputs": [{"name": "y", "shape": ["ceil(h/32)*ceil(w/32)", "h*w/4"]}]})j");
  EXPECT_EQ(judged(grid, "- | x 33,64 | y 4,528"), "ok");
  EXPECT_EQ(judged(grid, "- | x 33,64 | y 5,528"),
            "relation: y axis 0: 5, expected 4 = ceil(h/32)*ceil(w/32) (h = 33 from x axis 0, w = 64 from x axis 1)");
  EXPECT_EQ(judged(grid, "- | x 33,65 | y 6,1"),
            "relation: y axis 1: 1, no whole size makes it h*w/4 (h = 33 from x axis 0, w = 65 from x axis 1)");
  // What no axis binds cannot be judged, and is not.
  EXPECT_EQ(judged(checker_of(R"({"inputs": [{"name": "x", "shape": ["a*b"]}]})"), "- | x 7"), "ok");
}

// What is not sure warns: codes and messages of the warnings of a call that passes.
std::string warned(const Checker& checker, const std::string& text) {
  const Verdict verdict = checker.check(tests::call(text));
  EXPECT_TRUE(verdict.ok) << text;
  std::string out;
  for (const Violation& warning : verdict.warnings)
    out += (out.empty() ? "" : " / ") + std::string(to_string(warning.code)) + ": " + warning.message;
  return out.empty() ? "nothing" : out;
}

TEST(Checker, WhatIsNotSureWarns) {
  const Checker weak = checker_of(R"j({"batch_size": "batch",
      "inputs": [{"name": "x", "shape": ["batch"]}, {"name": "y", "shape": ["2*batch"]}, {"name": "z", "shape": ["2*batch"]}],
      "claims": [{"tensor": "y", "axis": 0, "dim": "2*batch", "certainty": "weak"},
                 {"tensor": "z", "axis": 0, "dim": "2*batch", "certainty": "weak"}]})j");
  EXPECT_EQ(warned(weak, "3 | x 3; y 6; z 6"), "nothing");
  EXPECT_EQ(warned(weak, "3 | x 3; y 4; z 4"),
            "relation: y axis 0: 4, expected 6 = 2*batch (batch = 3 from x axis 0); the claim is weak / "
            "relation: z axis 0: 4, expected 6 = 2*batch (batch = 3 from x axis 0); the claim is weak");
  // That the two are equal is no weak claim.
  EXPECT_EQ(judged(weak, "3 | x 3; y 4; z 6"), "relation: z axis 0: 6, expected 4, as y axis 0");

  const Checker rivals =
      checker_of(R"j({"inputs": [{"name": "x", "shape": ["h"]}], "outputs": [{"name": "y", "shape": ["floor(h/2)"]}],
      "claims": [{"output": true, "tensor": "y", "axis": 0, "dim": "floor(h/2)", "rivals": ["ceil(h/2)"]}]})j");
  EXPECT_EQ(warned(rivals, "- | x 9 | y 4"), "nothing");
  EXPECT_EQ(warned(rivals, "- | x 9 | y 5"),
            "relation: y axis 0: 5, expected 4 = floor(h/2) (h = 9 from x axis 0); it may be ceil(h/2)");
  EXPECT_EQ(judged(rivals, "- | x 9 | y 6"), "relation: y axis 0: 6, expected 4 = floor(h/2) (h = 9 from x axis 0)");

  const Checker stride = checker_of(R"j({"inputs": [{"name": "x", "shape": ["h"]}],
      "symbols": [{"name": "h", "seen_multiple_of": 14}]})j");
  EXPECT_EQ(warned(stride, "- | x 28"), "nothing");
  EXPECT_EQ(warned(stride, "- | x 30"),
            "stride: x axis 0: 30, not a multiple of 14 (h); 28 or 42 would fit; all sizes seen were, but that is not "
            "claimed");
}

TEST(Checker, TheNearestVariantIsTheOneReported) {
  const Checker checker = checker_of(R"({"inputs": [{"name": "a", "shape": [1]}]},
      {"inputs": [{"name": "a", "shape": [1]}, {"name": "b", "shape": [2]}, {"name": "c", "shape": [3]}]})");
  EXPECT_EQ(checker.check(tests::call("- | a 1")).variant, 0u);
  EXPECT_EQ(checker.check(tests::call("- | a 1; b 2; c 3")).variant, 1u);
  const Verdict verdict = checker.check(tests::call("- | a 1; c 3"));
  EXPECT_EQ(verdict.variant, 1u);
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].tensor, "b");
  EXPECT_EQ(verdict.violations[0].code, Violation::Code::missing_tensor);
}

TEST(Checker, AnOutputSeenWithSeveralRanks) {
  const Checker checker = checker_of(R"({"inputs": [{"name": "x", "shape": ["n"]}],
      "outputs": [{"name": "y", "shape": ["n"], "optional": true}, {"name": "y", "shape": ["n", 2], "optional": true}]})");
  EXPECT_EQ(judged(checker, "- | x 3 | y 3"), "ok");
  EXPECT_EQ(judged(checker, "- | x 3 | y 3,2"), "ok");
  EXPECT_EQ(judged(checker, "- | x 3 | y 3,2,1"), "rank: y: rank 3 [3, 2, 1], expected rank 1");
}

}  // namespace
}  // namespace tensorspec
