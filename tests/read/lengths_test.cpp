// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/lengths.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "read/collector.hpp"
#include "support/places.hpp"

namespace tensorspec {
namespace {

using tests::calls_of;

TEST(Lengths, Tables) {
  const struct {
    const char *what, *text, *from, *expected;
  } cases[] = {
      {"known columns", "TIMESTAMP,ContextTokens,GeneratedTokens\n1,374,44\n2,396,109\n", "",
       "ContextTokens [374]; GeneratedTokens [44]; \nContextTokens [396]; GeneratedTokens [109]; "},
      {"in any order, with blanks and quotes", "\xEF\xBB\xBF output_length ; \"input_length\"\r\n\"7\" ; 12\r\n", "",
       "input_length [12]; output_length [7]; "},
      {"tabs, no newline at the end", "prompt_tokens\tcompletion_tokens\n1\t2", "",
       "prompt_tokens [1]; completion_tokens [2]; "},
      {"quotes over lines", "text,input_tokens,output_tokens\n\"a, \"\"b\"\"\nc\",3,4\n\n\"\",5,6\n", "",
       "input_tokens [3]; output_tokens [4]; \ninput_tokens [5]; output_tokens [6]; "},
      {"whole numbers with a point", "ContextTokens,GeneratedTokens\n3.0,0.00\n", "",
       "ContextTokens [3]; GeneratedTokens [0]; "},
      {"columns that are named", "a,b c,d\n1,2,3\n", "lengths:d,b c", "d [3]; b c [2]; "},
      {"one column", "a;b\n1;2\n", "lengths:b", "b [2]; "},
  };
  for (const auto& c : cases) EXPECT_EQ(calls_of(c.text, c.from), c.expected) << c.what;
}

TEST(Lengths, AQuoteOpensAFieldOnlyAtItsBeginning) {
  const std::string head = "input_tokens,output_tokens,text\n";
  const auto two = [](int a) { return "input_tokens [" + std::to_string(a) + "]; output_tokens [2]; "; };
  EXPECT_EQ(calls_of(head + "1,2,5\" pipe\n2,2,z\n3,2,6\" x\n4,2,v\n"),
            two(1) + "\n" + two(2) + "\n" + two(3) + "\n" + two(4));
  EXPECT_EQ(calls_of(head + "1,2, \"x\n2,2,\"a\"\"\n\"\"\" b\n3,2,\"\"\n"), two(1) + "\n" + two(2) + "\n" + two(3));
  // What opens a field is held against the delimiter of the table.
  EXPECT_EQ(calls_of("input_tokens;output_tokens;text\n1;2;a,\"b\n2;2;\"c;\nd\"\n3;2;\n"),
            two(1) + "\n" + two(2) + "\n" + two(3));
  EXPECT_EQ(calls_of("input_tokens,output_tokens,\"te\nxt\"\n1,2,3\n"),
            "lengths_columns x: a quoted field of its header is not closed in its line");
  EXPECT_EQ(calls_of("input_tokens\toutput_tokens\ttext\n1\t2\t\"a\tb\"\n\t\"7\"\t\n"),
            two(1) + "\nbad lengths_row x:line 3: no whole number for input_tokens");
}

TEST(Lengths, WhatIsToldIsRead) {
  const std::string two = "input_tokens [1]; output_tokens [2]; ";
  EXPECT_EQ(calls_of("\n \r\n\ninput_tokens,output_tokens\n1,2\n"), two);
  EXPECT_EQ(calls_of("date:time,input_tokens,output_tokens\n0,1,2\n"), two);
  EXPECT_EQ(calls_of(std::string(5000, 'x') + ",input_tokens,output_tokens\n0,1,2\n"), two);
  EXPECT_EQ(calls_of("\n{\"input_tokens\":1,\"output_tokens\":2}\n"), two);
  EXPECT_EQ(calls_of("{\"prompt\":\"" + std::string(5000, 'x') + "\",\"input_tokens\":1,\"output_tokens\":2}\n"), two);
  EXPECT_EQ(calls_of(R"({"\u0069nput_tokens":1,"output_tokens":2})"), two);
  const std::string rows = "{\"error\":\"x\"}\n{oops\n\n{\"input_tokens\":1,\"output_tokens\":2}\n";
  EXPECT_TRUE(calls_of(rows).starts_with(
      two + "\nbad lengths_row x:line 1: no whole number for input_tokens\nbad json_syntax x:line 2: "))
      << calls_of(rows);
  EXPECT_EQ(calls_of("{\"error\":\"x\"}\n{}\n", "lengths"),
            "lengths_columns x: none that is known, name them with --columns");
}

TEST(Lengths, JsonLines) {
  const struct {
    const char *what, *text, *from, *expected;
  } cases[] = {
      {"known",
       "{\"input_length\": 5, \"output_length\": 6, \"hash_ids\": [1, {}]}\n\n{\"output_length\":7,\"input_length\":8}",
       "", "input_length [5]; output_length [6]; \ninput_length [8]; output_length [7]; "},
      {"usage of a server",
       R"({"id":"x","usage":{"prompt_tokens":3,"completion_tokens":4,"details":{"a":1}},"model":"m"})", "",
       "usage.prompt_tokens [3]; usage.completion_tokens [4]; "},
      {"a path that is named", R"({"a":{"b":{"c":2}},"a.b":1})", "lengths:a.b.c", "a.b.c [2]; "},
  };
  for (const auto& c : cases) EXPECT_EQ(calls_of(c.text, c.from), c.expected) << c.what;
}

TEST(Lengths, ABadRowCostsItself) {
  const std::string head = "ContextTokens,GeneratedTokens\n1,2\n", good = "ContextTokens [1]; GeneratedTokens [2]; ";
  EXPECT_EQ(calls_of(head + "3\n"), good + "\nbad lengths_row x:line 3: no whole number for GeneratedTokens");
  EXPECT_EQ(calls_of(head + "1.5,2\n"), good + "\nbad lengths_row x:line 3: no whole number for ContextTokens");
  EXPECT_EQ(calls_of(head + "-1,2\n1,2\n"), good + "\n" + good + "\nbad invalid_extent x:line 3: ContextTokens: -1");
  EXPECT_EQ(calls_of(head + "9999999999999999999999,2\n"),
            good + "\nbad lengths_row x:line 3: no whole number for ContextTokens");
  EXPECT_EQ(calls_of(head + "\"open,2\n1,2\n"),
            good + "\nbad lengths_row x:line 3: a quoted field that begins here is never closed");
  const std::string row = "{\"input_length\":1,\"output_length\":2}\n", one = "input_length [1]; output_length [2]; ";
  EXPECT_EQ(calls_of(row + "{\"input_length\":1}\n" + row),
            one + "\n" + one + "\nbad lengths_row x:line 2: no whole number for output_length");
  EXPECT_EQ(calls_of(row + "7\n"), one + "\nbad json_type x:line 2: expected a JSON object");
  EXPECT_EQ(calls_of(row + "{\"input_length\":\"1\",\"output_length\":2}"),
            one + "\nbad lengths_row x:line 2: no whole number for input_length");
  EXPECT_TRUE(calls_of(row + "{\"input_length\":").starts_with(one + "\nbad json_syntax x:line 2"));
}

TEST(Lengths, Errors) {
  EXPECT_EQ(calls_of("", "lengths"), "lengths_columns x: it is empty");
  EXPECT_EQ(calls_of("a,b\n1,2\n", "lengths"),
            "lengths_columns x: none that is known, name them with --columns; there are a, b");
  EXPECT_EQ(calls_of("a,b\n1,2\n", "lengths:c,a"), "lengths_columns x: not c, a; there are a, b");
  EXPECT_EQ(calls_of("{\"a\":1}", "lengths"), "lengths_columns x: none that is known, name them with --columns");
  EXPECT_EQ(calls_of("a,b\n", "lengths: ,"), "lengths_columns x: no column is named");
  EXPECT_EQ(calls_of("a,b\n", "lengths:a,a"), "lengths_columns x: a is named twice");
  EXPECT_EQ(calls_of("a,b\n", "npy:a"), "invalid_argument x: the format 'npy' takes no columns");
  EXPECT_TRUE(calls_of("a,b\n1,2\n").starts_with("unknown_format"));
  EXPECT_TRUE(calls_of("{\n\"input_length\": 1,\n\"output_length\": 2}").starts_with("unknown_format"));
}

TEST(Lengths, NoRowsAreNothing) {
  EXPECT_EQ(calls_of("ContextTokens,GeneratedTokens\n"), "");
  tests::Collector sink;
  EXPECT_TRUE(tests::read("ContextTokens,GeneratedTokens\n1,2\n", sink).ok());
  ASSERT_EQ(sink.declarations.size(), 1u);
  EXPECT_EQ(tests::described(sink.declarations[0].inputs[1]), "GeneratedTokens [GeneratedTokens]");
  EXPECT_TRUE(sink.declarations[0].names_only);
}

TEST(Lengths, Columns) {
  const std::string path = tests::source_folder() + "/tests/golden/read/lengths/azure.csv";
  EXPECT_EQ(read_lengths("/nonexistent").error().code, ErrorCode::file_open);
  EXPECT_EQ(read_lengths(path).error().code, ErrorCode::lengths_row);
  std::size_t bad = 0;
  const auto columns = read_lengths(path, {}, [&](const Error&) { return ++bad > 0; });
  ASSERT_TRUE(columns.ok()) << columns.error().message();
  ASSERT_EQ(columns->size(), 2u);
  EXPECT_EQ((*columns)[0].name, "ContextTokens");
  EXPECT_EQ((*columns)[0].counts, (std::vector<std::int64_t>{4808, 3180}));
  EXPECT_EQ((*columns)[1].counts, (std::vector<std::int64_t>{10, 8}));
  EXPECT_EQ(bad, 1u);
  EXPECT_EQ(read_lengths(path, {"GeneratedTokens"}, [](const Error&) { return true; })->at(0).counts,
            (std::vector<std::int64_t>{10, 8, 8}));
}

TEST(Lengths, ChoiceOfColumns) {
  const auto told = [](std::string_view text, const LengthOptions& options) {
    const auto columns = parse_lengths(text, "x", options);
    if (!columns.ok()) return std::string(error_name(columns.error().code));
    std::string out;
    for (const LengthColumn& column : *columns) {
      out += (out.empty() ? "" : " ") + column.name + ":";
      for (const std::int64_t count : column.counts) out += " " + std::to_string(count);
    }
    return out;
  };
  const LengthOptions every{.every = true, .count = "n"};
  EXPECT_EQ(told("a,b\n1,2\n3,4\n", every), "a: 1 3 b: 2 4");
  EXPECT_EQ(told("n;b\n7;2\n", every), "b: 2 n: 7");
  EXPECT_EQ(told("n\tcontext, all\n7\t2\n", every), "context, all: 2 n: 7");
  EXPECT_EQ(told("time,input_length,output_length,n\nx,1,2,3\n", every), "input_length: 1 output_length: 2 n: 3");
  EXPECT_EQ(told("{\"a\":1,\"s\":\"x\",\"n\":4}\n{\"n\":5,\"a\":2}", every), "a: 1 2 n: 4 5");
  EXPECT_EQ(told("a,b,n\n1,2,3\n", {.columns = {"b"}, .count = "n"}), "b: 2 n: 3");
  EXPECT_EQ(told("a,b,n\n1,2,3\n", {.columns = {"n"}, .count = "n"}), "n: 3");
  EXPECT_EQ(told("a,b\n1,2\n", {}), "lengths_columns");
  // The index of a table has no name.
  EXPECT_EQ(told(",input_length,output_length\n0,1,2\n", {}), "input_length: 1 output_length: 2");
  EXPECT_EQ(told(",a,b\n0,1,2\n", {.columns = {"b"}}), "b: 2");
  EXPECT_EQ(told(",a,n\n0,1,2\n", every), "a: 1 n: 2");
  EXPECT_EQ(told("{\"\":0,\"input_length\":1,\"output_length\":2}", {}), "input_length: 1 output_length: 2");
  EXPECT_EQ(told("n\n1\n", every), "lengths_columns");
  EXPECT_EQ(told("a,a\n1,2\n", every), "lengths_columns");
}

}  // namespace
}  // namespace tensorspec
