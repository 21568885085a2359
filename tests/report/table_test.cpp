// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <gtest/gtest.h>

namespace tensorspec {
namespace {

TEST(Table, ColumnsAreAligned) {
  EXPECT_EQ(align({{"a", "bb", ""}, {"\xc3\xa9\xc3\xa9\xc3\xa9", "c"}}, "  "),
            "  a    bb\n  \xc3\xa9\xc3\xa9\xc3\xa9  c\n");
}

TEST(Table, ALongCellLosesItsMiddleAndCostsItsRowAlone) {
  std::string name;
  for (int i = 0; i < 5000; ++i) name += "\xc3\xa9";
  std::vector<std::vector<std::string>> rows = {{"begin" + name + "end", "x"}};
  for (int i = 0; i < 100; ++i) rows.push_back({"a", "y"});
  const std::string text = align(rows, "");
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_TRUE(first.starts_with("begin\xc3\xa9") && first.ends_with("\xc3\xa9"
                                                                    "end  x"))
      << first;
  EXPECT_NE(first.find("\xc3\xa9...\xc3\xa9"), std::string::npos);
  // 320 code points, of which 309 take two bytes.
  EXPECT_EQ(first.size(), 320u + 309u + 3u);
  EXPECT_EQ(text.size(), first.size() + 1 + 100 * (80 + 2 + 2));
}

TEST(Table, WhatIsNotLongStaysWhole) {
  const std::string cell(320, 'x');
  EXPECT_EQ(align({{cell, "y"}, {"a", "b"}}, ""), cell + "  y\na" + std::string(81, ' ') + "b\n");
}

}  // namespace
}  // namespace tensorspec
