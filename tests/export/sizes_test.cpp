// SPDX-License-Identifier: Apache-2.0
#include "export/sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/calls.hpp"
#include "support/contracts.hpp"
#include "support/exports.hpp"
#include "tensorspec/checker.hpp"
#include "tensorspec/explain.hpp"
#include "tensorspec/recording.hpp"

namespace tensorspec {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// "1..4..8 3 1..2.." of the axes of the inputs; "?" is no limit.
std::string boxes(const Contract& contract, const std::vector<Profile>& profiles = {}) {
  const auto found = boxes_of(contract, contract.variants()[0], profiles);
  if (!found.ok()) return std::string(error_name(found.error().code)) + " " + found.error().where;
  std::string out;
  for (const SizeBox& box : *found) {
    out += out.empty() ? "" : " | ";
    for (const TensorSizes& tensor : box.inputs)
      for (const AxisSizes& axis : tensor) {
        if (out.ends_with("?") || (!out.empty() && out.back() >= '0' && out.back() <= '9')) out += " ";
        out += axis.fixed() ? std::to_string(axis.min)
                            : std::to_string(axis.min) + ".." + std::to_string(axis.opt) + ".." +
                                  (axis.max ? std::to_string(*axis.max) : "?");
      }
  }
  return out;
}

TEST(Sizes, OfRangesAlone) {
  const struct {
    const char *what, *contract, *expected;
  } cases[] = {
      {"the largest where no call is known", "x b,3 | | b 1..8", "1..8..8 3"},
      {"an expression has the limits of its symbols", "x s; y p+s | | s 1..512; p 0..511", "1..512..512 1..1023..1023"},
      {"a step", "x s,2*s | | s 1..30%8+4", "4..28..28 8..56..56"},
      {"no limit", "x s | | s 3..", "3..3..?"},
      {"a size that fits a quotient", "x h; y h/3 | | h 1..7", "1..3..7 1..1..2"},
      {"one size", "x s | | s 5..5", "5"},
      {"no size fits", "x h; y h/3 | | h 1..2", "export_no_sizes "},
      {"a difference is not below 0", "x a-b; y b | | a 1..9; b 4..6", "0..3..5 4..6..6"},
  };
  for (const auto& c : cases) EXPECT_EQ(boxes(tests::contract(c.contract)), c.expected) << c.what;
}

TEST(Sizes, OptIsTheCallSeenMostOften) {
  Evidence seen = tests::evidence("1 | x 1,40 / 2 | x 2,24 / 4 | x 4,24 / 2 | x 2,24 / 3 | x 3,32");
  EXPECT_EQ(boxes(*explain(seen)), "1..2..4 24..24..40");
  // A range that was narrowed leaves other calls.
  Declarations narrow;
  narrow.ranges["batch"].min = 3;
  EXPECT_EQ(boxes(*explain(seen, narrow)), "3..4..4 24..24..40");
}

TEST(Sizes, Profiles) {
  const Contract contract = tests::contract("x b,s; y p+s | | b 1..8; s 1..64%8; p 0..9");
  const auto profile = [](ProfileRange b, ProfileRange s) { return Profile{{{"b", b}, {"s", s}, {"p", {0, 1, 9}}}}; };
  EXPECT_EQ(boxes(contract, {profile({1, 2, 4}, {8, 16, 32}), profile({8, 8, 8}, {64, 64, 64})}),
            "1..2..4 8..16..32 8..17..41 | 8 64 64..65..73");
  EXPECT_EQ(boxes(contract, {profile({1, 2, 9}, {8, 16, 32})}), "1..2..9 8..16..32 8..17..41") << "8 was only seen";
  Contract::Data stated = contract.data();
  for (Symbol& symbol : stated.variants[0].symbols) symbol.declared = true;
  EXPECT_EQ(boxes(Contract::make(stated).value(), {profile({1, 2, 9}, {8, 16, 32})}), "profile_mismatch profile 0:b");
  EXPECT_EQ(boxes(contract, {profile({0, 2, 4}, {8, 16, 32})}), "profile_mismatch profile 0:b");
  EXPECT_EQ(boxes(contract, {profile({1, 5, 4}, {8, 16, 32})}), "profile_mismatch profile 0:b");
  EXPECT_EQ(boxes(contract, {profile({1, 2, 4}, {8, 12, 32})}), "profile_mismatch profile 0:s");
  EXPECT_EQ(boxes(contract, {Profile{{{"b", {1, 1, 1}}}}}), "1 8..64..64 8..73..73") << "the rest is as without it";
  Profile more = profile({1, 2, 4}, {8, 16, 32});
  more.symbols["z"] = {1, 1, 1};
  EXPECT_EQ(boxes(contract, {more}), "profile_mismatch profile 0:z");
  const Contract thirds = tests::contract("x h/3 | | h 1..9");
  EXPECT_EQ(boxes(thirds, {Profile{{{"h", {1, 2, 9}}}}}), "profile_mismatch profile 0");
}

// What engines with profiles need, on all contracts there are: min <= opt <= max, opt a call that was made, every
// corner of the recording a call that conforms.
TEST(Sizes, LawsOnEveryContract) {
  for (const auto& [name, contract] : tests::shipped_contracts()) {
    const Checker checker(contract);
    for (std::size_t i = 0; i < contract.variants().size(); ++i) {
      const Variant& variant = contract.variants()[i];
      const auto found = boxes_of(contract, variant, {});
      ASSERT_TRUE(found.ok()) << name;
      for (const TensorSizes& tensor : found->front().inputs)
        for (const AxisSizes& axis : tensor) {
          EXPECT_LE(axis.min, axis.opt) << name;
          EXPECT_LE(axis.opt, axis.max.value_or(axis.opt)) << name;
        }
      EXPECT_EQ(found->front().guessed, name == "unlimited") << name;
      const std::string lines = tests::export_text(contract, "recording", {.variant = i, .profiles = {}, .model = {}});
      std::size_t calls = 0;
      RecordingParser parser({.call =
                                  [&](const Call& call, std::uint64_t) {
                                    // The first is opt: a call that was made, where calls are known.
                                    const bool made = calls++ == 0 && contract.evidence();
                                    const Verdict verdict = checker.check(call, made ? Policy::seen : Policy::range);
                                    EXPECT_TRUE(verdict.ok) << name << ": " << to_recording_line(call);
                                  },
                              .bad = [&](const Error& error) { return ADD_FAILURE() << error.message(), false; }});
      EXPECT_TRUE(parser.feed(lines) && parser.finish());
      EXPECT_GE(calls, 1u) << name;
    }
  }
}

TEST(Exports, Refusals) {
  const Contract two = tests::contract("x b | | b 1..4 & x b; y b | | b 1..4");
  EXPECT_EQ(tests::export_text(two, "nothing").substr(0, 15), "export_unknown ");
  EXPECT_THAT(tests::export_text(two, "trtexec"), StartsWith("export_refused trtexec: calls with different inputs"));
  EXPECT_THAT(tests::export_text(two, "trtexec"), HasSubstr("--variant 0 (x), --variant 1 (x, y)"));
  EXPECT_EQ(tests::export_text(two, "trtexec", {.variant = 1, .profiles = {}, .model = {}}),
            "--minShapes=x:1,y:1\n--optShapes=x:4,y:4\n--maxShapes=x:4,y:4\n");
  EXPECT_THAT(tests::export_text(two, "trtexec", {.variant = 2, .profiles = {}, .model = {}}),
              StartsWith("invalid_argument variant 2"));
  EXPECT_THAT(tests::export_text(two, "recording", {.variant = {}, .profiles = {Profile{}}, .model = {}}),
              StartsWith("invalid_argument profiles"));
  EXPECT_THAT(tests::export_text(tests::contract("x b,s | | b 1..; s 1.."), "tensorrt"),
              testing::Eq("export_unlimited b, s: declare one, for instance with --set b=1..1024"));
  EXPECT_THAT(tests::export_text(two, "onnx"), StartsWith("invalid_argument onnx"));
}

TEST(Exports, LossesAreSaid) {
  const Contract contract =
      tests::contract("ids~ b,s; mask~ b,p+s; grid 2*h,a*h,4*h | y b | b 1..8; s 16..512%16; a 1..2; h ..9; p ..9");
  const auto notes = [&](std::string_view exporter) { return export_contract(contract, exporter, {}).value().notes; };
  EXPECT_THAT(notes("trtexec"),
              testing::ElementsAre("not said, equal axes: b on ids[0], mask[0]",
                                   "not said, multiples: grid[0] = 2*h, grid[2] = 4*h", "not said, sums: mask[1] = p+s",
                                   "not said, products: grid[1] = a*h", "not said, steps: s in steps of 16",
                                   "not said, dtypes: ids int64, mask int64, grid float32", "not said, outputs: y",
                                   "no call tells the typical sizes: the largest stand for them, where there are any"));
  EXPECT_THAT(notes("kserve"),
              testing::IsSupersetOf({"not said, smallest sizes: s from 16",
                                     "not said, largest sizes: b to 8, s to 512, a to 2, h to 9 and 1 more"}));
}

}  // namespace
}  // namespace tensorspec
