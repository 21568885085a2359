// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace tensorspec {
namespace {

TEST(Text, NaturalOrder) {
  // In order; every pair is compared both ways.
  const std::vector<std::string> ordered = {
      "",
      "0",
      "00",
      "01",
      "1",
      "2",
      "10",
      "a",
      "a0",
      "a01",
      "a1",
      "a1b",
      "a2",
      "a10",
      "a10b2",
      "a10b10",
      "a99999999999999999998",
      "a99999999999999999999",
      "a100000000000000000000",
      "layers[2].k",
      "layers[10].k",
      "layers[10].v",
      "z",
      "\xC3\xA4",
  };
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      const int order = natural_compare(ordered[i], ordered[j]);
      EXPECT_EQ(order < 0, i < j) << ordered[i] << " and " << ordered[j];
      EXPECT_EQ(order == 0, i == j) << ordered[i] << " and " << ordered[j];
    }
}

// A total order over every text of up to four characters of a small alphabet.
TEST(Text, NaturalOrderIsTransitive) {
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size() < 4)
      for (const char c : {'0', '1', 'a'}) all.push_back(all[i] + c);
  ASSERT_EQ(all.size(), 121u);
  for (const auto& a : all)
    for (const auto& b : all) {
      ASSERT_EQ(natural_compare(a, b) < 0, natural_compare(b, a) > 0) << a << " " << b;
      for (const auto& c : all)
        if (natural_less(a, b) && natural_less(b, c)) { ASSERT_TRUE(natural_less(a, c)) << a << " " << b << " " << c; }
    }
}

TEST(Text, Utf8) {
  struct Case {
    std::string text;
    std::size_t length;
  };
  const Case cases[] = {
      {"", 0},
      {"a", 1},
      {std::string("\0", 1), 1},
      {"\x7F", 1},
      {"\x80", 0},
      {"\xC2\x80", 2},
      {"\xC1\xBF", 0},  // overlong
      {"\xC3", 0},      // cut
      {"\xC3(", 0},
      {"\xE0\xA0\x80", 3},
      {"\xE0\x9F\xBF", 0},  // overlong
      {"\xED\x9F\xBF", 3},
      {"\xED\xA0\x80", 0},  // surrogate
      {"\xE2\x82", 0},
      {"\xF0\x90\x80\x80", 4},
      {"\xF0\x8F\xBF\xBF", 0},  // overlong
      {"\xF4\x8F\xBF\xBF", 4},  // U+10FFFF
      {"\xF4\x90\x80\x80", 0},
      {"\xF5\x80\x80\x80", 0},
      {"\xFF", 0},
      {"\xF0\x9F\x98", 0},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(utf8_sequence_length(c.text), c.length) << testing::PrintToString(c.text);
    EXPECT_EQ(is_utf8("x" + c.text + "y"), c.text.empty() || c.length > 0) << testing::PrintToString(c.text);
  }
}

TEST(Text, ParseInt64) {
  EXPECT_EQ(parse_int64("0"), 0);
  EXPECT_EQ(parse_int64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", " 1", "1 ", "+1", "-", "1.0", "1e3", "0x10", "9223372036854775808", "a"})
    EXPECT_EQ(parse_int64(text), std::nullopt) << text;
}

TEST(Text, Join) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

}  // namespace
}  // namespace tensorspec
