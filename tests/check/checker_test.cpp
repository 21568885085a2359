// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "support/allocation_count.hpp"
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
      {"5 | ids~ 5,1; past 5,4,12,8; mask~ 5,13", "range: ids axis 0: 5, outside 1..4 (batch); 4 would fit"},
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
            "relation: x axis 0: 7, not a multiple of 2 (2*n); 6 or 8 would fit");
  EXPECT_EQ(judged(checker_of(R"({"inputs": [{"name": "x", "shape": ["n+3"]}]})"), "- | x 2"),
            "relation: x axis 0: 2, no whole size makes it n+3; 3 would fit");
  const Checker grid = checker_of(R"j({"inputs": [{"name": "x", "shape": ["h", "w"]}],
      "outputs": [{"name": "y", "shape": ["ceil(h/32)*ceil(w/32)", "h*w/4"]}]})j");
  EXPECT_EQ(judged(grid, "- | x 33,64 | y 4,528"), "ok");
  EXPECT_EQ(judged(grid, "- | x 33,64 | y 5,528"),
            "relation: y axis 0: 5, expected 4 = ceil(h/32)*ceil(w/32) (h = 33 from x axis 0, w = 64 from x axis 1)");
  EXPECT_EQ(judged(grid, "- | x 33,65 | y 6,1"),
            "relation: y axis 1: 1, no whole size makes it h*w/4 (h = 33 from x axis 0, w = 65 from x axis 1); "
            "h = 32 or 36 would fit");
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

// Sizes that would fit keep to the stride, to the range unless only relations count, and to the rest of an expression.
TEST(Checker, TheNearestSizesThatFit) {
  const Checker checker = checker_of(R"j({"inputs": [{"name": "x", "shape": ["n"]}],
      "symbols": [{"name": "n", "min": 20, "max": 500, "multiple_of": 64, "residue": 1}]})j");
  const std::tuple<const char*, Policy, const char*> cases[] = {
      {"- | x 400", Policy::range, "stride: x axis 0: 400, not a multiple of 64 plus 1 (n); 385 or 449 would fit"},
      {"- | x 455", Policy::range, "stride: x axis 0: 455, not a multiple of 64 plus 1 (n); 449 would fit"},
      {"- | x 455", Policy::relations, "stride: x axis 0: 455, not a multiple of 64 plus 1 (n); 449 or 513 would fit"},
      {"- | x 513", Policy::range, "range: x axis 0: 513, outside 20..500 (n); 449 would fit"},
      {"- | x 1", Policy::range, "range: x axis 0: 1, outside 20..500 (n); 65 would fit"},
      {"- | x 0", Policy::relations, "stride: x axis 0: 0, not a multiple of 64 plus 1 (n); 1 would fit"},
  };
  for (const auto& [call, policy, wanted] : cases) EXPECT_EQ(judged(checker, call, policy), wanted) << call;

  const auto alone = [](const std::string& dim, const std::string& rules) {
    return checker_of(R"j({"inputs": [{"name": "x", "shape": [")j" + dim + R"j("]}], "symbols": [{"name": "n")j" +
                      rules + "}]}");
  };
  EXPECT_EQ(judged(alone("64*n", ""), "- | x 502"),
            "relation: x axis 0: 502, not a multiple of 64 (64*n); 448 or 512 would fit");
  EXPECT_EQ(judged(alone("64*n", R"(, "max": 7)"), "- | x 502"),
            "relation: x axis 0: 502, not a multiple of 64 (64*n); 448 would fit");
  EXPECT_EQ(judged(alone("6*n+4", ""), "- | x 9"),
            "relation: x axis 0: 9, not a multiple of 6 plus 4 (6*n+4); 4 or 10 would fit");
  EXPECT_EQ(judged(alone("64*n", R"(, "max": 7)"), "- | x 512"),
            "range: x axis 0: 512, so n = 8 is outside ..7; 448 would fit");
  EXPECT_EQ(judged(alone("3*n", R"(, "multiple_of": 2)"), "- | x 9"),
            "stride: x axis 0: 9, so n = 3 is not a multiple of 2; 6 or 12 would fit");
  EXPECT_EQ(judged(alone("10-n", R"(, "multiple_of": 4)"), "- | x 13"),
            "relation: x axis 0: 13, no whole size makes it 10-n; 10 would fit");
  EXPECT_EQ(judged(alone("3*n/2", ""), "- | x 7"),
            "relation: x axis 0: 7, no whole size makes it 3*n/2; 6 or 9 would fit");

  const Checker half = checker_of(R"({"inputs": [{"name": "x", "shape": ["n", "n/2"]}]})");
  EXPECT_EQ(judged(half, "- | x 7,3"),
            "relation: x axis 1: 3, no whole size makes it n/2 (n = 7 from x axis 0); n = 6 or 8 would fit");
  const Checker batch = checker_of(R"({"batch_size": "b", "inputs": [{"name": "x", "shape": [3]}],
      "symbols": [{"name": "b", "max": 8}]})");
  EXPECT_EQ(judged(batch, "9 | x 3"), "range: batch size 9, outside ..8 (b); 8 would fit");
}

TEST(Checker, WarnsWhereABoundIsBroken) {
  const Checker checker =
      checker_of(R"({"inputs": [{"name": "x", "shape": ["frames"]}, {"name": "y", "shape": ["len"]}],
      "bounds": [{"symbol": "len", "at_most": "frames", "witnesses": 30}]})");
  EXPECT_TRUE(checker.check(tests::call("- | x 9; y 9")).warnings.empty());
  const Verdict verdict = checker.check(tests::call("- | x 9; y 10"));
  EXPECT_TRUE(verdict.ok);
  ASSERT_EQ(verdict.warnings.size(), 1u);
  EXPECT_EQ(verdict.warnings[0].message, "y axis 0: 10, so len = 10 is above frames = 9, which it was in no call");
  EXPECT_EQ(verdict.warnings[0].code, Violation::Code::relation);
  EXPECT_TRUE(checker.test(tests::call("- | x 9; y 10")).warned);
}

// A contract by hand with what these calls leave behind.
Checker checker_that_saw(const std::vector<const char*>& calls, std::size_t sample, Policy strictest = Policy::seen) {
  Evidence evidence(sample);
  for (const char* text : calls) EXPECT_TRUE(evidence.add(tests::call(text)).ok());
  auto contract = Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [
      {"batch_size": "b", "inputs": [{"name": "y", "shape": ["m"]}, {"name": "x", "shape": ["b", "n"]}],
       "outputs": [{"name": "z", "shape": ["k"]}]}]})");
  Contract::Data data = contract->data();
  data.evidence = std::move(evidence);
  return Checker(Contract::make(std::move(data)).value(), strictest);
}

TEST(Checker, OnlyShapesSeen) {
  const std::vector<const char*> calls = {"- | x 1,10; y 3", "2 | x 2,10; y 3", "- | x 4,8; y 5 | z 7",
                                          "- | x 4,8; y 5 | z 8"};
  const Checker checker = checker_that_saw(calls, 16);
  const std::pair<const char*, const char*> cases[] = {
      {"- | x 1,10; y 3", "ok"},
      {"1 | y 3; x 1,10", "ok"},
      {"- | x 2,10; y 3", "ok"},
      {"- | x 1,10; y 3 | z 9", "ok"},  // outputs of these inputs were not recorded
      {"- | x 4,8; y 5", "ok"},
      {"- | x 4,8; y 5 | z 8", "ok"},
      {"- | x 4,8; y 5 | z 9", "range: y [5], x [4, 8]: seen, but with other outputs or another batch size"},
      {"- | x 1,8; y 3", "range: x [1, 8]: not a shape seen; the nearest is x [1, 10]"},
      {"- | x 4,9; y 4", "range: y [4], x [4, 9]: not a shape seen; the nearest is y [5], x [4, 8]"},
      // What is broken anyway is not told twice.
      {"3 | x 4,9; y 4", "batch: batch size 3, expected 4 = b (b = 4 from x axis 0)"},
  };
  for (const auto& [call, wanted] : cases) EXPECT_EQ(judged(checker, call, Policy::seen), wanted) << call;
  for (const char* call : calls) EXPECT_EQ(judged(checker, call, Policy::seen), "ok") << call;
  EXPECT_EQ(judged(checker, "- | x 1,8; y 3", Policy::range), "ok");
}

TEST(Checker, WhatCannotBeKnownOfShapesSeenWarns) {
  const std::vector<const char*> calls = {"- | x 1,10; y 3", "- | x 2,10; y 3", "- | x 3,10; y 3"};
  const Checker sampled = checker_that_saw(calls, 2);
  std::size_t kept = 0, warned_of = 0;
  for (const char* text : calls) {
    const Verdict verdict = sampled.check(tests::call(text), Policy::seen);
    EXPECT_TRUE(verdict.ok);
    if (verdict.warnings.empty()) {
      ++kept;
      continue;
    }
    ++warned_of;
    ASSERT_EQ(verdict.warnings.size(), 1u);
    EXPECT_EQ(verdict.warnings[0].code, Violation::Code::range);
    EXPECT_NE(verdict.warnings[0].message.find("; of the many calls seen only 2 are kept"), std::string::npos);
  }
  EXPECT_EQ(kept, 2u);
  EXPECT_EQ(warned_of, 1u);

  for (const Checker& nothing : {checker_that_saw(calls, 16, Policy::range), checker_of(kDecoder)}) {
    const char* call =
        nothing.input_slots(0).size() == 2 ? "- | x 1,10; y 3" : "- | ids~ 2,1; past 2,4,12,8; mask~ 2,13";
    const Verdict verdict = nothing.check(tests::call(call), Policy::seen);
    EXPECT_TRUE(verdict.ok);
    ASSERT_EQ(verdict.warnings.size(), 1u);
    EXPECT_EQ(verdict.warnings[0].message,
              "no calls are kept with the contract, so nobody knows whether these shapes were seen");
  }
}

TEST(Checker, NamesAreResolvedOnce) {
  const Checker checker = checker_of(kDecoder);
  using Names = std::vector<std::string_view>;
  const auto bound = checker.bind(Names{"mask", "ids", "past"}, Names{"extra"});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->variant, 0u);
  EXPECT_EQ(bound->inputs, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(bound->outputs, (std::vector<std::size_t>{1}));
  EXPECT_EQ(Names(checker.input_slots(0).begin(), checker.input_slots(0).end()), (Names{"ids", "past", "mask"}));
  EXPECT_FALSE(checker.bind(Names{"mask", "ids"}));
  EXPECT_FALSE(checker.bind(Names{"mask", "ids", "ids"}));
  EXPECT_FALSE(checker.bind(Names{"mask", "ids", "past"}, Names{"nothing"}));

  const std::int64_t ids[] = {2, 1}, past[] = {2, 4, 12, 8}, mask[] = {2, 13};
  TensorView slots[3];
  slots[bound->inputs[0]] = {mask, DType::Kind::int64};
  slots[bound->inputs[1]] = {ids, DType::Kind::int64};
  slots[bound->inputs[2]] = {past, DType::Kind::float32};
  EXPECT_TRUE(checker.test(0, {.inputs = slots}));
  EXPECT_TRUE(checker.test(0, {.inputs = slots, .batch_size = 2}));

  const Outcome wrong_batch = checker.test(0, {.inputs = slots, .batch_size = 3});
  EXPECT_FALSE(wrong_batch);
  EXPECT_EQ(wrong_batch.code, Violation::Code::batch);
  EXPECT_EQ(wrong_batch.tensor, Outcome::kNone);

  slots[0].dtype = DType::Kind::float16;
  const Outcome wrong_dtype = checker.test(0, {.inputs = slots});
  EXPECT_EQ(wrong_dtype.code, Violation::Code::dtype);
  EXPECT_EQ(wrong_dtype.tensor, 0u);
  EXPECT_EQ(wrong_dtype.axis, Outcome::kNoAxis);

  slots[0] = TensorView();
  const Outcome missing = checker.test(0, {.inputs = slots});
  EXPECT_EQ(missing.code, Violation::Code::missing_tensor);
  EXPECT_EQ(checker.explain(0, {.inputs = slots}).violations.at(0).message, "ids: missing input");

  const TensorView fewer[] = {{ids, DType::Kind::int64}};
  EXPECT_EQ(checker.explain(0, {.inputs = fewer}).violations.size(), 2u);
}

TEST(Checker, AnotherVariantWithTheSameNames) {
  const Checker checker = checker_of(R"({"inputs": [{"name": "x", "shape": ["b", 3]}]},
      {"inputs": [{"name": "x", "shape": [3]}]})");
  const std::int64_t flat[] = {3}, wide[] = {7, 3};
  const TensorView one[] = {{flat, DType::Kind::int8}}, many[] = {{wide, DType::Kind::int8}};
  for (const std::size_t variant : {0u, 1u}) {
    EXPECT_EQ(checker.test(variant, {.inputs = one}).variant, 1u);
    EXPECT_EQ(checker.test(variant, {.inputs = many}).variant, 0u);
    EXPECT_TRUE(checker.test(variant, {.inputs = one}));
    EXPECT_TRUE(checker.test(variant, {.inputs = many}));
  }
}

TEST(Checker, DtypesWithoutAKind) {
  const Checker checker = checker_of(R"({"inputs": [{"name": "x", "dtype": ["<V2", "float32"], "shape": ["n"]}]})");
  const std::int64_t sizes[] = {3};
  const auto fits = [&](DType::Kind kind, std::string_view spelling) {
    const TensorView slots[] = {{sizes, kind, spelling}};
    return checker.test(0, {.inputs = slots}).ok;
  };
  EXPECT_TRUE(fits(DType::Kind::float32, ""));
  EXPECT_TRUE(fits(DType::Kind::other, "<V2"));
  EXPECT_TRUE(fits(DType::Kind::other, ""));
  EXPECT_FALSE(fits(DType::Kind::other, "<V4"));
  EXPECT_FALSE(fits(DType::Kind::float16, ""));
}

// More tensors and symbols than the stack holds: the same answers, still without allocation.
TEST(Checker, LargeContracts) {
  std::string inputs;
  Call call;
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    inputs += (i ? "," : "") + ("{\"name\": \"x" + n + "\", \"shape\": [\"s" + n + "\", \"2*s" + n + "\"]}");
    call.inputs.push_back({"x" + n, DType(DType::Kind::int8), {i, 2 * i}});
  }
  const Checker checker = checker_of("{\"inputs\": [" + inputs + "]}");
  EXPECT_TRUE(checker.test(call));
  call.inputs[399].shape[1] += 1;
  const std::size_t before = tests::allocation_count();
  const Outcome outcome = checker.test(call);
  EXPECT_EQ(tests::allocation_count(), before);
  EXPECT_EQ(outcome.code, Violation::Code::relation);
  EXPECT_EQ(outcome.tensor, 399u);
  EXPECT_EQ(outcome.axis, 1u);
}

TEST(Checker, NothingIsAllocated) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "under a sanitizer";
  const Checker checker = checker_of(kDecoder);
  const char* texts[] = {"2 | ids~ 2,1; past 2,4,12,8; mask~ 2,13 | logits 2,1,100",
                         "- | mask~ 2,13; ids~ 2,1; past 2,4,12,8", "2 | ids~ 2,1; past 2,4,13,8; mask~ 2,12",
                         "- | ids~ 2; more 1", "- | nothing 1"};
  for (const char* text : texts) {
    const Call call = tests::call(text);
    for (const Policy policy : {Policy::relations, Policy::range, Policy::seen}) {
      const std::size_t before = tests::allocation_count();
      const Outcome outcome = checker.test(call, policy);
      EXPECT_EQ(tests::allocation_count(), before) << text;
      EXPECT_EQ(outcome.ok, checker.explain(call, policy).ok) << text;
    }
  }
  const Call good = tests::call(texts[0]);
  const std::size_t before = tests::allocation_count();
  const Verdict verdict = checker.check(good);
  EXPECT_EQ(tests::allocation_count(), before);
  EXPECT_TRUE(verdict.ok);
}

}  // namespace
}  // namespace tensorspec
