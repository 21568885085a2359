// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/calls.hpp"
#include "tensorspec/explain.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string explained(const std::string& text) { return to_explanation(*explain(tests::evidence(text))); }

TEST(Explanation, SaysWhyAndWhatWouldRefute) {
  const std::string text =
      explained("1 | a 1,4; b 1,7; c 1,11 / 2 | a 2,10; b 2,1; c 2,11 / 3 | a 3,5; b 3,20; c 3,25");
  EXPECT_THAT(text,
              HasSubstr("batch: a[0], b[0], c[0]\n  one size: they were equal in every call, at 3 different sizes; "
                        "refuted by a call in which they differ\n"));
  EXPECT_THAT(text,
              HasSubstr("c[1] = s0+s1\n  believed: no call broke it at 3 different sizes; writing it down saves "));
  EXPECT_THAT(text, HasSubstr("refuted by a call against it; for instance at s0 = 4, s1 = 1: any size but 5\n"));
}

TEST(Explanation, TellsChanceAndRivals) {
  const std::string text = explained("1 | x 4 | y 8 / 1 | x 12 | y 24 / 1 | x 40 | y 80 / 1 | x 28 | y 56");
  EXPECT_THAT(text, HasSubstr("so far multiples of 4 (4 sizes), which may be chance: a size off it warns\n"));
  EXPECT_THAT(text, HasSubstr("fits as well: 4*floor(s0/2), "));
  const std::string weak = explained("1 | x 1; z 2 / 2 | x 2; z 4");
  EXPECT_THAT(weak, HasSubstr("z[0] = 2*batch\n  weak: "));
  EXPECT_THAT(weak, HasSubstr("a call against it warns; for instance at batch = 1: any size but 2\n"));
  EXPECT_THAT(weak, Not(HasSubstr("refuted by a call against it")));
}

TEST(Explanation, FixedSizesAndVariants) {
  EXPECT_THAT(explained("1 | x 1,3,48 / 2 | x 2,3,48"), HasSubstr("fixed: x[1] = 3, x[2] = 48\n"));
  const std::string two = explained("1 | x 1 / 2 | x 2 / 1 | x 1; y 5");
  EXPECT_THAT(two, HasSubstr("variant 0\n"));
  EXPECT_THAT(two, HasSubstr("variant 1\n"));
}

TEST(Explanation, OfAContractWrittenByHand) {
  const auto contract = Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [
    {"inputs": [{"name": "x", "shape": ["batch", 3, "8*w"]}], "symbols": [{"name": "w", "max": 9}]}]})");
  ASSERT_TRUE(contract.ok());
  EXPECT_THAT(to_explanation(*contract), HasSubstr("x[2] = 8*w\n  written by hand\n"));
}

}  // namespace
}  // namespace tensorspec
