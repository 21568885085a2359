// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace tensorspec {
namespace {

TEST(Json, PrintedAsRead) {
  const char* const texts[] = {
      "null",
      "true",
      "false",
      "0",
      "-1",
      "9223372036854775807",
      "-9223372036854775808",
      "9223372036854775808",
      "18446744073709551615",
      "1.5",
      "0.1",
      "1e+300",
      "5e-324",
      "3.0",
      R"("")",
      R"("a\"b\\c\n\u0001")",
      "[]",
      "{}",
      R"([1,[2,[]],{"a":{"b":[null]}}])",
      R"({"z":1,"a":2,"":3})",
      "\"\xC3\xA4\xE2\x82\xAC\"",
  };
  for (const char* text : texts) {
    const auto json = Json::parse(text);
    ASSERT_TRUE(json.ok()) << text << ": " << json.error().message();
    EXPECT_EQ(json->dump(), text);
    for (const int indent : {0, 2}) EXPECT_EQ(*Json::parse(json->dump(indent)), *json) << text;
  }
  EXPECT_EQ(Json::parse(" \t\r\n[ 1 ,\n2 ] ")->dump(), "[1,2]");
  EXPECT_EQ(Json::parse("\"\\u00e4\\ud83d\\ude00\"")->dump(), "\"\xC3\xA4\xF0\x9F\x98\x80\"");
}

TEST(Json, NumbersKeepWhatTheyAre) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> as_int64;
    std::optional<std::uint64_t> as_uint64;
  };
  const Case cases[] = {
      {"0", 0, 0},
      {"-0", 0, 0},
      {"-1", -1, std::nullopt},
      {"9007199254740993", 9007199254740993, 9007199254740993},  // 2^53 + 1
      {"9223372036854775807", INT64_MAX, INT64_MAX},
      {"9223372036854775808", std::nullopt, std::uint64_t{1} << 63},
      {"18446744073709551615", std::nullopt, UINT64_MAX},
      {"18446744073709551616", std::nullopt, std::nullopt},
      {"-9223372036854775809", std::nullopt, std::nullopt},
      {"3.0", std::nullopt, std::nullopt},
      {"1e2", std::nullopt, std::nullopt},
      {"\"1\"", std::nullopt, std::nullopt},
      {"true", std::nullopt, std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Json::parse(c.text)->int64(), c.as_int64) << c.text;
    EXPECT_EQ(Json::parse(c.text)->uint64(), c.as_uint64) << c.text;
  }
  EXPECT_EQ(Json(std::uint64_t{5}), Json(5));
  EXPECT_EQ(*Json::parse(Json(std::uint64_t{5}).dump()), Json(std::uint64_t{5}));
  EXPECT_NE(Json(5), Json(5.0));
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, Refuses) {
  struct Case {
    std::string text;
    ErrorCode code;
    const char* where;
  };
  const Case cases[] = {
      {"", ErrorCode::json_syntax, "byte 1"},
      {"[1,]", ErrorCode::json_syntax, "byte 4"},
      {"{\"a\":1,}", ErrorCode::json_syntax, "byte 8"},
      {"[1] 2", ErrorCode::json_syntax, "byte 5"},
      {"NaN", ErrorCode::json_syntax, "byte 1"},
      {"01", ErrorCode::json_syntax, "byte 2"},
      {"+1", ErrorCode::json_syntax, "byte 1"},
      {"1e999", ErrorCode::json_syntax, "byte 5"},
      {"// comment\n1", ErrorCode::json_syntax, "byte 1"},
      {"'a'", ErrorCode::json_syntax, "byte 1"},
      {"\"\xFF\"", ErrorCode::json_syntax, "byte 2"},
      {"\"\\ud800\"", ErrorCode::json_syntax, "byte 8"},
      {"\"a\nb\"", ErrorCode::json_syntax, "byte 3"},
      {std::string("[1]\0[", 5), ErrorCode::json_syntax, "byte 4"},
      {std::string("\"a\0\"", 4), ErrorCode::json_syntax, "byte 3"},
      {R"({"a":1,"a":1})", ErrorCode::json_duplicate_key, ""},
      {R"({"a":{"b":1,"c":{},"b":2}})", ErrorCode::json_duplicate_key, ""},
      {std::string(65, '[') + std::string(65, ']'), ErrorCode::json_too_deep, ""},
      {std::string(1000000, '['), ErrorCode::json_too_deep, ""},
  };
  for (const Case& c : cases) {
    const auto json = Json::parse(c.text);
    ASSERT_FALSE(json.ok()) << c.text.substr(0, 40);
    EXPECT_EQ(json.error().code, c.code) << c.text.substr(0, 40);
    EXPECT_EQ(json.error().where, c.where) << c.text.substr(0, 40);
    EXPECT_EQ(json.error().detail.find("json.exception"), std::string::npos) << json.error().detail;
  }
  EXPECT_TRUE(Json::parse(std::string(64, '[') + std::string(64, ']')).ok());
  EXPECT_TRUE(Json::parse(R"({"a":{"a":1},"b":{"a":2}})").ok());  // the same name at other places
}

TEST(Json, ErrorsStayShort) {
  const auto json = Json::parse("\"" + std::string(1 << 20, 'x'));
  ASSERT_FALSE(json.ok());
  EXPECT_LT(json.error().message().size(), 400u);
}

TEST(Json, ManyKeysTakeNoSquareOfTime) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text.back() = '}';
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Json::parse(text)->object()->size(), 200000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Json, Building) {
  Json object;
  object.add("b", 1).add("a", Json().push("x").push(Json()));
  EXPECT_EQ(object.dump(), R"({"b":1,"a":["x",null]})");
  EXPECT_EQ(object.dump(2), "{\n  \"b\": 1,\n  \"a\": [\"x\", null]\n}");
  EXPECT_EQ(Json().push(Json::Object{}).push(Json().push(1)).dump(2), "[\n  {},\n  [1]\n]");
  EXPECT_EQ(*object.find("b")->int64(), 1);
  EXPECT_EQ(object.find("c"), nullptr);
  EXPECT_EQ(Json(1).find("c"), nullptr);
  EXPECT_EQ(Json(1).add("a", 2), Json(1));  // no object: left as it is
  EXPECT_EQ(Json("\xFF"
                 "a")
                .dump(),
            "\"\xEF\xBF\xBD"
            "a\"");
}

Json random_json(std::mt19937_64& random, int depth) {
  const auto pick = random() % (depth > 0 ? 9 : 7);
  if (pick == 0) return {};
  if (pick == 1) return Json(random() % 2 == 0);
  if (pick == 2) return Json(static_cast<std::int64_t>(random()));
  if (pick == 3) return Json(random() >> (random() % 64));
  if (pick == 4) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600) - 300);
    return Json(value);
  }
  if (pick <= 6) {
    std::string text;
    for (auto n = random() % 6; n > 0; --n) text += static_cast<char>(random() % 128);
    return Json(std::move(text));
  }
  Json out = pick == 7 ? Json(Json::Array{}) : Json(Json::Object{});
  for (auto n = random() % 4; n > 0; --n) {
    if (pick == 7) out.push(random_json(random, depth - 1));
    else out.add("k" + std::to_string(n), random_json(random, depth - 1));
  }
  return out;
}

TEST(Json, RandomRoundTrips) {
  SCOPED_TRACE("seed 11");
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    const Json json = random_json(random, 4);
    for (const int indent : {-1, 0, 3}) ASSERT_EQ(*Json::parse(json.dump(indent)), json) << json.dump();
  }
}

}  // namespace
}  // namespace tensorspec
