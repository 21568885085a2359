// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"

namespace tensorspec {
namespace {

using tests::outcome;

std::string file(const std::string& signature) {
  return "artifact_path: m\nflavors:\n  python_function:\n    signature: of another kind\n" + signature +
         "utc_time_created: '1'\n";
}
std::string tensors(const std::string& shape) {
  return R"([{"name": "x", "type": "tensor", "tensor-spec": {"dtype": "float32", "shape": )" + shape + "}}]";
}

TEST(Mlmodel, Signatures) {
  const std::string x = tensors("[-1, 3]");
  const struct {
    const char* what;
    std::string signature, expected;
  } cases[] = {
      {"on one line", "signature:\n  inputs: '" + x + "'\n  outputs: null\n  params: null\n", "in x float32[?,3]"},
      {"folded", "signature:\n  inputs: '" + tensors("[-1,\n    3]") + "'\n", "in x float32[?,3]"},
      {"double quotes",
       "signature:\n  inputs: \"" + std::string(R"([{\"name\": \"x\\ny\", \"type\": \"tensor\",\)") + "\n    \\ " +
           R"(\"tensor-spec\": {\"dtype\": \"int64\", \"shape\": []}}]")" + "\n",
       "in x\ny int64[]"},
      {"a quote within", "signature:\n  inputs: '[{\"name\": \"it''s\", \"type\": \"double\"}]'\n", "in it's float64"},
      {"block",
       "signature:\n  inputs: |\n    " + x +
           "\n  outputs: >-\n    [{\"type\": \"tensor\",\n    \"tensor-spec\": "
           "{\"dtype\": \"bool\", \"shape\": [2]}}]\n",
       "in x float32[?,3]\nout output_0 bool[2]"},
      {"plain", "signature:\n  inputs: " + x + "\n  # a comment\n\n  outputs: ~\n", "in x float32[?,3]"},
      {"columns",
       "signature:\n  inputs: '[{\"name\": \"a\", \"type\": \"long\"}, {\"name\": \"b\", \"type\": \"binary\"}]'\n",
       "in a int64\nin b binary"},
      {"a quoted key", "\"signature\" :\n  'inputs': '" + x + "'\n", "in x float32[?,3]"},
      {"null with a comment", "signature: # of mine\n  inputs: '" + x + "'\n  outputs: null # none\n",
       "in x float32[?,3]"},
      {"below its key", "signature:\n  inputs:\n\n    '" + x + "'\n  outputs:\n", "in x float32[?,3]"},
      {"keys within values", "signature:\n  params:\n    inputs: 7\n  inputs: '" + x + "'\n", "in x float32[?,3]"},
      {"escapes of YAML",
       R"(signature:
  inputs: "[{\"name\":\t\"caf\xE9\U0001F600\u00e9\\u0041\", \"type\": \"double\"}]"
)",
       "in caf\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9"
       "A float64"},
      {"carriage returns", "signature:\r\n  inputs: '[{\"type\":\r\n\r\n    \"string\"}]'\r\n", "in input_0 string"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(file(c.signature)), c.expected) << c.what;
  const std::string text = file("signature:\n  inputs: '" + x + "'\n");
  for (const char* before : {"---\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF%YAML 1.1\n--- # of mine\n"})
    EXPECT_EQ(outcome(before + text), "in x float32[?,3]") << before;
}

TEST(Mlmodel, Errors) {
  const auto inputs = [](const std::string& json) { return file("signature:\n  inputs: '" + json + "'\n"); };
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"no signature", file(""), "nothing_declared x: it has no signature"},
      {"null", file("signature: null\n"), "nothing_declared x: it has no signature"},
      {"not a block", file("signature: {}\n"), "mlmodel x@0x5a: a signature that is no block of inputs and outputs"},
      {"a list", file("signature:\n  inputs:\n  - name: x\n    type: double\n"),
       "mlmodel x@0x61: a list of YAML, where MLflow has the text of a JSON list"},
      {"a list below", file("signature:\n  outputs:\n    - {name: x}\n"),
       "mlmodel x@0x62: a list of YAML, where MLflow has the text of a JSON list"},
      {"a tab", file("signature:\n\tinputs: '[]'\n"), "mlmodel x@0x57: a tab in the indentation"},
      {"half an escape", file("signature:\n  inputs: \"\\xE\"\n"), "mlmodel x@0x63: an unknown escape in a text"},
      {"no end", "flavors:\nsignature:\n  inputs: '[", "mlmodel x@0x1e: a text that does not end"},
      {"no JSON", inputs("[{]"), "mlmodel x@0x57: inputs: byte 3: not valid JSON: "},
      {"no list", inputs("{}"), "mlmodel x@0x57: inputs are no list"},
      {"no type", inputs("[{\"name\": \"x\"}]"), "mlmodel x@0x57: input_0 has no type"},
      {"no shape", inputs("[{\"type\": \"tensor\", \"tensor-spec\": {\"dtype\": \"int8\"}}]"),
       "mlmodel x@0x57: input_0 has no tensor-spec of dtype and shape"},
      {"half a size", inputs(tensors("[1.5]")), "mlmodel x@0x57: x has a size that is no whole number"},
      {"a negative size", inputs(tensors("[-2]")), "invalid_extent x@0x57: x: -2"},
      {"a NUL in a name", inputs("[{\"name\": \"a\\u0000\", \"type\": \"double\"}]"),
       std::string("invalid_name x: a NUL in 'a\0'", 29)},
      {"an escape", file("signature:\n  inputs: \"\\q\"\n"), "mlmodel x@0x63: an unknown escape in a text"},
  };
  for (const auto& c : cases)
    EXPECT_TRUE(outcome(c.text, "mlmodel").starts_with(c.expected)) << c.what << ": " << outcome(c.text, "mlmodel");
  std::string axes = "1";
  for (int i = 0; i < 70; ++i) axes += ",1";
  EXPECT_TRUE(outcome(inputs(tensors("[" + axes + "]")), "mlmodel").starts_with("rank_too_large x@0x57: x"));
}

}  // namespace
}  // namespace tensorspec
