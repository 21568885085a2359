// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/reader.hpp"
#include "wire/zip_builder.hpp"

namespace tensorspec {
namespace {

using tests::le;
using tests::outcome;

// A file with this header, its own length unless another is given, and `data` bytes behind.
std::string file(std::string_view header, std::size_t data = 0, std::int64_t length = -1) {
  const auto size = length < 0 ? header.size() : static_cast<std::uint64_t>(length);
  return le(size, 8).append(header).append(data, '\0');
}

// A header's entry: entry("x", "F32", "[2,3]", 0, 24).
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, std::uint64_t begin,
                  std::uint64_t end) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}
std::string one(const std::string& dtype, const std::string& shape, std::uint64_t bytes) {
  return file("{" + entry("x", dtype, shape, 0, bytes) + "}", bytes);
}

TEST(Safetensors, Headers) {
  const std::string a = entry("a", "F32", "[2,3]", 0, 24), b = entry("b", "I64", "[4]", 24, 56);
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"two tensors", file("{" + a + "," + b + "}", 56), "a float32[2,3]\nb int64[4]"},
      {"the order of the header", file("{" + b + "," + a + "}", 56), "b int64[4]\na float32[2,3]"},
      {"none", file("{}"), ""},
      {"padded", file("{}        "), ""},
      {"blanks", file("{ \n\t" + a + " }", 24), "a float32[2,3]"},
      {"metadata", file(R"({"__metadata__":{"format":"pt","x":"y"},)" + a + "}", 24), "a float32[2,3]"},
      {"metadata of nothing", file(R"({"__metadata__":null})"), ""},
      {"metadata alone", file(R"({"__metadata__":{}})"), ""},
      {"unknown members", file(R"({"a":{"more":[{}],"shape":[],"dtype":"U8","data_offsets":[0,1]}})", 1), "a uint8[]"},
      {"no elements", one("F32", "[0,7]", 0), "x float32[0,7]"},
      {"no elements of many", one("F32", "[0,4611686018427387904,4611686018427387904]", 0),
       "x float32[0,4611686018427387904,4611686018427387904]"},
      {"escapes", file("{" + entry("\\u00e9\\n\\\"", "U8", "[]", 0, 1) + "}", 1), "\xc3\xa9\n\" uint8[]"},
      {"a name is only a name", file("{" + entry("../../etc", "U8", "[1]", 0, 1) + "}", 1), "../../etc uint8[1]"},
      {"empty name", file("{" + entry("", "U8", "[1]", 0, 1) + "}", 1), "uint8[1]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes), c.expected) << c.what;
}

TEST(Safetensors, Dtypes) {
  const struct {
    const char *tag, *shape;
    std::uint64_t bytes;
    const char* expected;
  } cases[] = {
      {"BOOL", "[2]", 2, "x bool[2]"},
      {"U16", "[2]", 4, "x uint16[2]"},
      {"I8", "[2]", 2, "x int8[2]"},
      {"U32", "[2]", 8, "x uint32[2]"},
      {"U64", "[2]", 16, "x uint64[2]"},
      {"I16", "[2]", 4, "x int16[2]"},
      {"I32", "[2]", 8, "x int32[2]"},
      {"F8_E4M3", "[4]", 4, "x float8_e4m3fn[4]"},
      {"F8_E5M2", "[4]", 4, "x float8_e5m2[4]"},
      {"F8_E4M3FNUZ", "[4]", 4, "x float8_e4m3fnuz[4]"},
      {"F8_E5M2FNUZ", "[4]", 4, "x float8_e5m2fnuz[4]"},
      {"F8_E8M0", "[4]", 4, "x float8_e8m0fnu[4]"},
      {"F6_E2M3", "[4]", 3, "x float6_e2m3fn[4]"},
      {"F6_E3M2", "[2,4]", 6, "x float6_e3m2fn[2,4]"},
      {"F16", "[3]", 6, "x float16[3]"},
      {"BF16", "[3]", 6, "x bfloat16[3]"},
      {"F64", "[1]", 8, "x float64[1]"},
      {"C64", "[1]", 8, "x complex64[1]"},
      // Pairs, as torch has them; an odd axis cannot be halved.
      {"F4", "[4,12]", 24, "x torch.float4_e2m1fn_x2[4,6]"},
      {"F4", "[2,3]", 3, "x float4_e2m1[2,3]"},
      {"Q9", "[2,3]", 5, "x Q9[2,3]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(one(c.tag, c.shape, c.bytes)), c.expected) << c.tag;
}

TEST(Safetensors, HostileHeaders) {
  const std::string a = entry("a", "F32", "[2,3]", 0, 24);
  std::string axes = "1";
  for (std::size_t i = 0; i < kMaxRank; ++i) axes += ",1";
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"empty", "", "safetensors_truncated x@0x00: length and header take 8 bytes, the file has 0"},
      {"half a length", le(2, 4), "safetensors_truncated x@0x04: length and header take 8 bytes, the file has 4"},
      {"no header", le(2, 8), "safetensors_truncated x@0x08: length and header take 10 bytes, the file has 8"},
      {"longer than the file", file("{}", 0, 3),
       "safetensors_truncated x@0x0a: length and header take 11 bytes, the file has 10"},
      {"at the limit, not there", file("{}", 0, 100'000'000),
       "safetensors_truncated x@0x0a: length and header take 100000008 bytes, the file has 10"},
      {"above the limit", file("{}", 0, 100'000'001),
       "safetensors_header_too_large x@0x00: it says 100000001 bytes, the limit is 100000000"},
      {"a length that wraps", std::string(8, '\xFF') + "{}",
       "safetensors_header_too_large x@0x00: it says 18446744073709551615 bytes, the limit is 100000000"},
      {"a length of zero", file(""), "safetensors_header x@0x08: no '{' here"},
      {"a list", file("[]"), "safetensors_header x@0x08: no '{' here"},
      {"a blank before", file(" {}"), "safetensors_header x@0x08: no '{' here"},
      {"not closed", file("{" + a, 24),
       "json_syntax x: header byte 57: syntax error while parsing object - unexpected end of input; expected '}'"},
      {"text behind", file("{}x"),
       "json_syntax x: header byte 3: syntax error while parsing value - invalid literal; last read: '{}x'; expected "
       "end "
       "of input"},
      {"deep", file("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}"),
       "json_too_deep x: more than 64 levels"},
      {"very deep", file("{\"a\":" + std::string(1'000'000, '[') + "}"), "json_too_deep x: more than 64 levels"},
      {"twice", file("{" + a + "," + a + "}", 24), "json_duplicate_key x:a: "},
      {"twice by an escape", file("{" + a + "," + entry("\\u0061", "F32", "[2,3]", 24, 48) + "}", 48),
       "json_duplicate_key x:a: "},
      {"metadata twice", file(R"({"__metadata__":{},"__metadata__":{}})"), "json_duplicate_key x:__metadata__: "},
      {"metadata of numbers", file(R"({"__metadata__":{"a":1}})"),
       "json_type x:__metadata__: the value of a key is no text"},
      {"metadata is text", file(R"({"__metadata__":""})"), "json_type x:__metadata__: expected an object of texts"},
      {"an entry of text", file(R"({"a":"F32"})"), "json_type x:a: expected an object"},
      {"no dtype", file(R"({"a":{"shape":[],"data_offsets":[0,1]}})", 1),
       "safetensors_header x:a: dtype, shape or data_offsets is missing"},
      {"dtype twice", file(R"({"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", 1),
       "json_duplicate_key x:a: \"dtype\""},
      {"dtype is a number", file(R"({"a":{"dtype":1,"shape":[],"data_offsets":[0,1]}})", 1),
       "json_type x:a: its dtype is no text"},
      {"shape is a number", one("U8", "1", 1), "json_type x:x: its shape is no array"},
      {"an extent is a float", one("U8", "[1.0]", 1), "invalid_extent x:x: axis 0"},
      {"an extent is negative", one("U8", "[1,-1]", 1), "invalid_extent x:x: axis 1"},
      {"2^62 + 1", one("U8", "[4611686018427387905]", 0), "invalid_extent x:x: axis 0"},
      {"2^64", one("U8", "[18446744073709551616]", 0), "json_syntax x: Problem while parsing a number"},
      {"65 axes", one("U8", "[" + axes + "]", 1), "rank_too_large x:x: "},
      {"bits wrap", one("U64", "[4611686018427387904,4]", 0), "overflow x:x: its number of bits"},
      {"offsets of one", file(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0]}})", 1),
       "json_type x:a: its data_offsets are not two whole numbers"},
      {"an offset is negative", file(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[-1,0]}})", 1),
       "json_type x:a: its data_offsets are not two whole numbers"},
      {"ends before it begins", file("{" + entry("a", "U8", "[]", 1, 0) + "}", 1),
       "safetensors_offsets x:a: it begins at 1 and ends at 0"},
      {"a hole at the front", file("{" + entry("a", "U8", "[]", 1, 2) + "}", 2),
       "safetensors_offsets x:a: it begins at 1, where the tensor before it ends at 0"},
      {"a hole", file("{" + a + "," + entry("b", "U8", "[]", 25, 26) + "}", 26),
       "safetensors_offsets x:b: it begins at 25, where the tensor before it ends at 24"},
      {"an overlap", file("{" + a + "," + entry("b", "U8", "[]", 23, 24) + "}", 24),
       "safetensors_offsets x:b: it begins at 23, where the tensor before it ends at 24"},
      {"the same bytes twice", file("{" + a + "," + entry("b", "F32", "[6]", 0, 24) + "}", 24),
       "safetensors_offsets x:b: it begins at 0, where the tensor before it ends at 24"},
      {"too few bytes for its shape", one("F32", "[2,3]", 23),
       "safetensors_offsets x:x: it has 23 bytes, its shape and dtype take 24"},
      {"half a byte", one("F4", "[3]", 1), "safetensors_offsets x:x: it ends within a byte"},
      {"past the end", file("{" + entry("a", "Q9", "[1]", 0, 18446744073709551615u) + "}", 4),
       "safetensors_offsets x: the tensors take 18446744073709551615 bytes, the file has 4 for them"},
      {"cut data", file("{" + a + "}", 23),
       "safetensors_offsets x: the tensors take 24 bytes, the file has 23 for them"},
      {"bytes behind", file("{" + a + "}", 25),
       "safetensors_offsets x: the tensors take 24 bytes, the file has 25 for them"},
      {"not UTF-8", file("{\"\xff\":{}}"),
       "json_syntax x: header byte 3: syntax error while parsing object key - invalid string: ill-formed UTF-8 byte; "
       "last "
       "read: '\"\xff'; expected string literal"},
      {"NUL in a name", file("{" + entry("a\\u0000b", "U8", "[]", 0, 1) + "}", 1),
       "invalid_name x: a NUL in 'a" + std::string(1, '\0') + "b'"},
      {"a long name", file("{" + entry(std::string(kMaxNameBytes + 1, 'n'), "U8", "[]", 0, 1) + "}", 1),
       "invalid_name x: 4097 bytes, the limit is 4096"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes, "safetensors"), c.expected) << c.what;
}

TEST(Safetensors, CutAnywhereIsAnError) {
  const std::string whole = one("F32", "[2,3]", 24);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(outcome(whole.substr(0, size), "safetensors").starts_with("safetensors_")) << size;
}

TEST(Safetensors, AMillionTensorsAndNotMore) {
  std::string header = "{";
  for (std::size_t i = 0; i <= kMaxTensors; ++i)
    header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(outcome(file(header + "}")), "too_many_tensors x: the limit is 1048576");
}

TEST(Safetensors, ContentsDecide) {
  const std::string whole = one("U8", "[1]", 1);
  EXPECT_EQ(outcome(whole, {}, "a.npz"), "x uint8[1]");
  for (const std::string& other :
       {std::string("{\"inputs\"}"), le(3, 8) + "[1]", le(100'000'001, 8) + "{}", le(2, 8) + "{x"})
    EXPECT_TRUE(outcome(other).starts_with("unknown_format")) << other;
}

}  // namespace
}  // namespace tensorspec
