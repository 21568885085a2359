// SPDX-License-Identifier: Apache-2.0
//
// What a person wrote into a contract wins over what calls teach, and where they differ it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/calls.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Contract by_hand(const std::string& variant) {
  auto contract =
      Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [)" + variant + "]}");
  EXPECT_TRUE(contract.ok()) << contract.error().message();
  return *std::move(contract);
}

const char kDecoder[] =
    R"({"inputs": [{"name": "ids", "shape": ["batch", "seq"]}, {"name": "past", "shape": ["batch", "past"]},
  {"name": "mask", "shape": ["batch", "past+seq"]}], "symbols": [{"name": "past", "min": 0, "max": 512, "multiple_of": 4}]})";

std::vector<std::string> texts(const Contract& contract) {
  std::vector<std::string> out;
  for (const Question& question : contract.variants()[0].questions) out.push_back(question.text);
  return out;
}

TEST(Declared, DimsRangesAndStepsOfAContractByHand) {
  const auto contract = explain(tests::evidence("1 | ids 1,1; past 1,8; mask 1,9 / 2 | ids 2,1; past 2,12; mask 2,13"),
                                declarations_of(by_hand(kDecoder)));
  ASSERT_TRUE(contract.ok()) << contract.error().message();
  const Variant& variant = contract->variants()[0];
  EXPECT_EQ(variant.inputs[0].shape[1].to_string(), "seq") << "although it never varied";
  EXPECT_EQ(variant.inputs[2].shape[1].to_string(), "past+seq");
  EXPECT_EQ(variant.symbol("past")->max, 512);
  EXPECT_EQ(variant.symbol("past")->multiple_of, 4);
  EXPECT_EQ(variant.symbol("seq")->max, 1);
  EXPECT_THAT(texts(*contract), IsEmpty());
  for (const Claim& claim : variant.claims) EXPECT_EQ(claim.certainty, Certainty::declared);

  // It goes through the file, and wins again.
  const auto saved = Contract::from_json(contract->to_json());
  ASSERT_TRUE(saved.ok());
  const auto again = explain(tests::evidence("1 | ids 1,3; past 1,8; mask 1,11 / 2 | ids 2,5; past 2,12; mask 2,17"),
                             declarations_of(*saved));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->variants()[0].inputs[2].shape[1].to_string(), "past+seq");
  EXPECT_EQ(again->variants()[0].symbol("past")->max, 512);
}

TEST(Declared, ConflictsAreTold) {
  const auto contract = explain(
      tests::evidence(
          "1 | ids 1,1; past 1,8; mask 1,9 / 2 | ids 2,1; past 2,13; mask 2,15 / 3 | ids 3,1; past 3,600; mask 3,601"),
      declarations_of(by_hand(kDecoder)));
  ASSERT_TRUE(contract.ok());
  EXPECT_THAT(
      texts(*contract),
      AllOf(Contains("mask[1] is declared as past+seq; 1 different call of 3 had another size (15, expected 14)"),
            Contains("the declared step of past leaves out sizes that were seen (13)"),
            Contains("the declared range of past leaves out sizes that were seen (8..600)")));
  EXPECT_EQ(contract->variants()[0].inputs[2].shape[1].to_string(), "past+seq");
}

TEST(Declared, OneNameForTwoAxesThatDiffer) {
  const auto contract = explain(
      tests::evidence("- | x 1,4; y 1,4 / - | x 2,6; y 2,7"),
      declarations_of(by_hand(
          R"({"inputs": [{"name": "x", "shape": ["batch", "len"]}, {"name": "y", "shape": ["batch", "len"]}]})")));
  ASSERT_TRUE(contract.ok());
  EXPECT_EQ(contract->variants()[0].inputs[1].shape[1].to_string(), "len");
  EXPECT_THAT(texts(*contract), Contains(HasSubstr("y[1] is declared as len; 1 different call of 2")));
}

TEST(Declared, AFixedSizeThatVaried) {
  const auto contract = explain(tests::evidence("1 | x 1,3 / 2 | x 2,4"),
                                declarations_of(by_hand(R"({"inputs": [{"name": "x", "shape": ["batch", 3]}]})")));
  ASSERT_TRUE(contract.ok());
  EXPECT_EQ(contract->variants()[0].inputs[0].shape[1].to_string(), "3");
  EXPECT_THAT(texts(*contract), Contains(HasSubstr("x[1] is declared as 3; 1 different call of 2")));
}

// A range that the calls do not give was edited, also when nobody marked it.
TEST(Declared, EditsInTheFileOfALearnedContract) {
  const Evidence evidence = tests::evidence("1 | x 1,8 / 2 | x 2,24 / 3 | x 3,16");
  Contract::Data data = explain(evidence)->data();
  data.variants[0].symbols[1].max = 64;
  data.variants[0].symbols[1].multiple_of = 16;
  const auto edited = Contract::make(data);
  ASSERT_TRUE(edited.ok());
  const auto contract = explain(evidence, declarations_of(*edited));
  ASSERT_TRUE(contract.ok());
  const Symbol& symbol = contract->variants()[0].symbols[1];
  EXPECT_EQ(symbol.max, 64);
  EXPECT_EQ(symbol.multiple_of, 16);
  EXPECT_TRUE(symbol.declared);
  EXPECT_THAT(texts(*contract), Contains(HasSubstr("the declared step of s0")));
  // What nobody touched is learned anew.
  EXPECT_FALSE(contract->variants()[0].symbols[0].declared);
  EXPECT_TRUE(declarations_of(*explain(evidence)).ranges.empty());
}

Contract declared(const std::string& calls, const std::map<std::string, std::string>& dims) {
  Declarations declarations;
  for (const auto& [axis, dim] : dims) declarations.dims.emplace(axis, *Dim::parse(dim));
  auto contract = explain(tests::evidence(calls), declarations);
  EXPECT_TRUE(contract.ok()) << contract.error().message();
  return *std::move(contract);
}

// Also where the declaration takes the only axis that a symbol has.
TEST(Declared, DimsThatNoCallKeepsAreTold) {
  const std::string calls = "1 | ids 1,7; mask 1,7 / 2 | ids 2,9; mask 2,9 / 3 | ids 3,12; mask 3,12";
  const auto told = [&](const std::map<std::string, std::string>& dims) { return texts(declared(calls, dims)); };
  EXPECT_THAT(told({{"ids[1]", "s0"}, {"mask[1]", "s0+1"}}),
              Contains("mask[1] is declared as s0+1; 3 different calls of 3 had another size (7, expected 8)"));
  EXPECT_THAT(told({{"mask[1]", "2*k"}}),
              Contains("mask[1] is declared as 2*k; 2 different calls of 3 had another size (7, which is no 2*k)"));
  EXPECT_THAT(told({{"ids[0]", "2*batch"}}), Contains(HasSubstr("ids[0] is declared as 2*batch; 3 different calls")));
  EXPECT_THAT(told({{"mask[1]", "k"}, {"ids[1]", "2*k+1"}}), Contains(HasSubstr("ids[1] is declared as 2*k+1; 3")));
  EXPECT_THAT(told({{"mask[1]", "k"}, {"ids[1]", "k"}}), IsEmpty());
  const auto halves = declared("- | x 8; y 4 / - | x 6; y 3 / - | x 20; y 10", {{"x[0]", "2*k"}, {"y[0]", "k"}});
  EXPECT_THAT(texts(halves), Not(Contains(HasSubstr("declared"))));
  for (const Claim& claim : halves.variants()[0].claims) EXPECT_EQ(claim.witnesses, 3u);
}

TEST(Declared, TheBatchMayHaveAnotherName) {
  const auto contract = declared("1 | x 1,7 / 2 | x 2,9", {{"x[0]", "B"}});
  EXPECT_EQ(contract.variants()[0].inputs[0].shape[0].to_string(), "B");
  EXPECT_EQ(contract.variants()[0].batch_size->to_string(), "B");
  EXPECT_EQ(contract.variants()[0].symbols[0].source, Symbol::Source::given);
}

TEST(Declared, WhatIsNotThereIsAnError) {
  const Evidence evidence = tests::evidence("1 | x 1,7 / 2 | x 2,9");
  const auto error = [&](const Declarations& declarations) {
    return explain(evidence, declarations).error().message();
  };
  Declarations steps;
  steps.steps["s9"] = {8, 0};
  EXPECT_THAT(error(steps), HasSubstr("s9: invalid argument: no symbol has that name; there is batch, s0"));
  for (const char* const axis : {"y[1]", "x[7]", "x", "x:1", "x[]"}) {
    Declarations dims;
    dims.dims.emplace(axis, Dim::symbol("n"));
    EXPECT_THAT(error(dims), HasSubstr(std::string(axis) + ": ")) << axis;
    dims.kept.insert(axis);
    EXPECT_TRUE(explain(evidence, dims).ok()) << axis;
  }
}

TEST(Declared, NoBatchAlsoWhereCallsHaveSizes) {
  Declarations declarations;
  declarations.no_batch = true;
  const auto contract = explain(tests::evidence("1 | x 1,7 / 2 | x 2,9 / 3 | x 3,8"), declarations);
  EXPECT_EQ(contract->variants()[0].inputs[0].shape[0].to_string(), "s0");
  EXPECT_FALSE(contract->variants()[0].batch_size);
}

TEST(Declared, AStepTellsTheSizesOffIt) {
  Declarations declarations;
  declarations.steps["s0"] = {8, 0};
  const auto contract =
      explain(tests::evidence("1 | x 1,7 / 1 | x 1,9 / 1 | x 1,8 / 1 | x 1,10 / 1 | x 1,11"), declarations);
  EXPECT_THAT(texts(*contract), Contains("the declared step of s0 leaves out sizes that were seen (7, 9, 10, 1 more)"));
}

TEST(Declared, AFreeAxisIsASymbolWhateverFits) {
  Declarations declarations;
  declarations.free_axes.insert("z[0]");
  const auto contract = explain(tests::evidence("1 | x 1; z 2 / 2 | x 2; z 4 / 3 | x 3; z 6"), declarations);
  EXPECT_EQ(contract->variants()[0].inputs[1].shape[0].to_string(), "s0");
}

}  // namespace
}  // namespace tensorspec
