// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/contracts.hpp"
#include "tensorspec/checker.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

// The lines that are not equal, notes included, without the counts.
std::string told(const ContractDifference& difference) {
  const std::string text = to_text(difference);
  std::string out;
  for (const std::string& line : tests::split(text.substr(text.find('\n') + 1), '\n'))
    if (!line.empty()) out += (out.empty() ? "" : " / ") + line.substr(line.find_first_not_of(' '));
  return out.empty() ? "equal" : out;
}

Change mirrored(Change change) {
  return change == Change::wider ? Change::narrower : change == Change::narrower ? Change::wider : change;
}

// A witness is accepted by the one and refused by the other.
void expect_shown(const std::optional<Witness>& witness, const Contract& by, const Contract& not_by) {
  if (!witness) return;
  const Verdict yes = Checker(by).check(witness->call), no = Checker(not_by).check(witness->call);
  EXPECT_TRUE(yes.ok) << witness->text << ": " << (yes.ok ? "" : yes.violations[0].message);
  EXPECT_FALSE(no.ok) << witness->text;
}

struct Case {
  const char *older, *newer, *wanted;
};

void expect(const Case& each) {
  SCOPED_TRACE(std::string(each.older) + "  ->  " + each.newer);
  const Contract older = tests::contract(each.older), newer = tests::contract(each.newer);
  const ContractDifference there = diff(older, newer), back = diff(newer, older);
  EXPECT_EQ(told(there), each.wanted);
  EXPECT_EQ(back.change, mirrored(there.change)) << to_text(back);
  EXPECT_EQ(told(diff(older, older)), "equal");
  EXPECT_EQ(told(diff(newer, newer)), "equal");
  for (const VariantDifference& variant : there.variants) {
    expect_shown(variant.witness, variant.older ? older : newer, variant.older ? newer : older);
    for (const Difference& row : variant.differences) {
      expect_shown(row.lost, older, newer);
      expect_shown(row.gained, newer, older);
      const bool sizes = row.what == Difference::What::axis;
      const bool lost = row.change == Change::narrower || row.change == Change::broken;
      const bool gained = row.change == Change::wider || row.change == Change::broken;
      EXPECT_TRUE(!sizes || (row.lost.has_value() == lost && row.gained.has_value() == gained));
    }
  }
}

TEST(Diff, RangesAndSteps) {
  const Case cases[] = {
      {"x b,3,48,s0 | | b 1..6; s0 320..1603", "x n,3,48,w | | n 1..6; w 320..1603", "equal"},
      {"x b,s | | b 1..6; s 320..1603", "x b,w | | b 1..6; w 320..1200",
       "x axis 1: narrower: 320..1603 -> 320..1200, for instance 1201"},
      {"x s | | s 10..99", "x s | | s 20..", "x axis 0: broken: 10..99 -> 20.., for instance 19"},
      {"x 32", "x 48", "x axis 0: broken: 32 -> 48, for instance 32"},
      {"x 32", "x s | | s 1..64", "x axis 0: wider: 32 -> 1..64, for instance 33; static in the old, s in the new"},
      {"x b,4", "x 1,4", "x axis 0: narrower: any size -> 1, for instance 2; b in the old, static in the new"},
      {"x s", "x t", "equal"},
      {"x s", "x t | | t 1..", "x axis 0: narrower: any size -> 1.., for instance 0"},
      {"x s | | s 8..64%8", "x t | | t 8..64", "x axis 0: wider: 8..64 step 8 -> 8..64, for instance 9"},
      {"x s | | s 8..64%8", "x t | | t 12..96%12", "x axis 0: broken: 8..64 step 8 -> 12..96 step 12, for instance 64"},
      {"x s | | s 3..59%8+3", "x t | | t 4..60%8+4", "x axis 0: broken: 3..59 step 8 -> 4..60 step 8, for instance 59"},
      {"x 8*s | | s 1..8", "x t | | t 8..64%8", "equal"},
      {"x 8*s+3 | | s 0..7", "x t | | t 1..60%8+3", "equal"},
      {"x h/2 | | h 2..64", "x t | | t 1..32", "equal"},
      {"x floor(t/2) | | t 2..5000", "x ceil(u/2) | | u 1..4999", "equal"},
      {"x a+b | | a 1..9; b 1..9", "x t | | t 2..18", "equal"},
      {"x a+1 | | a 0..", "x t | | t 1..", "equal"},
  };
  for (const Case& each : cases) expect(each);
}

TEST(Diff, RelationsBetweenAxes) {
  const char* decoder = "ids~ b,s; past b,p; mask~ b,p+s | | b 1..8; s 1..64; p 0..128";
  const Case cases[] = {
      {decoder, "ids~ n,q; past n,k; mask~ n,k+q | | n 1..8; q 1..64; k 0..128", "equal"},
      {decoder, "past n,k; mask~ n,k+q; ids~ n,q | | n 1..8; q 1..64; k 0..128", "equal"},
      {decoder, "ids~ n,m-k; past n,k; mask~ n,m | | n 1..8; m 1..192; k 0..128",
       "ids axis 1: wider: s (1..64) -> m-k (0..192), for instance 0"},
      {decoder, "ids~ b,q; past b,k; mask~ b,m | | b 1..8; q 1..64; k 0..128; m 1..192",
       "mask axis 1: wider: p+s -> m, for instance 1 beside ids axis 1 = 64, past axis 1 = 0"},
      {"ids~ b,q; past b,k; mask~ b,m | | b 1..8; q 1..64; k 0..128; m 1..192", decoder,
       "mask axis 1: narrower: m -> p+s, for instance 1 beside ids axis 1 = 64, past axis 1 = 0"},
      {decoder, "ids~ b,q; past b,k; mask~ b,m | | b 1..8; q 1..64; k 0..128; m 1..100",
       "mask axis 1: broken: p+s (1..192) -> m (1..100), for instance 101"},
      {decoder, "ids~ b,s; past b,p; mask~ b,p+s | | b 1..8; s 1..64; p 0..256",
       "past axis 1: wider: 0..128 -> 0..256, for instance 129 / "
       "mask axis 1: wider: p+s (1..192) -> p+s (1..320), for instance 193"},
      {decoder, "ids~ b,s; past b,p; mask~ b,p+s | | b 1..8; s 1..96; p 0..96",
       "ids axis 1: wider: 1..64 -> 1..96, for instance 65 / past axis 1: narrower: 0..128 -> 0..96, for instance 97"},
      {"x s,s | | s 1..64", "x s,t | | s 1..64; t 1..64",
       "x axis 1: wider: s -> t, for instance 1 beside x axis 0 = 64"},
      {"x s,t | | s 1..64; t 1..64", "x s,s | | s 1..64",
       "x axis 1: narrower: t -> s, for instance 1 beside x axis 0 = 64"},
      {"x s,s | | s 1..64", "x t,t | | t 1..32", "x axis 0 and 1 more: narrower: 1..64 -> 1..32, for instance 33"},
      {"x s,s | | s 1..64", "x s,t | | s 1..32; t 1..32",
       "x axis 0: narrower: 1..64 -> 1..32, for instance 33 / x axis 1: broken: 1..64 -> 1..32, for instance 33"},
      {"x s,u,u | | s 1..5000; u 1..5000", "x t,t,t | | t 1..5000",
       "x axis 1 and 1 more: narrower: u -> t, for instance 1 beside x axis 0 = 5000"},
      // Without a size in common, what follows is compared without that axis.
      {"x 32,s | | s 1..64", "x 48,s | | s 1..32",
       "x axis 0: broken: 32 -> 48, for instance 32 / x axis 1: narrower: 1..64 -> 1..32, for instance 33"},
  };
  for (const Case& each : cases) expect(each);
}

TEST(Diff, OutputsAreHeldToWhatTheInputsAre) {
  const Case cases[] = {
      {"x b,s | y b,ceil(s/2) | b 1..; s 1..", "x b,s | y b,floor((s+1)/2) | b 1..; s 1..", "equal"},
      {"x h,w | y ceil(h/8)*ceil(w/8) | h 1..; w 1..", "x h,w | y floor((h+7)/8)*floor((w+7)/8) | h 1..; w 1..",
       "equal"},
      {"x h,w | y 21*h*w/1024 | h 32..640%32; w 32..640%32", "x 32*h,32*w | y 21*h*w | h 1..20; w 1..20", "equal"},
      {"x b,s | y b*s | b 1..8; s 1..512", "x b,s | y t | b 1..8; s 1..512; t 1..4096",
       "y axis 0: wider: b*s -> t, for instance 4095"},
      {"x b,s | y b,floor((s+3)/8) | b 1..6; s 320..1603", "x b,s | y b,floor((s+4)/8) | b 1..6; s 320..1603",
       "y axis 1: broken: floor((s+3)/8) -> floor((s+4)/8), for instance 40 beside x axis 1 = 324"},
      {"x b,s | y b,s | b 1..8; s 1..4096", "x b,s | y 1,s | b 1..8; s 1..4096",
       "y axis 0: broken: 1..8 -> 1, for instance 2; b in the old, static in the new"},
      // A request that the new contract accepts and cannot answer: the output is to blame.
      {"x s | y s | s 2..9", "x s | y s/2 | s 2..9", "y axis 0: broken: s (2..9) -> s/2 (1..4), for instance 5"},
  };
  for (const Case& each : cases) expect(each);
}

TEST(Diff, TensorsAndVariants) {
  const Case cases[] = {
      {"x b", "x~ b", "x: broken: float32 -> int64, for instance float32"},
      {"x* b", "x b", "x: narrower: any -> float32, for instance float16"},
      {"x b; aux b", "x b", "aux: broken: required -> absent"},
      {"x b,1", "x b", "x: broken: rank 2 -> rank 1; is the batch an axis on one side alone?"},
      {"x b | y b; z? b", "x b | y b", "z: narrower: optional -> absent"},
      {"x b | y b; z b", "x b | y b; z? b", "z: wider: required -> optional"},
      {"x b | y? b; y? b,2", "x b | y? b,2", "y: narrower: optional -> absent"},
      {"x n | y? a; y? a,2 | n 1..9; a 1..9", "x n | y? a; y? b,2 | n 1..9; a 1..9; b 1..9", "equal"},
      {"x b | y b", "x b", "note: only the old contract speaks of outputs"},
      {"x b & x b; p c", "x b", "variant 1 (x, p): narrower: only in the old contract"},
      {"x b", "x b; p c & x b", "variant 0 (x, p): wider: only in the new contract"},
      {"x b", "z b",
       "variant 0 (x): narrower: only in the old contract / variant 0 (z): wider: only in the new contract"},
      {"x b & x b; p c", "x b; p c; m c & x b", "variant 1 -> 0 (x, p) / m: broken: absent -> required"},
  };
  for (const Case& each : cases) expect(each);
  EXPECT_EQ(diff(tests::contract("x b & x b; p c"), tests::contract("x b; p c & x b")).change, Change::equal);
}

TEST(Diff, TheBatchSizeGivenWithACall) {
  const Case cases[] = {
      {"x b | | b 1..4; batch=b", "x n | | n 1..4; batch=n", "equal"},
      {"x b | | b 1..4; batch=b", "x b | | b 1..4; batch=2*b",
       "batch size: broken: b (1..4) -> 2*b (2..8 step 2), for instance 1"},
      {"x b | | b 1..4; batch=b", "x b | | b 1..4; c 1..4; batch=c",
       "batch size: wider: b -> c, for instance 1 beside x axis 0 = 4"},
      {"x b | | b 1..4; batch=b", "x b | | b 1..4",
       "note: only the old contract speaks of the batch size given with a call"},
  };
  for (const Case& each : cases) expect(each);
}

TEST(Diff, WhatIsNotFoundOutIsSaid) {
  const char* ceiling = "x h,w | y ceil(h*w/97) | h 1..4000; w 1..4000";
  const char* floor = "x h,w | y floor((h*w+96)/97) | h 1..4000; w 1..4000";
  const ContractDifference difference = diff(tests::contract(ceiling), tests::contract(floor));
  EXPECT_EQ(to_text(difference),
            "equal: 2 axes; not proved: 1 axis\n\n"
            "y axis 0: no difference found: ceil(h*w/97) -> floor((h*w+96)/97) (not proved)\n");
  EXPECT_FALSE(difference.proved);
  EXPECT_FALSE(difference.lost());
}

TEST(Diff, CertaintyIsANote) {
  const auto with = [](Certainty certainty) {
    Contract::Data data = tests::contract("x b,s | y b,s").data();
    for (const std::size_t axis : {0, 1}) {
      Claim claim;
      claim.output = true;
      claim.tensor = "y";
      claim.axis = axis;
      claim.certainty = certainty;
      data.variants[0].claims.push_back(claim);
    }
    return Contract::make(std::move(data)).value();
  };
  const ContractDifference difference = diff(with(Certainty::weak), with(Certainty::believed));
  EXPECT_EQ(to_text(difference), "equal: 4 axes\n\nnote: y axis 0 and 1 more: weak -> believed\n");
}

TEST(Diff, CountsComeFirst) {
  const Contract older = tests::contract("x 32,s; m b & z b"), newer = tests::contract("x 48,s; m~ b & w b & v b");
  EXPECT_EQ(to_text(diff(older, newer)).substr(0, 82),
            "broken: 1 tensor, 1 axis; narrower: 1 variant; wider: 2 variants; equal: 2 axes\n\nv");
  EXPECT_EQ(to_text(diff(tests::contract("x"), tests::contract("x"))), "equal\n");
}

}  // namespace
}  // namespace tensorspec
