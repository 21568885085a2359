// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/calls.hpp"
#include "support/contracts.hpp"
#include "tensorspec/explain.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Workload load_of(std::vector<std::string> names, std::vector<std::int64_t> sizes,
                 std::vector<std::uint64_t> counts = {}) {
  auto load = workload_of(SizeTrace{std::move(names), std::move(sizes), std::move(counts)});
  EXPECT_TRUE(load.ok());
  return *std::move(load);
}

ErrorCode code_of(const SizeTrace& trace) {
  const auto load = workload_of(trace);
  return load.ok() ? ErrorCode{} : load.error().code;
}

Dim dim(const std::string& text) { return Dim::parse(text).value(); }

Contract learned(const std::string& calls, const Declarations& declarations = {}) {
  auto contract = explain(tests::evidence(calls), declarations);
  EXPECT_TRUE(contract.ok()) << contract.error().message();
  return *std::move(contract);
}

std::vector<std::int64_t> maxima(const Plan& plan, const std::string& symbol) {
  std::vector<std::int64_t> out;
  for (const Profile& profile : plan.profiles) out.push_back(profile.symbols.find(symbol)->second.max);
  return out;
}

TEST(Plan, OneSymbolByHand) {
  // 10 and 11 together waste 9, all else more.
  const Workload load = load_of({"seq"}, {10, 11, 20, 40}, {9, 1, 5, 5});
  const auto made = plan(load, {.k = 3});
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(maxima(*made, "seq"), ElementsAre(11, 20, 40));
  EXPECT_TRUE(made->optimal);
  EXPECT_DOUBLE_EQ(made->score.padding, 9.0 / 410);
  ASSERT_EQ(made->by_k.size(), 3U);
  EXPECT_DOUBLE_EQ(made->by_k[0].cost_per_call, 40);
  EXPECT_EQ(made->powers_of_two.profiles, 3U);  // 16, 32 and 40, which is as far as it goes
  EXPECT_EQ(plan(load, {.k = 9})->profiles.size(), 4U);
}

TEST(Plan, ProfilesLieSideBySideOrNested) {
  const Workload load = load_of({"seq"}, {8, 10, 20, 40}, {3, 9, 5, 5});
  PlanOptions options{.mode = PlanMode::profiles, .k = 2};
  auto made = plan(load, options);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->profiles[0].symbols.at("seq"), (ProfileRange{8, 10, 10}));
  EXPECT_EQ(made->profiles[1].symbols.at("seq"), (ProfileRange{11, 40, 40}));
  options.nested = true;
  made = plan(load, options);
  EXPECT_EQ(made->profiles[1].symbols.at("seq"), (ProfileRange{8, 40, 40}));
}

TEST(Plan, StepsAreKept) {
  Workload load = load_of({"seq"}, {1, 33, 40, 90}, {1, 1, 1, 1});
  ASSERT_TRUE(round_up(load, "seq", 32).ok());
  auto made = plan(load, {.mode = PlanMode::profiles, .k = 9});
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(maxima(*made, "seq"), ElementsAre(32, 64, 96));
  EXPECT_EQ(made->profiles[1].symbols.at("seq"), (ProfileRange{64, 64, 64}));
  // Odd and a multiple of 6 is nothing; 3 modulo 4 and a multiple of 3 is 3 modulo 12.
  load.symbols[0].multiple_of = 4;
  load.symbols[0].residue = 3;
  EXPECT_EQ(round_up(load, "seq", 6).error().code, ErrorCode::invalid_argument);
  ASSERT_TRUE(round_up(load, "seq", 3).ok());
  EXPECT_EQ(load.symbols[0].multiple_of, 12);
  EXPECT_EQ(load.symbols[0].residue, 3);
  EXPECT_EQ(round_up(load, "width", 3).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(round_up(load, "seq", 0).error().code, ErrorCode::invalid_argument);
}

TEST(Plan, TwoStepsAreOne) {
  for (std::int64_t step = 1; step <= 24; ++step)
    for (std::int64_t residue = 0; residue < step; ++residue)
      for (std::int64_t multiple = 1; multiple <= 24; ++multiple) {
        Workload load = load_of({"s"}, {1}, {1});
        load.symbols[0].multiple_of = step;
        load.symbols[0].residue = residue;
        std::int64_t first = 0;
        while (first < step * multiple && (first % step != residue || first % multiple != 0)) ++first;
        const bool some = first < step * multiple;
        ASSERT_EQ(round_up(load, "s", multiple).ok(), some) << step << " " << residue << " " << multiple;
        if (!some) continue;
        ASSERT_EQ(load.symbols[0].residue, first) << step << " " << residue << " " << multiple;
        ASSERT_EQ(load.symbols[0].multiple_of, std::lcm(step, multiple));
      }
  Workload load = load_of({"s"}, {1}, {1});
  load.symbols[0].multiple_of = 2147483646;
  load.symbols[0].residue = 2147483645;
  ASSERT_TRUE(round_up(load, "s", 2147483647).ok());
  EXPECT_EQ(load.symbols[0].residue % 2147483646, 2147483645);
  EXPECT_EQ(load.symbols[0].residue % 2147483647, 0);
}

TEST(Plan, ZeroOnlyWhereItWasSeen) {
  Workload load = load_of({"past"}, {5, 9});
  load.symbols[0].min = 0;
  const PlanOptions options{.mode = PlanMode::profiles, .k = 1};
  EXPECT_EQ(plan(load, options)->profiles[0].symbols.at("past").min, 1);
  load = load_of({"past"}, {0, 9});
  EXPECT_EQ(plan(load, options)->profiles[0].symbols.at("past").min, 0);
}

TEST(Plan, DeclaredSizesAreCoveredOrSaidNotToBe) {
  Declarations declarations;
  declarations.ranges["s0"] = {4, 100};
  const Contract contract = learned("-|x~ 1,8 / -|x~ 1,10 / -|x~ 1,20", declarations);
  const auto load = workload_of(contract, 0);
  ASSERT_TRUE(load.ok()) << load.error().message();
  auto made = plan(*load, {.k = 2});
  EXPECT_THAT(maxima(*made, "s0"), ElementsAre(20, 100));
  EXPECT_TRUE(made->uncovered.empty());
  made = plan(*load, {.k = 2, .seen_only = true});
  EXPECT_THAT(maxima(*made, "s0"), ElementsAre(10, 20));
  ASSERT_EQ(made->uncovered.size(), 1U);
  EXPECT_EQ(made->uncovered[0].at("s0").min, 21);
  EXPECT_EQ(made->uncovered[0].at("s0").max, 100);
  EXPECT_THAT(to_text(*made), HasSubstr("not covered  s0 21..100"));
}

TEST(Plan, EndsOfARangeNeedNotBeOnTheStep) {
  const Contract contract = tests::contract("x s | | s 1..100%32");
  const auto load = workload_of(contract, 0, SizeTrace{{"s"}, {32, 96}, {}});
  ASSERT_TRUE(load.ok());
  EXPECT_EQ(load->symbols[0].max, 96);
  EXPECT_TRUE(plan(*load, {.k = 2})->uncovered.empty());
  // A coarser step of the engine's goes beyond, since calls up to there are padded to it.
  Workload rounded = *load;
  ASSERT_TRUE(round_up(rounded, "s", 128).ok());
  const auto made = plan(rounded, {.k = 2});
  EXPECT_THAT(maxima(*made, "s"), ElementsAre(128));
  EXPECT_TRUE(made->uncovered.empty());
}

TEST(Plan, CallsOfAContractAreSolvedForSymbols) {
  // mask is past+seq; the batch comes with the calls.
  std::string calls;
  const std::int64_t sizes[][3] = {{1, 10, 0}, {2, 24, 7}, {3, 5, 32}, {4, 17, 9}, {2, 1, 41}, {5, 3, 11}};
  for (const auto& [batch, seq, past] : sizes)
    calls += (calls.empty() ? "" : " / ") + std::to_string(batch) + "|ids~ " + std::to_string(batch) + "," +
             std::to_string(seq) + ";mask~ " + std::to_string(batch) + "," + std::to_string(past + seq) + ";past " +
             std::to_string(batch) + ",4," + std::to_string(past) + ",8";
  Declarations declarations;
  declarations.names = {{"s0", "seq"}};
  const Contract contract = learned(calls, declarations);
  const auto load = workload_of(contract, 0);
  ASSERT_TRUE(load.ok()) << load.error().message();
  EXPECT_EQ(load->rows(), 6U);
  EXPECT_FALSE(load->subset);
  ASSERT_EQ(load->symbols.size(), 3U);
  // The elements of all inputs, over the symbols.
  const auto made = plan(*load, {.k = 3});
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->calls, 6U);
  EXPECT_LE(made->lower_bound, made->score.cost_per_call);
}

TEST(Plan, ASampleIsCalledOne) {
  Evidence evidence(4);
  for (std::int64_t i = 1; i <= 12; ++i)
    ASSERT_TRUE(evidence.add(tests::call("-|x~ " + std::to_string(i) + "," + std::to_string(100 - i * i % 37))).ok());
  auto contract = explain(evidence);
  ASSERT_TRUE(contract.ok());
  const auto load = workload_of(*contract, 0);
  ASSERT_TRUE(load.ok()) << load.error().message();
  EXPECT_TRUE(load->subset);
  ASSERT_EQ(load->notes.size(), 1U);
  EXPECT_THAT(load->notes[0], HasSubstr("4 different calls, 4 of 12 calls"));
  // Whatever left the sample is still covered: some corner has the largest size of both axes.
  const auto made = plan(*load, {.k = 2});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->uncovered.empty());
}

TEST(Plan, WithOneSymbolTheHistogramTellsTheRest) {
  Evidence evidence(4);
  for (std::int64_t i = 1; i <= 12; ++i) ASSERT_TRUE(evidence.add(tests::call("-|x~ 1," + std::to_string(i))).ok());
  const auto contract = explain(evidence);
  ASSERT_TRUE(contract.ok());
  const auto load = workload_of(*contract, 0);
  ASSERT_TRUE(load.ok()) << load.error().message();
  EXPECT_FALSE(load->subset);
  EXPECT_EQ(load->rows(), 12U);
}

TEST(Plan, CostsThatFallAreRefused) {
  const Workload load = load_of({"a", "b"}, {1, 1, 2, 5, 3, 2});
  const auto error = [&](const std::string& cost) {
    const auto made = plan(load, {.k = 2, .cost = dim(cost)});
    return made.ok() ? std::string() : std::string(error_name(made.error().code)) + ": " + made.error().message();
  };
  EXPECT_EQ(error("a*b"), "");
  EXPECT_EQ(error("a*a-a"), "");
  EXPECT_EQ(error("a*b/2"),
            "plan_cost: a*b/2: not a cost that a plan can make small: at a = 1, b = 1 it is negative, not "
            "whole, or does not fit in 64 bits");
  EXPECT_THAT(error("7*a-a*b"), HasSubstr("it falls from 6 at a = 1, b = 1 to 5 at b = 2"));
  EXPECT_THAT(error("a-5"), HasSubstr("negative"));
  EXPECT_THAT(error("a*c"), HasSubstr("c is no symbol here; there are a, b"));
  EXPECT_THAT(error("9223372036854775807*a"), HasSubstr("64 bits"));
  EXPECT_EQ(plan(load, {.k = 0}).error().code, ErrorCode::invalid_argument);
}

TEST(Plan, BadTraces) {
  EXPECT_EQ(code_of({{"a"}, {}, {}}), ErrorCode::nothing_found);
  EXPECT_EQ(code_of({{}, {}, {}}), ErrorCode::nothing_found);
  EXPECT_EQ(code_of({{"a", "a"}, {1, 2}, {}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({{"a b"}, {1, 2}, {}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({{"a", "b"}, {1, 2, 3}, {}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({{"a"}, {-1}, {}}), ErrorCode::invalid_extent);
  EXPECT_EQ(code_of({{"a"}, {1, 2}, {UINT64_MAX, 1}}), ErrorCode::overflow);
  EXPECT_EQ(code_of({{"a"}, {1}, {0}}), ErrorCode::nothing_found);
}

TEST(Plan, ContractsWithoutCalls) {
  const Contract contract = tests::contract("x b,s | | b 1..8; s 1..512");
  EXPECT_EQ(workload_of(contract, 0).error().code, ErrorCode::no_evidence);
  EXPECT_EQ(workload_of(tests::contract("x 2,3"), 0).error().code, ErrorCode::nothing_found);
  const SizeTrace trace{{"s", "b"}, {100, 2, 400, 1}, {}};
  const auto load = workload_of(contract, 0, trace);
  ASSERT_TRUE(load.ok());
  EXPECT_EQ(load->symbols[0].name, "b");
  EXPECT_EQ(load->row(0)[1], 400);
  const SizeTrace other{{"s", "c"}, {100, 2}, {}};
  EXPECT_EQ(workload_of(contract, 0, other).error().code, ErrorCode::invalid_argument);
}

TEST(Plan, FileIsReadBackAsALadder) {
  const auto made = plan(load_of({"a", "b"}, {1, 9, 2, 5, 3, 2, 9, 1}), {.mode = PlanMode::profiles, .k = 2});
  ASSERT_TRUE(made.ok());
  const std::string text = to_json({*made});
  EXPECT_TRUE(is_ladder(text));
  const auto ladders = parse_ladders(text);
  ASSERT_TRUE(ladders.ok()) << ladders.error().message();
  ASSERT_EQ(ladders->size(), 1U);
  EXPECT_EQ((*ladders)[0].variant, 0U);
  EXPECT_EQ((*ladders)[0].mode, PlanMode::profiles);
  EXPECT_EQ((*ladders)[0].profiles, made->profiles);
}

TEST(Plan, Ladders) {
  const auto sizes = [](const std::string& text, const std::string& symbol = "") -> std::string {
    const auto ladders = parse_ladders(text, symbol);
    if (!ladders.ok()) return ladders.error().message();
    std::string out = std::string(to_string((*ladders)[0].mode));
    for (const Profile& profile : (*ladders)[0].profiles) {
      out += ";";
      for (const auto& [name, range] : profile.symbols)
        out += " " + name + " " + std::to_string(range.min) + "/" + std::to_string(range.opt) + "/" +
               std::to_string(range.max);
    }
    return out;
  };
  EXPECT_EQ(sizes("[256, 128]", "seq"), "buckets; seq 128/128/128; seq 256/256/256");
  EXPECT_EQ(sizes("{\"seq\": [8, 9], \"b\": [1]}"), "buckets; b 1/1/1 seq 8/8/8; b 1/1/1 seq 9/9/9");
  EXPECT_EQ(sizes("{\"profiles\": [{\"s\": {\"min\": 1, \"max\": 4}}, {\"symbols\": {\"s\": 9}}]}"),
            "profiles; s 1/4/4; s 9/9/9");
  EXPECT_EQ(sizes("[{\"s\": 9}]"), "buckets; s 9/9/9");
  EXPECT_THAT(sizes("[1]"), HasSubstr("needs the name of its symbol"));
  EXPECT_THAT(sizes("{\"s\": [1.5]}"), HasSubstr("expected a size"));
  EXPECT_THAT(sizes("{\"s\": [-1]}"), HasSubstr("expected a size"));
  EXPECT_THAT(sizes("{\"s\": []}"), HasSubstr("list of sizes"));
  EXPECT_THAT(sizes("{}"), HasSubstr("expected a plan"));
  EXPECT_THAT(sizes("7"), HasSubstr("expected a plan"));
  EXPECT_THAT(sizes("{\"profiles\": [{\"s\": {\"min\": 5, \"max\": 4}}]}"), HasSubstr("min <= opt <= max"));
  EXPECT_THAT(sizes("{\"format\": \"tensorspec-plan\", \"version\": 2}"), HasSubstr("expected 1"));
  EXPECT_THAT(sizes("{\"format\": \"other\"}"), HasSubstr("tensorspec-plan"));
  // 256 * 256 combinations, of two symbols and of 18.
  std::string two = "{\"a\": [0", many;
  for (int i = 1; i < 256; ++i) two += ", " + std::to_string(i);
  two += "]";
  two += ", \"b\"" + two.substr(4);
  for (int i = 0; i < 16; ++i) many += ", \"s" + std::to_string(i) + "\": [1]";
  EXPECT_EQ((*parse_ladders(two + "}"))[0].profiles.size(), 65'536U);
  EXPECT_THAT(sizes(two + many + "}"), HasSubstr("65536 combinations of 18 symbols, more than 1048576 sizes"));
  EXPECT_EQ(parse_ladders("[1").error().code, ErrorCode::json_syntax);
  EXPECT_EQ(parse_ladders("[1]").error().code, ErrorCode::plan_format);
  EXPECT_FALSE(is_ladder(tests::contract("x b").to_json()));
  EXPECT_FALSE(is_ladder("x,y\n1,2\n"));
}

TEST(Audit, CallsOutsideByAxis) {
  const Contract contract = learned("1|x~ 1,8 / 2|x~ 2,10 / 3|x~ 3,20 / 3|x~ 3,20 / 9|x~ 9,8");
  const auto load = workload_of(contract, 0);
  ASSERT_TRUE(load.ok());
  const auto ladders = parse_ladders("{\"s0\": [10, 16], \"batch\": [4]}");
  const auto audited = audit(*load, (*ladders)[0]);
  ASSERT_TRUE(audited.ok());
  EXPECT_EQ(audited->outside, 3U);
  EXPECT_EQ(audited->outside_distinct, 2U);
  ASSERT_EQ(audited->axes.size(), 2U);
  EXPECT_EQ(audited->axes[0].symbol, "batch");
  EXPECT_EQ(audited->axes[0].at_most, 4);
  EXPECT_THAT(audited->axes[1].axes, ElementsAre("x[1]"));
  EXPECT_EQ(audited->axes[1].calls, 2U);
  EXPECT_EQ(audited->axes[1].at_most, 16);
  EXPECT_EQ(audited->example, (std::map<std::string, std::int64_t>{{"batch", 3}, {"s0", 20}}));
  // (1, 8) and (2, 10) pay 4*10 each.
  EXPECT_DOUBLE_EQ(audited->score.padding, 1 - 28.0 / 80);
  EXPECT_EQ(audited->uses[0].calls, 2U);
  EXPECT_EQ(audited->uses[1].calls, 0U);
  EXPECT_FALSE(audited->uncovered.empty());
  const std::string text = to_text(*audited, (*ladders)[0]);
  EXPECT_THAT(text, HasSubstr("3 of 5 calls (60.0 %) outside"));
  EXPECT_THAT(text, HasSubstr("s0 (x[1]): 20, at most 16"));
  EXPECT_THAT(to_text_by_profile(*audited, (*ladders)[0]), HasSubstr("batch (x[0]): 9, at most 4"));
}

TEST(Audit, ASymbolThatALadderLeavesOutIsNotPadded) {
  const Workload load = load_of({"batch", "seq"}, {3, 10, 5, 16});
  const auto ladders = parse_ladders("[16]", "seq");
  const auto audited = audit(load, (*ladders)[0]);
  ASSERT_TRUE(audited.ok());
  EXPECT_DOUBLE_EQ(audited->score.padding, 1 - 110.0 / 128);
  EXPECT_EQ(audit(load, (*parse_ladders("[16]", "width"))[0]).error().code, ErrorCode::plan_format);
  EXPECT_EQ(audit(load, (*ladders)[0], dim("seq/3")).error().code, ErrorCode::plan_cost);
}

}  // namespace
}  // namespace tensorspec
