// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"

namespace tensorspec {
namespace {

using tests::outcome;

TEST(ConfigPbtxt, Declarations) {
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"no batching", R"(input { name: "x" data_type: TYPE_INT64 dims: [ -1, 3 ] })", "in x int64[?,3]"},
      {"max_batch_size puts the batch before every dims, wherever it stands",
       R"(input { name: "x" data_type: TYPE_FP16 dims: 3 dims: -1 } output [{ name: 'y' dims: [] }] max_batch_size: 8)",
       "in x float16[batch 1..8,3,?]\nout y [batch 1..8]"},
      {"max_batch_size 0", R"(max_batch_size: 0 input [ { name: "x" data_type: TYPE_STRING dims: 1 } ])",
       "in x string[1]"},
      {"comments, separators, escapes, strings beside each other",
       "# of mine\nplatform: 'onnx' ; input < name: \"a\\x62\" 'c\\u00e9' # here\n, data_type: TYPE_BOOL, dims: [2] >",
       "in abc\xc3\xa9 bool[2]"},
      {"what callers do not see is passed over",
       R"(backend: "b" batch_input { kind: BATCH_ELEMENT_COUNT target_name: "n" data_type: TYPE_FP32 })"
       R"( model_warmup [ { name: "w" inputs { key: "x" value { dims: [1.5e-3, inf] } } } ] max_batch_size: 0)",
       ""},
      {"numbers in octal and hexadecimal, data types by number",
       "max_batch_size: 0x10 input { name: 'x' data_type: 11 dims: [010, 0XaF, -1, 0] reshape { shape: [ 010 ] } }"
       " output { name: 'y' data_type: 13 } output { name: 'z' data_type: 0 }",
       "in x float32[batch 1..16,8,175,?,0]\nout y string[batch 1..16]\nout z [batch 1..16]\n"
       "note x: the model itself has the shape [8] behind the batch, callers that of dims"},
      {"what tells it behind a comment", "# " + std::string(5000, 'c') + "\ninput { name: 'x' dims: 1 }", "in x [1]"},
      {"what tells it behind parameters",
       "parameters { key: 'a' value { string_value: '" + std::string(5000, 'c') + "' } } input { name: 'x' dims: 1 }",
       "in x [1]"},
      {"notes",
       R"(max_batch_size: 4 input { name: "x" dims: 6 reshape { shape: [ 2, 3 ] } optional: true allow_ragged_batch: true })",
       "in x [batch 1..4,6]\nnote x: the model itself has the shape [2, 3] behind the batch, callers that of dims\n"
       "note x is optional: calls without it are not described\n"
       "note x may be ragged: requests of a batch may differ in size"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.text), c.expected) << c.what;
}

TEST(ConfigPbtxt, Errors) {
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"no value", "max_batch_size: }", "pbtxt_malformed x@0x10: expected a value"},
      {"no colon", "platform 'x'", "pbtxt_malformed x@0x09: expected ':' or '{' behind 'platform'"},
      {"cut", "input { name: 'x'", "pbtxt_malformed x@0x11: no '}'"},
      {"a text without an end", "name: 'x\n'", "pbtxt_malformed x@0x08: a string does not end"},
      {"an escape", "name: '\\q'", "pbtxt_malformed x@0x08: an unknown escape in a string"},
      {"a NUL", std::string("input {}\0 platform: 'y'", 22), "pbtxt_malformed x@0x08: expected the name of a field"},
      {"a list", "dims: [1 2]", "pbtxt_malformed x@0x09: expected ',' or ']'"},
      {"a size", "input { name: 'x' dims: 1.5 }", "config_pbtxt x@0x12: dims is no whole number"},
      {"a size of text", "input { name: 'x' dims: '2' }", "config_pbtxt x@0x12: dims is no whole number"},
      {"a negative size", "input { name: 'x' dims: -2 }", "invalid_extent x@0x12: -2"},
      {"no octal digit", "input { name: 'x' dims: 08 }", "config_pbtxt x@0x12: dims is no whole number"},
      {"no digits", "input { name: 'x' dims: 0x }", "config_pbtxt x@0x12: dims is no whole number"},
      {"no such data type", "input { name: 'x' data_type: 15 }", "config_pbtxt x@0x12: no data_type has the number 15"},
      {"a batch size twice", "max_batch_size: 8 input { name: 'x' } max_batch_size: 4",
       "config_pbtxt x@0x26: max_batch_size stands a second time"},
      {"a name twice", "input { name: 'x' name: 'y' }", "config_pbtxt x@0x12: name stands a second time"},
      {"a size beyond 64 bits", "input { name: 'x' dims: 99999999999999999999 }",
       "config_pbtxt x@0x12: dims is no whole number"},
      {"no name", "output { dims: 2 }", "config_pbtxt x@0x00: an output without a name"},
      {"a NUL in a name", "input { name: 'a\\0b' }", std::string("invalid_name x: a NUL in 'a\0b'", 30)},
      {"not UTF-8", "input { name: 'a\\xff' }", "invalid_name x: not UTF-8"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.text, "config_pbtxt"), c.expected) << c.what;
  std::string nested, axes = "input { name: 'x' ";
  for (int i = 0; i < 70; ++i) nested += "a {", axes += "dims: 1 ";
  EXPECT_TRUE(outcome(nested, "config_pbtxt").ends_with("nested deeper than 64"));
  EXPECT_TRUE(outcome(axes + "}", "config_pbtxt").starts_with("rank_too_large x@"));
  EXPECT_EQ(outcome(std::string((16 << 20) + 1, ' '), "config_pbtxt"),
            "document_too_large x: the limit is 16777216 bytes");
}

TEST(ConfigPbtxt, OtherTextIsNone) {
  for (const char* text :
       {"name: 'x'", "input", "input: x\nflavors:\n  a: b\n", "platform\n", "{\"input\": []}", "a,b\n1,2\n"})
    EXPECT_TRUE(outcome(text).starts_with("unknown_format")) << text;
}

}  // namespace
}  // namespace tensorspec
