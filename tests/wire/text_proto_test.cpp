// SPDX-License-Identifier: Apache-2.0
#include "wire/text_proto.hpp"

#include <gtest/gtest.h>

namespace tensorspec {
namespace {

std::string text_of(const std::vector<TextField>& fields) {
  std::string out;
  for (const TextField& field : fields) {
    out += field.name;
    if (field.kind == TextField::Kind::message) out += "{" + text_of(field.fields) + "}";
    else out += field.kind == TextField::Kind::text ? "'" + field.value + "' " : "=" + field.value + " ";
  }
  return out;
}
std::string parsed(std::string_view text, bool cut = false) {
  const auto fields = parse_text_proto(text, cut);
  return fields.ok() ? text_of(*fields) : fields.error().where + ": " + fields.error().detail;
}

TEST(TextProto, Values) {
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("a: 1 b: -2; c: - 3, d: 1.5e-3 e: .5f g: 0x1F h: KIND_CPU i: -inf"),
            "a=1 b=-2 c=-3 d=1.5e-3 e=.5f g=0x1F h=KIND_CPU i=-inf ");
  EXPECT_EQ(parsed("a { b: 1 } a: { b: 2 } a < c < > >"), "a{b=1 }a{b=2 }a{c{}}");
  EXPECT_EQ(parsed("a: [1, 2] b [ { c: 1 }, < d: 2 > ] e: [] g: ['x', \"y\"]"), "a=1 a=2 b{c=1 }b{d=2 }g'x' g'y' ");
  EXPECT_EQ(parsed("[type.googleapis.com/a.B] { c: 1 } [ext.name]: 2"), "[type.googleapis.com/a.B]{c=1 }[ext.name]=2 ");
  EXPECT_EQ(parsed(R"(a: 'it''s' "\t\x41\102\u00e9\U0001F600\?")"), "a'its\tAB\xc3\xa9\xf0\x9f\x98\x80?' ");
  EXPECT_EQ(parsed("# one\na: 1 # two\n# three"), "a=1 ");
}

TEST(TextProto, WholeNumbers) {
  const struct {
    const char* text;
    std::optional<std::int64_t> expected;
  } cases[] = {{"0", 0},
               {"-12", -12},
               {"010", 8},
               {"-0x1F", -31},
               {"0X7fffffffffffffff", INT64_MAX},
               {"-9223372036854775808", INT64_MIN},
               {"9223372036854775808", std::nullopt},
               {"08", std::nullopt},
               {"0x", std::nullopt},
               {"1.0", std::nullopt},
               {"KIND", std::nullopt},
               {"'1'", std::nullopt}};
  for (const auto& c : cases) {
    const auto fields = parse_text_proto(std::string("a: ") + c.text);
    ASSERT_TRUE(fields.ok()) << c.text;
    EXPECT_EQ(whole_number_of(fields->at(0)), c.expected) << c.text;
  }
}

TEST(TextProto, BeginningsOfALongerText) {
  EXPECT_EQ(parsed("a: 1 b { c: 2 d: 'x", true), "a=1 b{c=2 d'x' }");
  EXPECT_EQ(parsed("a: 1 b", true), "a=1 ");
  EXPECT_EQ(parsed("a: [1, 2", true), "a=1 a=2 ");
  EXPECT_EQ(parsed("a = 1", true), "0x02: expected ':' or '{' behind 'a'");
}

TEST(TextProto, NestingIsBounded) {
  std::string open, close;
  for (int i = 0; i < kMaxTextDepth; ++i) open += "a{", close += "}";
  EXPECT_TRUE(parse_text_proto(open + close).ok());
  EXPECT_FALSE(parse_text_proto(open + "a{}" + close).ok());
  EXPECT_FALSE(parse_text_proto(std::string(1'000'000, '<')).ok());
}

}  // namespace
}  // namespace tensorspec
