// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "read/collector.hpp"
#include "support/contracts.hpp"
#include "support/exports.hpp"

namespace tensorspec {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using tests::bytes;
using tests::varint;

std::string saved(const std::string& name, const std::string& model) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << model;
  return path;
}

// ValueInfoProto of a float tensor; dims are sizes, names or "?".
std::string value(const std::string& name, const std::vector<std::string>& dims) {
  std::string shape;
  for (const std::string& dim : dims) {
    const bool size = dim.find_first_not_of("0123456789") == std::string::npos;
    shape += bytes(1, dim == "?" ? "" : size ? varint(1, std::stoull(dim)) : bytes(2, dim));
  }
  return bytes(1, name) + bytes(2, bytes(1, varint(1, 1) + bytes(2, shape)));
}
std::string model(const std::string& graph) { return varint(1, 8) + bytes(7, graph) + bytes(8, varint(2, 21)); }

Result<Exported> rewrite(const Contract& contract, const std::string& file) {
  return export_contract(contract, "onnx", {.variant = {}, .profiles = {}, .model = saved("rewrite.onnx", file)});
}
// What the rewritten model declares.
std::string declared(const Contract& contract, const std::string& file) {
  const auto exported = rewrite(contract, file);
  return exported.ok() ? tests::outcome(tests::text_of(*exported)) : tests::described(exported.error());
}

TEST(OnnxExport, DeclaresInputsAndOutputsAnew) {
  const Contract contract = tests::contract("x b,3,8*h; m b,p+b | y b,floor(h/2) | b 1..8; h 1..9; p ..3");
  const std::string x = bytes(11, value("x", {"N", "3", "64"})), m = bytes(11, value("m", {"?", "N"})),
                    y = bytes(12, value("y", {"N", "7"}));
  EXPECT_EQ(declared(contract, model(x + m + y)),
            "in x float32[b,3,8*h]\nin m float32[b,b+p]\nout y float32[b,floor(h/2)]");
  EXPECT_EQ(declared(contract, model(y + m + x)),
            "in m float32[b,b+p]\nin x float32[b,3,8*h]\nout y float32[b,floor(h/2)]");
  EXPECT_THAT(rewrite(contract, model(x + m + y))->notes,
              Contains("declared otherwise before: x[2] was 64, y[1] was 7"));
  const struct {
    const char* what;
    std::string graph;
    const char* expected;
  } cases[] = {
      {"an input is missing", m + y, "export_model x: the model has no such input; it has "},
      {"an output is missing", x + m, "export_model y: the model has no such output; it has "},
      {"another rank", bytes(11, value("x", {"N", "3"})) + m + y,
       "export_model x: the model declares a rank of 2, the contract 3"},
  };
  for (const auto& c : cases) EXPECT_THAT(declared(contract, model(c.graph)), StartsWith(c.expected)) << c.what;
  EXPECT_THAT(declared(contract, varint(1, 8) + bytes(2, "p")), StartsWith("onnx_model "));
  EXPECT_THAT(declared(contract, varint(1, 8) + bytes(7, "", 9)), StartsWith("protobuf_malformed "));
}

TEST(OnnxExport, RestIsCopiedAndASecondTimeChangesNothing) {
  const Contract contract = tests::contract("x b,3 | y b | b 1..8");
  const std::string weight = bytes(5, varint(1, 2) + varint(2, 1) + bytes(8, "w") + bytes(9, "12345678"));
  const std::string node =
      bytes(1, bytes(1, "x") + bytes(2, "y") + bytes(4, "Relu") + bytes(5, bytes(1, "a") + varint(20, 2)));
  const std::string other = bytes(11, value("unknown", {"b", "5"}));
  const std::string graph = node + bytes(2, "g") + weight + bytes(11, value("x", {"N", "3"})) + other +
                            bytes(12, value("y", {"N"})) + bytes(13, value("inner", {"b", "4", "?"}));
  const std::string props = bytes(14, bytes(1, "author") + bytes(2, "somebody"));
  const auto once = rewrite(contract, model(graph) + props);
  ASSERT_TRUE(once.ok()) << once.error().message();
  const std::string text = tests::text_of(*once);
  for (const std::string& part : {node, bytes(2, "g"), weight, props, bytes(8, varint(2, 21))})
    EXPECT_THAT(text, HasSubstr(part));
  // b of the file is not b of the contract.
  EXPECT_THAT(text, HasSubstr(bytes(13, value("inner", {"?", "4", "?"}))));
  EXPECT_THAT(tests::outcome(text), HasSubstr("in unknown float32[?,5]"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "{\"symbols\":{\"b\":{\"min\":1,\"max\":8}},\"inputs\":{\"x\":[\"b\",3]},\"outputs\":{\"y\":[\"b\"]}}"));
  const auto twice = rewrite(contract, text);
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(tests::text_of(*twice), text);
}

TEST(OnnxExport, GraphsWithinGraphs) {
  const Contract contract = tests::contract("x b | y b | b 1..8");
  const std::string inner = bytes(12, value("z", {"b"})) + bytes(2, "then");
  const auto node = [](const std::string& graph) {
    return bytes(1, bytes(4, "If") + bytes(5, bytes(1, "then_branch") + bytes(6, graph)));
  };
  const std::string graph = node(inner) + bytes(11, value("x", {"b"})) + bytes(12, value("y", {"b"}));
  const auto out = rewrite(contract, model(graph));
  ASSERT_TRUE(out.ok()) << out.error().message();
  EXPECT_THAT(tests::text_of(*out), HasSubstr(node(bytes(12, value("z", {"?"})) + bytes(2, "then"))));
  std::string deep = inner;
  for (int i = 0; i < 40; ++i) deep = node(deep);
  EXPECT_THAT(declared(contract, model(deep)), StartsWith("onnx_model "));
}

TEST(OnnxExport, OnlyWhatIsSureIsWritten) {
  // One size in all calls, where the model leaves it open; two sizes are too few for 2*batch.
  const Contract contract = tests::shipped_contract("cfg");
  Contract::Data data = contract.data();
  for (Claim& claim : data.variants[0].claims)
    if (claim.tensor == "timestep") claim.certainty = Certainty::weak;
  const auto unsure = Contract::make(data);
  ASSERT_TRUE(unsure.ok());
  const auto out = rewrite(*unsure, tests::model_of(data.variants[0]));
  ASSERT_TRUE(out.ok()) << out.error().message();
  EXPECT_THAT(tests::outcome(tests::text_of(*out)), HasSubstr("in timestep float32[?]"));
  EXPECT_THAT(out->notes, Contains("left open, since the claim is weak: timestep[0] = 2*batch"));
  const Contract fixed = tests::shipped_contract("ocr");
  const std::string graph =
      bytes(11, value("x", {"N", "3", "H", "W"})) + bytes(12, value("softmax_11.tmp_0", {"N", "T", "6625"}));
  EXPECT_THAT(declared(fixed, model(graph)), HasSubstr("in x float32[batch,3,?,s0]"));
}

TEST(OnnxExport, WeightsElsewhereAndTheModelItself) {
  const Contract contract = tests::contract("x b | | b 1..8");
  const std::string weight = bytes(5, varint(1, 9) + varint(2, 1) + bytes(8, "w") +
                                          bytes(13, bytes(1, "location") + bytes(2, "w.bin")) + varint(14, 1));
  const auto out = rewrite(contract, model(weight + bytes(11, value("x", {"N"}))));
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(out->notes, Contains(StartsWith("weights are in other files")));
  EXPECT_EQ(save_export(*out, out->model).error().code, ErrorCode::invalid_argument);
  const std::string target = testing::TempDir() + "copy.onnx";
  EXPECT_TRUE(save_export(*out, target).ok());
  EXPECT_EQ(tests::file_text(target), tests::text_of(*out));
  // A model that is cut after it was looked at: an error, and the target is as it was.
  std::ofstream(out->model, std::ios::binary) << "short";
  std::ofstream(target, std::ios::binary) << "mine";
  EXPECT_EQ(save_export(*out, target).error().code, ErrorCode::file_read);
  EXPECT_EQ(tests::file_text(target), "mine");
  EXPECT_EQ(export_contract(contract, "onnx", {.variant = {}, .profiles = {}, .model = "no/such.onnx"}).error().code,
            ErrorCode::file_open);
}

}  // namespace
}  // namespace tensorspec
