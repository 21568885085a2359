// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/error.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "tensorspec/result.hpp"

namespace tensorspec {
namespace {

TEST(Error, EveryCodeHasANameANumberAndAText) {
  std::set<std::string_view> names, texts;
  std::set<int> numbers;
  int last = 0;
  for (const ErrorCode code : all_error_codes()) {
    EXPECT_TRUE(names.insert(error_name(code)).second) << error_name(code);
    EXPECT_TRUE(texts.insert(error_text(code)).second) << error_text(code);
    EXPECT_TRUE(numbers.insert(static_cast<int>(code)).second) << error_name(code);
    EXPECT_FALSE(error_name(code).empty() || error_text(code).empty());
    EXPECT_GT(static_cast<int>(code), last) << error_name(code);  // in order of number; 0 is no error
    last = static_cast<int>(code);
  }
  EXPECT_EQ(error_name(static_cast<ErrorCode>(99999)), "");
  EXPECT_EQ(error_text(static_cast<ErrorCode>(0)), "");
}

TEST(Error, MessageIsOneLine) {
  EXPECT_EQ((Error{ErrorCode::overflow, "", ""}.message()), "the number does not fit in 64 bits");
  EXPECT_EQ((Error{ErrorCode::overflow, "a.npy@0x0a", "7"}.message()),
            "a.npy@0x0a: the number does not fit in 64 bits: 7");
  EXPECT_EQ((Error{ErrorCode::overflow, "a\nb", "\x1b[31m"}.message()),
            "a\\x0ab: the number does not fit in 64 bits: \\x1b[31m");
}

TEST(Error, Printable) {
  struct Case {
    std::string text, want;
  };
  const Case cases[] = {
      {"", ""},
      {"plain text ~", "plain text ~"},
      {"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"},
      {"\r\n\t\x7F", "\\x0d\\x0a\\x09\\x7f"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
      {"\xC2\x9B", "\\xc2\\x9b"},  // C1: CSI
      {"\xC2\xA0", "\xC2\xA0"},
      {"\xFF\xC3", "\\xff\\xc3"},  // not UTF-8
      {"\xE2\x80\xAE"
       "abc",
       "\\xe2\\x80\\xae"
       "abc"},                              // right-to-left override
      {"\xE2\x81\xA6", "\\xe2\\x81\\xa6"},  // isolate
      {"\xE2\x80\xA8", "\\xe2\\x80\\xa8"},  // line separator
      {"\xE2\x80\x9D", "\xE2\x80\x9D"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(printable(c.text), c.want);
    EXPECT_TRUE(is_utf8(printable(c.text)));
    EXPECT_EQ(printable(printable(c.text)), printable(c.text));
  }
}

Result<int> half(int value) {
  if (value % 2 != 0) return Error{ErrorCode::invalid_argument, "value", std::to_string(value)};
  return value / 2;
}
Result<int> quarter(int value) {
  TRY(const int halved, half(value));
  return half(halved);
}
Status is_quarterable(int value) {
  TRY_VOID(quarter(value));
  return {};
}

TEST(Result, PassesErrorsUp) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().detail, "3");
  EXPECT_FALSE(quarter(7).ok());
  EXPECT_TRUE(is_quarterable(4).ok());
  EXPECT_EQ(is_quarterable(2).error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(Status(Error{}).ok());
  // A value that is an Error's cousin: Result of text is not confused by its own error text.
  const Result<std::string> text = std::string("fine");
  EXPECT_EQ(text->size(), 4u);
  EXPECT_TRUE(static_cast<bool>(text));
}

}  // namespace
}  // namespace tensorspec
