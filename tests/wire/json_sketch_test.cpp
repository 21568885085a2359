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

TEST(JsonSketch, OfLongArraysTheBeginning) {
  std::string items = "0";
  for (std::size_t i = 1; i < 1000; ++i) items += i % 2 ? ", [\"]\\\"\"]" : ", {\"}\": 1}";
  const std::string whole = "{\"a\": [" + items + "], \"b\": 1}";
  const auto sketch = sketch_json(whole);
  ASSERT_TRUE(sketch && sketch->find("b"));
  EXPECT_EQ(sketch->find("a")->members.size(), JsonSketch::kMostItems);
  EXPECT_FALSE(sketch->find("a")->cut);
  const std::string open = "[" + items;
  const auto cut = sketch_json(open);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->cut);
}

TEST(JsonSketch, WhatIsCutSaysSo) {
  const auto sketch = sketch_json(R"({"a": {}, "b": "x", "c": [1], "d": {"e": "te)");
  ASSERT_TRUE(sketch && sketch->find("d") && sketch->find("d")->find("e"));
  EXPECT_TRUE(sketch->cut && sketch->find("d")->cut && sketch->find("d")->find("e")->cut);
  for (const char* key : {"a", "b", "c"}) EXPECT_FALSE(sketch->find(key)->cut) << key;
  EXPECT_FALSE(sketch_json("{} more")->cut);
  EXPECT_TRUE(sketch_json("{\"a\":")->members[0].cut);
}

TEST(JsonSketch, KeysHoweverTheyAreSpelled) {
  const auto sketch = sketch_json(R"({"\u0061\/\u00e9": {"t\u0079pe": "\u0041"}})");
  ASSERT_TRUE(sketch);
  EXPECT_NE(sketch->find("a/\xc3\xa9"), nullptr);
  EXPECT_TRUE(sketch->holds("type", "A"));
  EXPECT_FALSE(sketch->holds("type", "\\u0041"));
  EXPECT_EQ(unescaped_json(R"(\ud83d\ude00\n\)"), "\xf0\x9f\x98\x80\n\\");
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
