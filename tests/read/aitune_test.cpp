// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "tensorspec/tensor_spec.hpp"

namespace tensorspec {
namespace {

using tests::outcome;

std::string spec(const std::string& shape, const std::string& low, const std::string& high,
                 const std::string& multipliers) {
  return R"({"type": "TensorSpec", "shape": )" + shape + R"(, "min_shape": )" + low + R"(, "max_shape": )" + high +
         R"(, "dtype": "torch.float16", "_bs_multipliers": )" + multipliers + "}";
}

TEST(Aitune, Specs) {
  const std::string x = spec(R"(["batch0", 3, "dim2"])", "[1, 3, 10]", "[8, 3, 20]", "[1.0, NaN, NaN]");
  const std::string twice = spec(R"(["batch0"])", "[2]", "[16]", "[2]"),
                    half = spec(R"(["batch0"])", "[1]", "[4]", "[0.5]");
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"one", x, "in input_0 float16[batch 1..8,3,? 10..20]"},
      {"a list", "[" + x + ",[" + twice + "]]", "in [0] float16[batch 1..8,3,? 10..20]\nin [1][0] float16[2*batch]"},
      {"names", "{\"args\":[" + x + "],\"kwargs\":{\"y\":" + half + "},\"other\":[1,null,{\"type\":\"x\"}]}",
       "in args[0] float16[batch 1..8,3,? 10..20]\nin kwargs.y float16[? 1..4]"},
      {"sides", "{\"inputs\":{\"x\":" + twice + "},\"outputs\":[" + half + "]}",
       "in x float16[2*batch]\nout outputs[0] float16[? 1..4]"},
      {"only like sides", "{\"outputs_mask\":" + half + ",\"inputs_mask\":" + half + ",\"outputs\":" + half + "}",
       "in outputs_mask float16[? 1..4]\nin inputs_mask float16[? 1..4]\nout outputs float16[? 1..4]"},
      {"behind a long key", "{\"" + std::string(4080, 'k') + "\":0,\"inputs\":{\"x\":" + half + "}}",
       "in x float16[? 1..4]"},
      {"behind a long name", "{\"inputs\":{\"" + std::string(4090, 'k') + "\":" + half + "}}",
       "in " + std::string(4090, 'k') + " float16[? 1..4]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.text), c.expected) << c.what;
  // What our own class writes.
  const auto own = TensorSpec::from_dict(x.substr(0, x.find("NaN")) + "null, null]}");
  ASSERT_TRUE(own.ok()) << own.error().message();
  EXPECT_EQ(outcome(own->to_dict()), cases[0].expected);
}

TEST(Aitune, Errors) {
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"none", "{\"a\":[]}", "nothing_declared x: no TensorSpec in it"},
      {"no JSON", "{", "json_syntax x: byte 2: "},
      {"a field too few", "{\"a\":{\"type\":\"TensorSpec\"}}", "invalid_dict x:a dtype: missing"},
      {"lists of other lengths", "[" + spec("[1, 2]", "[1]", "[1]", "[1]") + "]",
       "invalid_dict x:[0]: its lists differ in length"},
      {"a range backwards", spec("[\"dim0\"]", "[5]", "[4]", "[1]"), "invalid_extent x: 5..4"},
      {"a NUL in a name", "{\"a\\u0000\":" + spec("[]", "[]", "[]", "[]") + "}",
       std::string("invalid_name x: a NUL in 'a\0'", 29)},
  };
  for (const auto& c : cases)
    EXPECT_TRUE(outcome(c.text, "aitune").starts_with(c.expected)) << c.what << ": " << outcome(c.text, "aitune");
  std::string axes = "1";
  for (int i = 0; i < 70; ++i) axes += ",1";
  axes = "[" + axes + "]";
  EXPECT_EQ(outcome(spec(axes, axes, axes, axes), "aitune"), "rank_too_large x: ");
}

}  // namespace
}  // namespace tensorspec
