// SPDX-License-Identifier: Apache-2.0
//
// What goldens of exports do not show: names, several profiles, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/contracts.hpp"
#include "support/exports.hpp"

namespace tensorspec {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<Profile> kTwo = {{{{"b", {1, 2, 4}}, {"s", {1, 8, 16}}}}, {{{"b", {1, 1, 1}}, {"s", {17, 32, 64}}}}};

std::string text(const Contract& contract, std::string_view exporter, const std::vector<Profile>& profiles = {}) {
  return tests::export_text(contract, exporter, {.variant = {}, .profiles = profiles, .model = {}});
}

Contract named(const std::string& name) {
  Contract::Data data;
  Variant variant;
  variant.inputs.push_back({.name = name,
                            .dtypes = {DType(DType::Kind::float32)},
                            .shape = {Dim::symbol("b")},
                            .optional = false,
                            .unknown = ""});
  Symbol symbol;
  symbol.name = "b";
  symbol.min = 1;
  symbol.max = 8;
  variant.symbols.push_back(symbol);
  data.variants.push_back(std::move(variant));
  return Contract::make(std::move(data)).value();
}

TEST(Dialects, SeveralProfiles) {
  const Contract contract = tests::contract("x b,s | | b 1..8; s 1..64; batch=b");
  EXPECT_EQ(text(contract, "trtexec", kTwo),
            "--profile=0 --minShapes=x:1x1 --optShapes=x:2x8 --maxShapes=x:4x16\n"
            "--profile=1 --minShapes=x:1x17 --optShapes=x:1x32 --maxShapes=x:1x64\n");
  EXPECT_THAT(text(contract, "onnxruntime", kTwo), HasSubstr("\"trt_profile_max_shapes\": \"x:4x16,x:1x64\""));
  EXPECT_EQ(
      text(contract, "polygraphy", kTwo),
      "--input-shapes 'x:[2,8]'\n--trt-min-shapes 'x:[1,1]'\n--trt-opt-shapes 'x:[2,8]'\n--trt-max-shapes 'x:[4,16]'\n"
      "--trt-min-shapes 'x:[1,17]'\n--trt-opt-shapes 'x:[1,32]'\n--trt-max-shapes 'x:[1,64]'\n");
  EXPECT_THAT(text(contract, "coreml", kTwo), HasSubstr("shape=ct.EnumeratedShapes(shapes=[(4, 16), (1, 64)])"));
  EXPECT_THAT(text(contract, "buckets", kTwo), HasSubstr("\n(1, 64, 0)\n(4, 16, 0)\n"));
  EXPECT_THAT(text(contract, "openvino", kTwo), HasSubstr("\"[1..4,1..64]\"")) << "one box around both";
}

TEST(Dialects, CoreMlTakesEnumeratedShapesOfOneInputAnd128) {
  const Contract two = tests::contract("x b,s; y b,s | | b 1..8; s 1..64");
  EXPECT_THAT(text(two, "coreml", kTwo), StartsWith("export_refused y: Core ML takes enumerated shapes of one input"));
  std::vector<Profile> many;
  for (std::int64_t size = 1; size <= 129; ++size) many.push_back({{{"s", {size, size, size}}}});
  const Contract one = tests::contract("x s | | s 1..200");
  EXPECT_THAT(text(one, "coreml", many), StartsWith("export_refused x: Core ML takes 128 shapes"));
  many.pop_back();
  EXPECT_THAT(text(one, "coreml", many), HasSubstr("(128,)"));
}

TEST(Dialects, NamesThatADialectCannotCarry) {
  const struct {
    const char *exporter, *name, *expected;
  } cases[] = {
      {"trtexec", "a,b", "export_name a,b: "},     {"trtexec", "it's", "export_name it's: "},
      {"trtexec", "x:0", "--minShapes=x:0:1\n"},   {"trtexec", "a b", "'--minShapes=a b:1'\n"},
      {"onnxruntime", "x:0", "export_name x:0: "}, {"onnxruntime", "a,b", "export_name a,b: "},
      {"polygraphy", "a\nb", "export_name a"},     {"polygraphy", "it's", "--input-shapes 'it'\\''s:[8]'\n"},
      {"coreml", "x.0", "# coremltools"},          {"tf", "x 0", "# tf"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(text(named(c.name), c.exporter), StartsWith(c.expected)) << c.exporter << " " << c.name;
  EXPECT_THAT(text(named("a\"b\\\n"), "triton"), HasSubstr("name: \"a\\\"b\\\\\\012\"\n"));
  const auto renamed = export_contract(named("x.0"), "coreml");
  EXPECT_THAT(renamed->notes, testing::Contains("renamed: input x.0 is x_0"));
}

TEST(Dialects, TritonBatchesOnlyOnAxis0OfEverything) {
  const struct {
    const char *what, *contract;
    const char* expected;
  } cases[] = {
      {"the batch leads", "x batch,3 | y batch | batch 1..8", "max_batch_size: 8\n"},
      {"an output does not have it", "x batch,3 | y 3 | batch 1..8", "max_batch_size: 0\n"},
      {"on axis 1", "x 3,batch | y batch | batch 1..8", "max_batch_size: 0\n"},
      {"stacked twice", "x 2*batch,3 | y 2*batch | batch 1..8", "max_batch_size: 0\n"},
      {"a scalar beside it", "x batch,3; t | y batch | batch 1..8", "max_batch_size: 0\n"},
      {"no limit", "x batch,3 | y batch | batch 1..", "max_batch_size: 0\n"},
      {"not the batch", "x n,3 | y n | n 1..8", "max_batch_size: 0\n"},
      {"called otherwise", "x n,3 | y n | n 1..8; batch=n", "max_batch_size: 8\n"},
      {"the batch alone", "x batch | y batch | batch 1..8", "dims: [ 1 ]\n    reshape { shape: [ ] }\n"},
  };
  for (const auto& c : cases) EXPECT_THAT(text(tests::contract(c.contract), "triton"), HasSubstr(c.expected)) << c.what;
}

TEST(Dialects, SizesBeyondWhatADialectHolds) {
  const Contract large = tests::contract("x s | | s 1..4294967296");
  EXPECT_THAT(text(large, "onnxruntime"), StartsWith("export_refused x: the provider holds sizes in 32 bits"));
  EXPECT_THAT(text(large, "trtexec"), HasSubstr("x:4294967296"));
  EXPECT_THAT(text(tests::contract("x n | y n | n 1..4294967296; batch=n"), "triton"), HasSubstr("max_batch_size: 0"));
  EXPECT_THAT(text(tests::contract("x 0,s | | s 1..4"), "coreml"),
              StartsWith("export_refused x: Core ML has no axis of size 0"));
  EXPECT_THAT(text(tests::contract("x a,b,c | | a 1..2; b 1..2; c 1..2"), "buckets"),
              StartsWith("export_refused buckets: "));
}

TEST(Dialects, ExpressionsInOtherNotations) {
  const Contract contract = tests::contract(
      "x t,h; y ceil(t/2)*floor((h+3)/8); z 2*p+1; q t*u; k u2+v | | t 1..9; h 1..64%16; p ..3; u 1..2; u2 1..5; v "
      "1..5");
  const std::string jax = text(contract, "jax");
  EXPECT_THAT(jax, HasSubstr("_shape(\"t, 16*h_16\")"));
  EXPECT_THAT(jax, HasSubstr("_shape(\"-2*h_16*floordiv(-t, 2)\")"));
  EXPECT_THAT(jax, HasSubstr("\"p_plus_1 >= 1\",\n    \"p_plus_1 <= 4\""));
  EXPECT_THAT(jax, HasSubstr("_shape(\"2*p_plus_1-1\")"));
  // Two unknown symbols on one axis, and an unknown in a product, cannot be solved: a range.
  EXPECT_THAT(jax, HasSubstr("_shape(\"u2_plus_v\")"));
  EXPECT_THAT(jax, HasSubstr("_shape(\"t_x_u\")"));
  const std::string torch = text(contract, "torch_export");
  EXPECT_THAT(torch, HasSubstr("\"x\": {0: t, 1: 16 * h_16}"));
  EXPECT_THAT(torch, HasSubstr("\"z\": {0: 2 * p + 1}"));
  EXPECT_THAT(torch, HasSubstr("Dim.DYNAMIC(min="));
  EXPECT_THAT(text(contract, "torch_compile"), HasSubstr("y_0 == "));
}

TEST(Dialects, PathsBecomeNestedArguments) {
  const Contract contract =
      tests::contract("args[1] b; args[0].mask b; cache.keys[1] b; cache.keys[0] b; k[\"a.b\"] b | | b 1..8");
  const std::string torch = text(contract, "torch_export");
  EXPECT_THAT(
      torch,
      HasSubstr("dynamic_shapes = (\n    {\"mask\": {0: b}},\n    {0: b},\n    {\"keys\": [{0: b}, {0: b}]},  # cache\n"
                "    {\"a.b\": {0: b}},  # k\n)"));
  EXPECT_THAT(text(contract, "torch_compile"),
              HasSubstr("\"cache\": ObjectSpec({\"keys\": SeqSpec([TensorSpec([b]), TensorSpec([b])])}),"));
  EXPECT_THAT(text(named("odd[name"), "torch_export"), HasSubstr("\"odd[name\": {0: b}"));
}

}  // namespace
}  // namespace tensorspec
