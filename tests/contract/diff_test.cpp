// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/diff.hpp"

#include <gtest/gtest.h>

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

struct Case {
  const char *older, *newer, *wanted;
};

void expect(const Case& each) {
  SCOPED_TRACE(std::string(each.older) + "  ->  " + each.newer);
  const Contract older = tests::contract(each.older), newer = tests::contract(each.newer);
  const ContractDifference there = diff(older, newer);
  EXPECT_EQ(told(there), each.wanted);
}

TEST(Diff, RangesAndSteps) {
  const Case cases[] = {
      {"x b,3,48,s0 || b 1..6; s0 320..1603", "x n,3,48,w || n 1..6; w 320..1603", "equal"},
      {"x 2,3,48,s || s 320..1603", "x 2,3,48,w || w 320..1200", "x axis 3: narrower: 320..1603 -> 320..1200, for instance 1201"},
  };
  for (const Case& each : cases) expect(each);
}

}  // namespace
}  // namespace tensorspec
