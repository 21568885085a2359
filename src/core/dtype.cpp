// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dtype.hpp"

#include <iterator>

namespace tensorspec {
namespace {

using Kind = DType::Kind;

// One row per named kind; the other dialects are columns, empty where the dialect has no such type.
struct Row {
  Kind kind;
  std::string_view name;
  int bits;  // 0: not fixed
  int onnx;
  std::string_view onnx_name, kserve, torch, numpy;
};

constexpr Row kRows[] = {
    {Kind::boolean, "bool", 8, 9, "BOOL", "BOOL", "bool", "b1"},
    {Kind::string, "string", 0, 8, "STRING", "BYTES", "", ""},
    {Kind::int2, "int2", 2, 26, "INT2", "", "int2", ""},
    {Kind::int4, "int4", 4, 22, "INT4", "", "int4", ""},
    {Kind::int8, "int8", 8, 3, "INT8", "INT8", "int8", "i1"},
    {Kind::int16, "int16", 16, 5, "INT16", "INT16", "int16", "i2"},
    {Kind::int32, "int32", 32, 6, "INT32", "INT32", "int32", "i4"},
    {Kind::int64, "int64", 64, 7, "INT64", "INT64", "int64", "i8"},
    {Kind::uint2, "uint2", 2, 25, "UINT2", "", "uint2", ""},
    {Kind::uint4, "uint4", 4, 21, "UINT4", "", "uint4", ""},
    {Kind::uint8, "uint8", 8, 2, "UINT8", "UINT8", "uint8", "u1"},
    {Kind::uint16, "uint16", 16, 4, "UINT16", "UINT16", "uint16", "u2"},
    {Kind::uint32, "uint32", 32, 12, "UINT32", "UINT32", "uint32", "u4"},
    {Kind::uint64, "uint64", 64, 13, "UINT64", "UINT64", "uint64", "u8"},
    {Kind::float4_e2m1, "float4_e2m1", 4, 23, "FLOAT4E2M1", "", "", ""},
    {Kind::float8_e4m3fn, "float8_e4m3fn", 8, 17, "FLOAT8E4M3FN", "", "float8_e4m3fn", ""},
    {Kind::float8_e4m3fnuz, "float8_e4m3fnuz", 8, 18, "FLOAT8E4M3FNUZ", "", "float8_e4m3fnuz", ""},
    {Kind::float8_e5m2, "float8_e5m2", 8, 19, "FLOAT8E5M2", "", "float8_e5m2", ""},
    {Kind::float8_e5m2fnuz, "float8_e5m2fnuz", 8, 20, "FLOAT8E5M2FNUZ", "", "float8_e5m2fnuz", ""},
    {Kind::float8_e8m0fnu, "float8_e8m0fnu", 8, 24, "FLOAT8E8M0", "", "float8_e8m0fnu", ""},
    {Kind::float16, "float16", 16, 10, "FLOAT16", "FP16", "float16", "f2"},
    {Kind::bfloat16, "bfloat16", 16, 16, "BFLOAT16", "BF16", "bfloat16", ""},
    {Kind::float32, "float32", 32, 1, "FLOAT", "FP32", "float32", "f4"},
    {Kind::float64, "float64", 64, 11, "DOUBLE", "FP64", "float64", "f8"},
    {Kind::complex32, "complex32", 32, 0, "", "", "complex32", ""},
    {Kind::complex64, "complex64", 64, 14, "COMPLEX64", "", "complex64", "c8"},
    {Kind::complex128, "complex128", 128, 15, "COMPLEX128", "", "complex128", "c16"},
};

// torch's second names, and spellings of the other dialects that name the same type.
struct Alias {
  std::string_view text;
  Kind kind;
};
constexpr Alias kTorchAliases[] = {
    {"half", Kind::float16},    {"float", Kind::float32},    {"double", Kind::float64},
    {"chalf", Kind::complex32}, {"cfloat", Kind::complex64}, {"cdouble", Kind::complex128},
    {"short", Kind::int16},     {"int", Kind::int32},        {"long", Kind::int64},
};
constexpr Alias kTextAliases[] = {{"float4_e2m1fn", Kind::float4_e2m1}};

const Row* row_of(Kind kind) noexcept {
  for (const Row& row : kRows)
    if (row.kind == kind) return &row;
  return nullptr;
}

// The named kind whose column `field` is `text`.
std::optional<DType> find(std::string_view Row::*field, std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const Row& row : kRows)
    if (row.*field == text) return DType(row.kind);
  return std::nullopt;
}

template <std::size_t N>
std::optional<DType> find(const Alias (&aliases)[N], std::string_view text) {
  for (const Alias& alias : aliases)
    if (alias.text == text) return DType(alias.kind);
  return std::nullopt;
}

std::optional<std::string_view> if_any(std::string_view text) noexcept {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

DType DType::from_text(std::string_view text) {
  constexpr std::string_view kTorch = "torch.";
  if (text.substr(0, kTorch.size()) == kTorch) {
    const std::string_view bare = text.substr(kTorch.size());
    if (const auto found = find(&Row::torch, bare)) return *found;
    if (const auto found = find(kTorchAliases, bare)) return *found;
    return other(std::string(text));
  }
  for (const auto field : {&Row::name, &Row::onnx_name, &Row::kserve})
    if (const auto found = find(field, text)) return *found;
  if (const auto found = find(kTextAliases, text)) return *found;
  return other(std::string(text));
}

DType DType::from_numpy(std::string_view descr) {
  std::string_view bare = descr;
  if (!bare.empty() && std::string_view("<>|=").find(bare.front()) != std::string_view::npos) bare.remove_prefix(1);
  if (const auto found = find(&Row::numpy, bare)) return *found;
  if (bare == "?") return DType(Kind::boolean);
  return other(std::string(descr));
}

DType DType::from_onnx(int data_type) {
  if (data_type == 0) return DType();
  for (const Row& row : kRows)
    if (row.onnx == data_type) return DType(row.kind);
  return other("onnx:" + std::to_string(data_type));
}

DType DType::from_dlpack(std::uint8_t code, std::uint8_t bits, std::uint16_t lanes) {
  // DLDataTypeCode: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool, 7.. float8, float6 and float4 kinds.
  struct Entry {
    std::uint8_t code, bits;
    Kind kind;
  };
  static constexpr Entry kEntries[] = {
      {0, 2, Kind::int2},
      {0, 4, Kind::int4},
      {0, 8, Kind::int8},
      {0, 16, Kind::int16},
      {0, 32, Kind::int32},
      {0, 64, Kind::int64},
      {1, 1, Kind::boolean},
      {1, 2, Kind::uint2},
      {1, 4, Kind::uint4},
      {1, 8, Kind::uint8},
      {1, 16, Kind::uint16},
      {1, 32, Kind::uint32},
      {1, 64, Kind::uint64},
      {2, 16, Kind::float16},
      {2, 32, Kind::float32},
      {2, 64, Kind::float64},
      {4, 16, Kind::bfloat16},
      {5, 32, Kind::complex32},
      {5, 64, Kind::complex64},
      {5, 128, Kind::complex128},
      {6, 8, Kind::boolean},
      {10, 8, Kind::float8_e4m3fn},
      {11, 8, Kind::float8_e4m3fnuz},
      {12, 8, Kind::float8_e5m2},
      {13, 8, Kind::float8_e5m2fnuz},
      {14, 8, Kind::float8_e8m0fnu},
      {17, 4, Kind::float4_e2m1},
  };
  if (lanes == 1)
    for (const Entry& entry : kEntries)
      if (entry.code == code && entry.bits == bits) return DType(entry.kind);
  return other("dlpack:" + std::to_string(code) + ":" + std::to_string(bits) + ":" + std::to_string(lanes));
}

std::string_view DType::name() const noexcept {
  const Row* row = row_of(kind_);
  return row ? row->name : std::string_view(spelling_);
}

std::optional<std::string> DType::torch_name() const {
  constexpr std::string_view kTorch = "torch.";
  const Row* row = row_of(kind_);
  if (!row)
    return std::string_view(spelling_).substr(0, kTorch.size()) == kTorch ? std::optional(spelling_) : std::nullopt;
  if (row->torch.empty()) return std::nullopt;
  return std::string(kTorch) + std::string(row->torch);
}

std::optional<std::string_view> DType::onnx_name() const noexcept {
  const Row* row = row_of(kind_);
  return row ? if_any(row->onnx_name) : std::nullopt;
}

int DType::onnx_number() const noexcept {
  const Row* row = row_of(kind_);
  return row ? row->onnx : 0;
}

std::optional<std::string_view> DType::kserve_name() const noexcept {
  const Row* row = row_of(kind_);
  return row ? if_any(row->kserve) : std::nullopt;
}

std::optional<int> DType::bits() const noexcept {
  const Row* row = row_of(kind_);
  return row && row->bits > 0 ? std::optional(row->bits) : std::nullopt;
}

}  // namespace tensorspec
