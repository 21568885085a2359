// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dtype.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/json.hpp"

namespace tensorspec {
namespace {

using Kind = DType::Kind;
constexpr int kLastKind = static_cast<int>(Kind::complex128);

std::vector<DType> all_named() {
  std::vector<DType> all;
  for (int kind = 1; kind <= kLastKind; ++kind) all.emplace_back(static_cast<Kind>(kind));
  return all;
}

// What numpy, ml_dtypes, onnx and torch say themselves: tests/core/dtypes_from_packages.py.
const Json& packages() {
  static const Json data = [] {
    std::ostringstream text;
    text << std::ifstream(TENSORSPEC_SOURCE_DIR "/tests/data/dtypes.json").rdbuf();
    return *Json::parse(text.str());
  }();
  return data;
}

TEST(DType, EveryKindHasANameThatReadsBack) {
  std::set<std::string_view> names;
  for (const DType& dtype : all_named()) {
    EXPECT_TRUE(names.insert(dtype.name()).second) << dtype.name();
    EXPECT_EQ(DType::from_text(dtype.name()), dtype) << dtype.name();
    EXPECT_TRUE(dtype.is_known());
    if (const auto name = dtype.torch_name()) { EXPECT_EQ(DType::from_text(*name), dtype) << *name; }
    if (const auto name = dtype.kserve_name()) { EXPECT_EQ(DType::from_text(*name), dtype) << *name; }
    EXPECT_EQ(dtype.onnx_name().has_value(), dtype.onnx_number() != 0);
    if (const auto name = dtype.onnx_name()) {
      EXPECT_EQ(DType::from_text(*name), dtype) << *name;
      EXPECT_EQ(DType::from_onnx(dtype.onnx_number()), dtype) << *name;
    }
    EXPECT_EQ(dtype.bits().has_value(), dtype.kind() != Kind::string);
  }
}

TEST(DType, SpellingsOfOneTypeAreOneType) {
  struct Case {
    const char *text, *name;
  };
  const Case cases[] = {
      {"float32", "float32"},
      {"torch.float32", "float32"},
      {"torch.float", "float32"},
      {"FLOAT", "float32"},
      {"FP32", "float32"},
      {"TYPE_FP32", "float32"},
      {"torch.half", "float16"},
      {"half", "float16"},
      {"torch.long", "int64"},
      {"torch.chalf", "complex32"},
      {"BYTES", "string"},
      {"STRING", "string"},
      {"TYPE_STRING", "string"},
      {"BF16", "bfloat16"},
      {"BFLOAT16", "bfloat16"},
      {"DOUBLE", "float64"},
      {"double", "float64"},
      {"BOOL", "bool"},
      {"TYPE_BOOL", "bool"},
      {"float4_e2m1", "float4_e2m1fn"},
      {"torch.bit", "uint1"},
      {"FLOAT8E8M0", "float8_e8m0fnu"},
      // Not known or not one thing: as spelled.
      {"float", "float"},
      {"torch.qint8", "torch.qint8"},
      {"torch.string", "torch.string"},
      {"TYPE_BYTES", "TYPE_BYTES"},
      {"Float32", "Float32"},
      {"", ""},
      {"torch.", "torch."},
      {" float32", " float32"},
      {"torch.float4_e2m1fn_x2", "torch.float4_e2m1fn_x2"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(DType::from_text(c.text).name(), c.name) << c.text;
    EXPECT_EQ(DType::from_text(DType::from_text(c.text).name()), DType::from_text(c.text)) << c.text;
  }
  EXPECT_EQ(DType::from_text("torch.qint8").torch_name(), "torch.qint8");
  EXPECT_EQ(DType::from_text("qint8").torch_name(), std::nullopt);
  EXPECT_FALSE(DType::from_text("").is_known());
}

TEST(DType, NumPyAsNumPySays) {
  std::set<std::string_view> named;
  for (const DType& dtype : all_named()) named.insert(dtype.name());
  ASSERT_TRUE(packages().find("numpy"));
  for (const auto& [text, name] : *packages().find("numpy")->object()) {
    const DType dtype = DType::from_numpy(text);
    if (named.contains(*name.string())) EXPECT_EQ(dtype.name(), *name.string()) << text;
    else EXPECT_EQ(dtype, DType::other(text)) << text << " is " << *name.string();
  }
  for (const char* text :
       {"<V2", "|O", "<M8[ns]", "<f16", "S", "string", "<bool", "<x", "f3", "", "<", "\0", "<W4", "float128"})
    EXPECT_EQ(DType::from_numpy(text), DType::other(text)) << text;
  EXPECT_EQ(DType::from_numpy(std::string_view("\0", 1)).kind(), Kind::other);
  EXPECT_EQ(DType::from_numpy("=i4").name(), "int32");
  EXPECT_EQ(DType::from_numpy(">l").name(), "int64");
}

TEST(DType, MlDTypesAsTheySay) {
  ASSERT_TRUE(packages().find("ml_dtypes"));
  for (const auto& [type, facts] : *packages().find("ml_dtypes")->object()) {
    const std::string& name = *facts.find("name")->string();
    const bool kept_apart = name == "bcomplex32";  // two bfloat16: no kind
    EXPECT_EQ(DType::from_text(name).kind() == Kind::other, kept_apart) << name;
    EXPECT_EQ(DType::from_text(name).name(), name);
    // Saved as void, it is told by nothing; <f1 is float8_e5m2 alone.
    const DType saved = DType::from_numpy(*facts.find("saved")->string());
    if (saved.kind() != Kind::other) EXPECT_EQ(saved.name(), name);
    else EXPECT_NE(name, "float8_e5m2");
  }
}

TEST(DType, OnnxAsOnnxSays) {
  std::set<std::int64_t> numbers;
  ASSERT_TRUE(packages().find("onnx"));
  for (const auto& [name, facts] : *packages().find("onnx")->object()) {
    const std::int64_t number = *facts.find("number")->int64();
    const DType dtype = DType::from_onnx(static_cast<int>(number));
    EXPECT_EQ(dtype.onnx_name(), name);
    EXPECT_EQ(dtype.onnx_number(), number);
    const std::string& numpy = *facts.find("numpy")->string();
    EXPECT_EQ(dtype.name(), numpy == "object" ? "string" : numpy);
    numbers.insert(number);
  }
  for (const DType& dtype : all_named())
    EXPECT_TRUE(dtype.onnx_number() == 0 || numbers.contains(dtype.onnx_number())) << dtype.name();
  EXPECT_FALSE(DType::from_onnx(0).is_known());
  EXPECT_EQ(DType::from_onnx(99).name(), "onnx:99");
  EXPECT_EQ(DType::from_onnx(-1).name(), "onnx:-1");
}

TEST(DType, TorchAsTorchSays) {
  ASSERT_TRUE(packages().find("torch"));
  std::set<std::string> torch;
  for (const auto& [alias, name] : *packages().find("torch")->object()) {
    EXPECT_EQ(DType::from_text("torch." + alias).torch_name(), *name.string()) << alias;
    torch.insert(*name.string());
  }
  for (const DType& dtype : all_named())
    EXPECT_TRUE(!dtype.torch_name() || torch.contains(*dtype.torch_name())) << dtype.name();
}

TEST(DType, DLPackAsTorchExports) {
  ASSERT_TRUE(packages().find("torch_dlpack"));
  for (const auto& [name, triple] : *packages().find("torch_dlpack")->object()) {
    std::vector<std::int64_t> t;
    for (const Json& number : *triple.array()) t.push_back(*number.int64());
    const DType want = DType::from_text(name);
    // torch exports its integers of under 8 bits, and those it alone has, as the bytes they lie in.
    if (t[0] <= 1 && t[1] == 8 && want.bits() != 8) continue;
    const DType got = DType::from_dlpack(static_cast<std::uint8_t>(t[0]), static_cast<std::uint8_t>(t[1]),
                                         static_cast<std::uint16_t>(t[2]));
    if (t[2] == 1) EXPECT_EQ(got, want) << name;
    else EXPECT_EQ(got.kind(), Kind::other) << name;
  }
  EXPECT_EQ(DType::from_dlpack(2, 32, 1).name(), "float32");
  EXPECT_EQ(DType::from_dlpack(15, 6, 1).name(), "float6_e2m3fn");
  EXPECT_EQ(DType::from_dlpack(17, 4, 1).name(), "float4_e2m1fn");
  EXPECT_EQ(DType::from_dlpack(0, 64, 0).name(), "dlpack:0:64:0");
  EXPECT_EQ(DType::from_dlpack(3, 64, 1).name(), "dlpack:3:64:1");
  EXPECT_EQ(DType::from_dlpack(255, 255, 65535).name(), "dlpack:255:255:65535");
}

TEST(DType, ScalarTypeNamesOfTorch) {
  struct Case {
    const char *scalar_type, *name;
  };
  const Case cases[] = {
      {"Byte", "uint8"},
      {"Char", "int8"},
      {"Short", "int16"},
      {"Int", "int32"},
      {"Long", "int64"},
      {"Half", "float16"},
      {"Float", "float32"},
      {"Double", "float64"},
      {"ComplexHalf", "complex32"},
      {"ComplexFloat", "complex64"},
      {"ComplexDouble", "complex128"},
      {"Bool", "bool"},
      {"BFloat16", "bfloat16"},
      {"Float8_e4m3fn", "float8_e4m3fn"},
      {"Float8_e5m2fnuz", "float8_e5m2fnuz"},
      {"Float8_e8m0fnu", "float8_e8m0fnu"},
      {"UInt16", "uint16"},
      {"UInt4", "uint4"},
      {"Int2", "int2"},
      {"UInt3", "torch.uint3"},
      {"QUInt4x2", "torch.quint4x2"},
      {"Bits1x8", "torch.bits1x8"},
      {"Float4_e2m1fn_x2", "torch.float4_e2m1fn_x2"},
      {"Undefined", ""},
      {"UNKNOWN_SCALAR", ""},
      {"", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(DType::from_scalar_type(c.scalar_type).name(), c.name) << c.scalar_type;
}

TEST(DType, KServeNamesAreThoseOfTheProtocol) {
  // Open Inference Protocol v2, "Tensor Data Types", and Triton's BF16.
  std::set<std::string_view> protocol = {"BOOL",  "UINT8", "UINT16", "UINT32", "UINT64", "INT8",  "INT16",
                                         "INT32", "INT64", "FP16",   "FP32",   "FP64",   "BYTES", "BF16"};
  for (const DType& dtype : all_named())
    if (const auto name = dtype.kserve_name()) { EXPECT_EQ(protocol.erase(*name), 1u) << *name; }
  EXPECT_TRUE(protocol.empty());
}

TEST(DType, OfACppType) {
  EXPECT_EQ(DType::of<bool>().name(), "bool");
  EXPECT_EQ(DType::of<signed char>().name(), "int8");
  EXPECT_EQ(DType::of<std::byte>().name(), "uint8");
  EXPECT_EQ(DType::of<short>().name(), "int16");
  EXPECT_EQ(DType::of<const unsigned>().name(), "uint32");
  EXPECT_EQ(DType::of<long>().name(), "int64");
  EXPECT_EQ(DType::of<unsigned long long>().name(), "uint64");
  EXPECT_EQ(DType::of<float>().name(), "float32");
  EXPECT_EQ(DType::of<double>().name(), "float64");
  EXPECT_EQ(DType::of<long double>(), DType::other("longdouble"));
  EXPECT_EQ(DType::of<std::complex<float>>().name(), "complex64");
  EXPECT_EQ(DType::of<std::complex<double>>().name(), "complex128");
  EXPECT_EQ(DType::of<std::string>().name(), "string");
}

TEST(DType, EqualityAndOrder) {
  EXPECT_EQ(DType(), DType::other(""));
  EXPECT_NE(DType::other("a"), DType::other("b"));
  EXPECT_LT(DType(Kind::boolean), DType(Kind::float32));
  EXPECT_EQ(DType(Kind::int4).bits(), 4);
  EXPECT_EQ(DType(Kind::complex32).bits(), 32);
  EXPECT_EQ(DType::other("x").bits(), std::nullopt);
}

}  // namespace
}  // namespace tensorspec
