// SPDX-License-Identifier: Apache-2.0
#include "wire/json_sketch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tensorspec {
namespace {

std::string drawn(const JsonSketch& sketch) {
  std::string out = sketch.key.empty() ? "" : std::string(sketch.key) + ":";
  out += sketch.kind ? std::string(1, sketch.kind) : "?";
  if (sketch.kind == '"') out += sketch.text;
  for (const JsonSketch& member : sketch.members) out += " " + drawn(member);
  return out + (sketch.kind == '{' ? "}" : sketch.kind == '[' ? "]" : "");
}
std::string drawn(std::string_view text) {
  const auto sketch = sketch_json(text);
  return sketch ? drawn(*sketch) : "none";
}

TEST(JsonSketch, WholeTexts) {
  EXPECT_EQ(drawn(R"( {"a": [1, -2.5e3, true], "b": {"c": null}, "d": "x\"y"} trailing)"),
            "{ a:[ 0 0 t] b:{ c:t} d:\"x\\\"y}");
  EXPECT_EQ(drawn("[]"), "[]");
  EXPECT_EQ(drawn("\xEF\xBB\xBF\n7"), "0");
  EXPECT_EQ(drawn("[NaN, Infinity]"), "[ t t]");
}

TEST(JsonSketch, CutAnywhere) {
  const std::string text = R"({"a": [1, {"b": "text"}], "c": {"d": [[true]]}})";
  for (std::size_t size = 1; size < text.size(); ++size) EXPECT_NE(drawn(text.substr(0, size)), "none") << size;
  EXPECT_EQ(drawn(R"({"a": [1, {"b": "te)"), "{ a:[ 0 { b:\"te}]}");
  EXPECT_EQ(drawn(""), "?");
}

TEST(JsonSketch, OtherTexts) {
  for (const char* text : {"hello", "{a: 1}", "{\"a\" 1}", "[1 2]", "\x93NUMPY", "]"})
    EXPECT_EQ(drawn(text), "none") << text;
  EXPECT_EQ(drawn(std::string(100, '[')), "none");
}

TEST(JsonSketch, Members) {
  const auto sketch = sketch_json(R"({"a": [{"b": 1}], "a": 2})");
  ASSERT_TRUE(sketch && sketch->find("a"));
  EXPECT_NE(sketch->find("a")->first('{'), nullptr);
  EXPECT_EQ(sketch->find("a")->first('['), nullptr);
  EXPECT_EQ(sketch->find("b"), nullptr);
  EXPECT_EQ(sketch->find("a")->find("b"), nullptr);
}

}  // namespace
}  // namespace tensorspec
