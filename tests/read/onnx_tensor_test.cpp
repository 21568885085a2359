// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/reader.hpp"
#include "wire/proto_builder.hpp"

namespace tensorspec {
namespace {

using tests::bytes;
using tests::fixed32;
using tests::outcome;
using tests::varint;

std::string dims(const std::vector<std::uint64_t>& sizes) {
  std::string out;
  for (const std::uint64_t size : sizes) out += varint(1, size);
  return out;
}
std::string packed(const std::vector<std::uint64_t>& sizes) {
  std::string out;
  for (const std::uint64_t size : sizes) out += varint(size);
  return bytes(1, out);
}
// TensorProto
std::string tensor(const std::vector<std::uint64_t>& sizes, int type, const std::string& rest) {
  return dims(sizes) + varint(2, static_cast<std::uint64_t>(type)) + rest;
}
const std::string kRaw = bytes(9, std::string(24, '\0')), kPlain = tensor({2, 3}, 1, bytes(8, "x") + kRaw);

TEST(OnnxTensor, Tensors) {
  const std::string external = bytes(13, bytes(1, "location") + bytes(2, "../../w.bin")) + varint(14, 1);
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"raw data", kPlain, "x float32[2,3]"},
      {"packed dims", packed({2, 3}) + varint(2, 1) + bytes(8, "x") + kRaw, "x float32[2,3]"},
      {"packed dims that are printable", packed({65, 66}) + varint(2, 1) + bytes(4, "????"), "float32[65,66]"},
      {"a scalar", tensor({}, 7, bytes(9, "12345678")), "int64[]"},
      {"no elements", tensor({0, 7}, 1, ""), "float32[0,7]"},
      {"packed, no elements", packed({0, 65}) + varint(2, 1), "float32[0,65]"},
      {"fp16 in int32_data", tensor({2}, 10, bytes(5, "\1\2")), "float16[2]"},
      {"fp8 in int32_data", tensor({2}, 17, bytes(5, "\1\2")), "float8_e4m3fn[2]"},
      {"int4 in int32_data", tensor({3}, 22, bytes(5, "\1\2")), "int4[3]"},
      {"fp4 in int32_data", tensor({3}, 23, bytes(5, "\1\2")), "float4_e2m1[3]"},
      {"unpacked int32_data", tensor({2}, 3, varint(5, 1) + varint(5, 2)), "int8[2]"},
      {"unpacked float_data", tensor({1}, 1, fixed32(4, 0)), "float32[1]"},
      {"strings", tensor({2}, 8, bytes(6, "ab") + bytes(6, "cd") + bytes(8, "s")), "s string[2]"},
      {"external data", tensor({1000000}, 1, bytes(8, "w") + external), "w float32[1000000]"},
      {"a type of the future", tensor({2}, 99, kRaw), "onnx:99[2]"},
      {"fields in another order", kRaw + bytes(8, "x") + varint(2, 1) + dims({2, 3}), "x float32[2,3]"},
      {"documentation and metadata", kPlain + bytes(12, "text") + bytes(16, bytes(1, "k")), "x float32[2,3]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes), c.expected) << c.what;
}

TEST(OnnxTensor, SequencesAndOptionals) {
  const std::string a = tensor({2}, 1, ""), b = tensor({3}, 7, ""), name = bytes(1, "x");
  const std::string two = name + varint(2, 1) + bytes(3, a) + bytes(3, b);
  const std::string inner = varint(2, 1) + bytes(3, a);
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"a sequence", two, "x[0] float32[2]\nx[1] int64[3]"},
      {"of one", name + varint(2, 1) + bytes(3, a), "x[0] float32[2]"},
      {"without a name", varint(2, 1) + bytes(3, a) + bytes(3, b), "[0] float32[2]\n[1] int64[3]"},
      {"empty", name + varint(2, 1), ""},
      {"empty, without a name", varint(2, 1), ""},
      {"an optional of nothing", name + varint(2, 0), ""},
      {"an optional sequence", name + varint(2, 3) + bytes(5, inner), "x[0] float32[2]"},
      {"a sequence of sequences", name + varint(2, 3) + bytes(5, inner) + bytes(5, two),
       "x[0][0] float32[2]\nx[1][0] float32[2]\nx[1][1] int64[3]"},
      {"a sequence of optionals", name + varint(2, 5) + bytes(7, inner) + bytes(7, varint(2, 1)), "x[0] float32[2]"},
      {"sparse", name + varint(2, 2) + bytes(4, bytes(1, tensor({2}, 1, kRaw)) + varint(3, 5) + varint(3, 6)),
       "x[0] float32[5,6]"},
      {"int8 in packed form is no sequence", packed({16, 3}) + varint(2, 3) + bytes(5, "\x10\1"), "int8[16,3]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes), c.expected) << c.what;
}

// An int8 tensor without a name, its elements in int32_data, has the fields of sequences in one container.
TEST(OnnxTensor, Int8OrSequences) {
  const std::string inner = varint(2, 1) + bytes(3, tensor({2}, 1, kRaw)), minus = varint(~std::uint64_t{4});
  const auto int8 = [](const std::string& front, const std::string& data) {
    return front + varint(2, 3) + bytes(5, data);
  };
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"a scalar", int8("", "\5"), "int8[]"},
      {"a negative scalar", int8("", minus), "int8[]"},
      {"dims that look like a name", int8(packed({32, 64}), std::string(2048, '\1')), "int8[32,64]"},
      {"negative elements", int8(packed({40}), minus + std::string(39, '\x10')), "int8[40]"},
      {"elements that look like names", int8(packed({36}), std::string(36, '\n')), "int8[36]"},
      {"elements that look like values", int8(packed({56}), std::string(56, '\x1a')), "int8[56]"},
      {"elements that look like types", int8(packed({32}), std::string(32, '\x10')), "int8[32]"},
      {"an optional sequence", int8("", inner), "[0] float32[2]"},
      {"a name that looks like dims", int8(bytes(1, "0"), inner), "0[0] float32[2]"},
      {"an empty sequence", int8("", varint(2, 1)), ""},
      {"an empty message", int8("", ""), ""},
      {"a sequence that is damaged", int8(bytes(1, "seq"), inner.substr(0, 9)),
       "bad protobuf_malformed x@0x0b: field 3 says 30 bytes, 5 remain"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes), c.expected) << c.what;
}

TEST(OnnxTensor, HostileValues) {
  std::vector<std::uint64_t> ones(kMaxRank + 1, 1);
  std::string deep = varint(2, 1);
  for (int i = 0; i < 40; ++i) deep = varint(2, 3) + bytes(5, deep);
  const std::string bad = tensor({1}, 0, "");
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"empty", "", "onnx_tensor x@0x00: data type 0"},
      {"no type", dims({2}) + kRaw, "onnx_tensor x@0x00: data type 0"},
      {"a type beyond all", tensor({2}, 123456, kRaw), "onnx_tensor x@0x00: data type 123456"},
      {"a negative extent", tensor({2, ~std::uint64_t{0}}, 1, kRaw), "invalid_extent x@0x02: -1"},
      {"2^62 + 1", tensor({(std::uint64_t{1} << 62) + 1}, 1, kRaw), "invalid_extent x@0x00: 4611686018427387905"},
      {"65 axes", tensor(ones, 1, kRaw), "rank_too_large x@0x80: "},
      {"65 axes, packed", packed(ones) + varint(2, 1) + kRaw, "rank_too_large x@0x00: "},
      {"packed dims of a page", bytes(1, std::string(4096, '\1')) + varint(2, 1) + kRaw,
       "protobuf_malformed x@0x00: field 1 has 4096 bytes, the limit is 640"},
      {"packed dims that are cut", bytes(1, "\1\x80") + varint(2, 1) + kRaw,
       "onnx_tensor x@0x00: its dims end within a number"},
      {"dims of 32 bits", fixed32(1, 2) + varint(2, 1) + kRaw, "onnx_tensor x@0x00: its dims are no whole numbers"},
      {"a long name", tensor({1}, 1, bytes(8, std::string(kMaxNameBytes + 1, 'n')) + kRaw),
       "protobuf_malformed x@0x04: field 8 has 4097 bytes, the limit is 4096"},
      {"a name that is no text", tensor({1}, 1, bytes(8, "\xff") + kRaw), "invalid_name x: not UTF-8"},
      {"NUL in a name", tensor({1}, 1, bytes(8, std::string(1, '\0')) + kRaw),
       "invalid_name x: a NUL in '" + std::string(1, '\0') + "'"},
      {"data beyond the end", tensor({2, 3}, 1, bytes(9, "", 24)),
       "protobuf_malformed x@0x06: field 9 says 24 bytes, 0 remain"},
      {"a map", bytes(1, "m") + varint(2, 4) + bytes(6, varint(2, 7)),
       "bad onnx_tensor x@0x05: a map, which is not read"},
      {"one bad of three", varint(2, 1) + bytes(3, tensor({1}, 1, "")) + bytes(3, bad) + bytes(3, tensor({2}, 1, "")),
       "[0] float32[1]\n[2] float32[2]\nbad onnx_tensor x@0x0a: data type 0"},
      {"one cut of two", varint(2, 1) + bytes(3, tensor({1}, 1, bytes(9, "", 4))) + bytes(3, tensor({2}, 1, "")),
       "[1] float32[2]\nbad protobuf_malformed x@0x08: field 9 says 4 bytes, 0 remain"},
      {"nested deeper than the limit", deep, "bad onnx_tensor x@0x4a: nested deeper than 16"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes, "onnx_tensor"), c.expected) << c.what;
}

TEST(OnnxTensor, CutAnywhere) {
  for (std::size_t size = 0; size < kPlain.size(); ++size) {
    const std::string said = outcome(kPlain.substr(0, size), "onnx_tensor");
    // A message that ends between two fields is a whole message.
    EXPECT_TRUE(said.starts_with("protobuf_malformed x@") || said.starts_with("onnx_tensor x@") || size == 6 ||
                size == 9)
        << size << " " << said;
  }
}

TEST(OnnxTensor, AMillionTensorsAndNotMore) {
  const std::string one = bytes(3, tensor({1}, 1, ""));
  std::string sequence = bytes(1, "x") + varint(2, 1);
  for (std::size_t i = 0; i <= kMaxTensors; ++i) sequence += one;
  tests::Collector sink;
  EXPECT_EQ(tests::described(tests::read(sequence, sink).error()), "too_many_tensors x: the limit is 1048576");
  EXPECT_EQ(sink.tensors.size(), kMaxTensors);
}

TEST(OnnxTensor, ContentsDecide) {
  EXPECT_EQ(outcome(kPlain, {}, "a.npy"), "x float32[2,3]");
  for (const std::string& other :
       {std::string("\nplain text\n"), std::string("\x10"), tensor({2}, 0, ""), kPlain + varint(15, 1),
        tensor({2}, 1, "") + varint(9, 1), std::string("\n {\"\x10\1")})
    EXPECT_TRUE(outcome(other).starts_with("unknown_format")) << outcome(other);
}

}  // namespace
}  // namespace tensorspec
