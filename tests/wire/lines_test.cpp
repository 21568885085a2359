// SPDX-License-Identifier: Apache-2.0
#include "wire/lines.hpp"

#include <gtest/gtest.h>

#include <span>

namespace tensorspec {
namespace {

// Numbers and texts of the lines, "+" for one that is too long.
std::string lines_of(std::string_view text) {
  const auto source = open_memory("x", std::as_bytes(std::span(text)));
  LineReader reader(*source);
  LineReader::Line line;
  std::string out;
  while (reader.next(line).value())
    out += std::to_string(line.number) + (line.too_long ? "+" : ":") + std::string(line.text) + " ";
  return out;
}

TEST(Lines, Ends) {
  EXPECT_EQ(lines_of(""), "");
  EXPECT_EQ(lines_of("\n"), "1: ");
  EXPECT_EQ(lines_of("a"), "1:a ");
  EXPECT_EQ(lines_of("a\r\n\nb\n"), "1:a 2: 3:b ");
  EXPECT_EQ(lines_of("\xEF\xBB\xBFsome\nmore"), "1:some 2:more ");
}

TEST(Lines, LongerThanAPiece) {
  const std::string long_line(700'000, 'x');
  EXPECT_EQ(lines_of("a\n" + long_line + "\nb"), "1:a 2:" + long_line + " 3:b ");
  const std::string pieces(256 * 1024 - 1, 'y');
  EXPECT_EQ(lines_of(pieces + "\n" + pieces + "\nz"), "1:" + pieces + " 2:" + pieces + " 3:z ");
}

TEST(Lines, ALineOverTheLimitIsPassedOver) {
  EXPECT_EQ(lines_of("a\n" + std::string(LineReader::kMaxLine + 1, 'x') + "\nb\n"), "1:a 2+ 3:b ");
}

}  // namespace
}  // namespace tensorspec
