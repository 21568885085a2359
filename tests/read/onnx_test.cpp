// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/reader.hpp"
#include "support/places.hpp"
#include "wire/proto_builder.hpp"

namespace tensorspec {
namespace {

using tests::bytes;
using tests::outcome;
using tests::varint;

// TensorShapeProto of "3 batch ?": sizes, texts, and ? for a dim of which nothing is said.
std::string shape(const std::string& text) {
  std::string out;
  std::stringstream list(text);
  for (std::string dim; list >> dim;) {
    if (dim == "?") out += bytes(1, "");
    else if (dim.find_first_not_of("-0123456789") == std::string::npos)
      out += bytes(1, varint(1, static_cast<std::uint64_t>(std::stoll(dim))));
    else out += bytes(1, bytes(2, dim));
  }
  return out;
}
// TypeProto of a tensor.
std::string tensor(int type, const std::string& dims) {
  return bytes(1, varint(1, static_cast<std::uint64_t>(type)) + bytes(2, shape(dims)));
}
// ValueInfoProto as input or output.
std::string input(const std::string& name, const std::string& type) {
  return bytes(11, bytes(1, name) + bytes(2, type));
}
std::string output(const std::string& name, const std::string& type) {
  return bytes(12, bytes(1, name) + bytes(2, type));
}
std::string weight(const std::string& name, std::size_t size = 8) {
  return bytes(5, varint(1, size / 4) + varint(2, 1) + bytes(8, name) + bytes(9, std::string(size, '\0')));
}
std::string model(const std::string& graph) {
  return varint(1, 8) + bytes(2, "pytorch") + bytes(3, "2.13.0") + bytes(7, graph) + bytes(8, varint(2, 21));
}

TEST(Onnx, InputsAndOutputs) {
  const std::string x = input("x", tensor(1, "batch 3 ?")), y = output("y", tensor(7, "batch")),
                    node = bytes(1, bytes(1, "x") + bytes(2, "y") + bytes(4, "Relu"));
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"a model", model(node + bytes(2, "graph") + x + y), "in x float32[batch,3,?]\nout y int64[batch]"},
      {"no inputs", model(y), "out y int64[batch]"},
      {"an empty graph", model(""), ""},
      {"weights are no inputs", model(weight("w") + input("w", tensor(1, "2")) + x + y),
       "in x float32[batch,3,?]\nout y int64[batch]"},
      {"weights behind the inputs", model(input("w", tensor(1, "2")) + x + weight("w")), "in x float32[batch,3,?]"},
      {"sparse weights", model(bytes(15, bytes(1, varint(1, 2) + varint(2, 1) + bytes(8, "w"))) + input("w", "") + x),
       "in x float32[batch,3,?]"},
      {"weights elsewhere",
       model(bytes(5, varint(1, 1 << 30) + varint(2, 1) + bytes(8, "w") + bytes(13, bytes(1, "location")) +
                          varint(14, 1)) +
             x),
       "in x float32[batch,3,?]"},
      {"no shape", model(input("x", bytes(1, varint(1, 1)))), "in x float32"},
      {"no type", model(input("x", "")), "in x "},
      {"a scalar", model(input("x", tensor(1, ""))), "in x float32[]"},
      {"a size of -1 says nothing", model(input("x", tensor(1, "-1 0"))), "in x float32[?,0]"},
      {"expressions as they stand", model(input("x", tensor(1, "past+seq *"))), "in x float32[past+seq,*]"},
      {"the last of size and text counts",
       model(input("x", bytes(1, bytes(2, bytes(1, varint(1, 5) + bytes(2, "n")))))), "in x [n]"},
      {"sequence", model(input("x", bytes(4, bytes(1, tensor(1, "2"))))), "in x sequence(float32)"},
      {"optional sequence", model(input("x", bytes(9, bytes(1, bytes(4, bytes(1, tensor(1, "2"))))))),
       "in x optional(sequence(float32))"},
      {"map", model(input("x", bytes(5, varint(1, 8) + bytes(2, tensor(1, ""))))), "in x map(float32)"},
      {"sparse", model(input("x", bytes(8, varint(1, 1) + bytes(2, shape("3"))))), "in x sparse(float32)"},
      {"opaque", model(input("x", bytes(7, bytes(1, "ai.x")))), "in x opaque()"},
      {"a type of the future", model(input("x", tensor(99, "2"))), "in x onnx:99[2]"},
      {"without a producer", varint(1, 3) + bytes(7, x), "in x float32[batch,3,?]"},
      {"graph in two parts", varint(1, 3) + bytes(7, x) + bytes(7, y), "in x float32[batch,3,?]\nout y int64[batch]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes), c.expected) << c.what;
}

TEST(Onnx, HostileModels) {
  std::string deep = tensor(1, "2"), axes;
  for (int i = 0; i < 100; ++i) deep = bytes(4, bytes(1, deep));
  for (std::size_t i = 0; i <= kMaxRank; ++i) axes += "1 ";
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"empty", "", "onnx_model x@0x00: it has no graph"},
      {"no graph", varint(1, 8) + bytes(2, "p"), "onnx_model x@0x00: it has no graph"},
      {"a graph that is cut", varint(1, 8) + bytes(7, "", 9),
       "protobuf_malformed x@0x02: field 7 says 9 bytes, 0 remain"},
      {"an input beyond the graph", varint(1, 8) + bytes(7, bytes(11, "", 99)) + bytes(8, std::string(100, '\0')),
       "protobuf_malformed x@0x04: field 11 says 99 bytes, 0 remain"},
      {"weights of 2^60 bytes", varint(1, 8) + bytes(7, bytes(5, "", std::uint64_t{1} << 60)),
       "protobuf_malformed x@0x04: field 5 says 1152921504606846976 bytes, 0 remain"},
      {"no name", varint(1, 8) + bytes(7, bytes(11, bytes(2, tensor(1, "2")))),
       "onnx_model x@0x04: an input or output without a name"},
      {"a name that is no text", varint(1, 8) + bytes(7, input("\xff", "")), "invalid_name x: not UTF-8"},
      {"a long name", varint(1, 8) + bytes(7, input(std::string(kMaxNameBytes + 1, 'n'), "")),
       "protobuf_malformed x@0x08: field 1 has 4097 bytes, the limit is 4096"},
      {"a long text of a dim", varint(1, 8) + bytes(7, input("x", tensor(1, std::string(kMaxNameBytes + 1, 'n')))),
       "protobuf_malformed x@0x19: field 2 has 4097 bytes, the limit is 4096"},
      {"2^62 + 1", varint(1, 8) + bytes(7, input("x", tensor(1, "4611686018427387905"))),
       "invalid_extent x@0x13: 4611686018427387905"},
      {"65 axes", varint(1, 8) + bytes(7, input("x", tensor(1, axes))), "rank_too_large x@0x116: "},
      {"a data type beyond all", varint(1, 8) + bytes(7, input("x", tensor(123456, "2"))),
       "onnx_model x@0x0d: data type 123456"},
      {"types in types", varint(1, 8) + bytes(7, input("x", deep)), "onnx_model x@0x6e: a type nested deeper than 16"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes, "onnx"), c.expected) << c.what;
}

TEST(Onnx, CutAnywhereIsAnError) {
  const std::string whole = varint(1, 8) + bytes(7, weight("w") + input("x", tensor(1, "batch 3")));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(outcome(whole.substr(0, size), "onnx").find(" x@0x") != std::string::npos) << size;
}

TEST(Onnx, ManyInputsAndNames) {
  const std::string one = input("x", ""), long_weight = weight(std::string(kMaxNameBytes, 'n'), 0);
  std::string graph, names;
  for (std::size_t i = 0; i <= kMaxTensors; ++i) graph += one;
  EXPECT_TRUE(outcome(model(graph)).starts_with("too_many_tensors x@"));
  for (std::size_t i = 0; i <= (std::size_t{64} << 20) / kMaxNameBytes; ++i) names += long_weight;
  EXPECT_TRUE(outcome(model(names)).ends_with("its names take more than 67108864 bytes"));
}

// SavedModel of TensorFlow begins with the same two fields.
TEST(Onnx, ContentsDecide) {
  const std::string whole = model(input("x", tensor(1, "2")));
  EXPECT_EQ(outcome(whole, {}, "a.pb"), "in x float32[2]");
  // The head ends within a text: what stands behind it decides.
  const std::string text = varint(1, 8) + bytes(6, std::string(10'000, 'd'));
  EXPECT_EQ(outcome(text + bytes(7, input("x", tensor(1, "2")))), "in x float32[2]");
  EXPECT_TRUE(outcome(text + bytes(9, "")).starts_with("unknown_format"));
  for (const std::string& other : {varint(1, 1) + bytes(2, bytes(1, bytes(1, "\n\1x"))), varint(1, 0) + bytes(7, ""),
                                   varint(1, 5000) + bytes(7, ""), varint(1, 8), whole + varint(19, 1),
                                   varint(1, 8) + bytes(2, std::string(300, 'a')), bytes(7, "")})
    EXPECT_TRUE(outcome(other).starts_with("unknown_format")) << outcome(other);
}

TEST(Onnx, DeclaredContractOfAFile) {
  const std::string folder = tests::source_folder() + "/tests/golden/read/";
  const auto found = read_contract(folder + "onnx/named_axis.onnx");
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->contract.variants().size(), 1u);
  EXPECT_EQ(found->contract.variants()[0].inputs[0].shape[0].to_string(), "n");
  EXPECT_EQ(read_declared(folder + "npy/bool.npy").error().code, ErrorCode::nothing_declared);
  EXPECT_EQ(read_contract(folder + "npy/bool.npy").error().code, ErrorCode::nothing_declared);
  EXPECT_EQ(read_contract(folder + "recording/two_calls.jsonl").error().code, ErrorCode::json_syntax);
}

}  // namespace
}  // namespace tensorspec
