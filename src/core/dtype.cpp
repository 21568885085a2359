// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dtype.hpp"

#include <iterator>

namespace tensorspec {
namespace {

using Kind = DType::Kind;

// One row per named kind; the other dialects are columns, empty where the dialect has no such type. `scalar_type` is
// the name of the enumerator of c10::ScalarType.
struct Row {
  Kind kind;
  std::string_view name;
  int bits;  // 0: not fixed
  int onnx;
  std::string_view onnx_name, kserve, torch, scalar_type, numpy;
  char code;  // NumPy's one letter, 0 where it has none
};

constexpr Row kRows[] = {
    {Kind::boolean, "bool", 8, 9, "BOOL", "BOOL", "bool", "Bool", "b1", '?'},
    {Kind::string, "string", 0, 8, "STRING", "BYTES", "", "", "", 0},
    {Kind::int1, "int1", 1, 0, "", "", "int1", "Int1", "", 0},
    {Kind::int2, "int2", 2, 26, "INT2", "", "int2", "Int2", "", 0},
    {Kind::int4, "int4", 4, 22, "INT4", "", "int4", "Int4", "", 0},
    {Kind::int8, "int8", 8, 3, "INT8", "INT8", "int8", "Char", "i1", 'b'},
    {Kind::int16, "int16", 16, 5, "INT16", "INT16", "int16", "Short", "i2", 'h'},
    {Kind::int32, "int32", 32, 6, "INT32", "INT32", "int32", "Int", "i4", 'i'},
    {Kind::int64, "int64", 64, 7, "INT64", "INT64", "int64", "Long", "i8", 'q'},
    {Kind::uint1, "uint1", 1, 0, "", "", "uint1", "UInt1", "", 0},
    {Kind::uint2, "uint2", 2, 25, "UINT2", "", "uint2", "UInt2", "", 0},
    {Kind::uint4, "uint4", 4, 21, "UINT4", "", "uint4", "UInt4", "", 0},
    {Kind::uint8, "uint8", 8, 2, "UINT8", "UINT8", "uint8", "Byte", "u1", 'B'},
    {Kind::uint16, "uint16", 16, 4, "UINT16", "UINT16", "uint16", "UInt16", "u2", 'H'},
    {Kind::uint32, "uint32", 32, 12, "UINT32", "UINT32", "uint32", "UInt32", "u4", 'I'},
    {Kind::uint64, "uint64", 64, 13, "UINT64", "UINT64", "uint64", "UInt64", "u8", 'Q'},
    // torch.float4_e2m1fn_x2 holds two of these in one element, so its sizes are other sizes: it is not this type.
    {Kind::float4_e2m1, "float4_e2m1", 4, 23, "FLOAT4E2M1", "", "", "", "", 0},
    {Kind::float6_e2m3, "float6_e2m3fn", 6, 27, "FLOAT6E2M3", "", "", "", "", 0},
    {Kind::float6_e3m2, "float6_e3m2fn", 6, 28, "FLOAT6E3M2", "", "", "", "", 0},
    {Kind::float8_e3m4, "float8_e3m4", 8, 0, "", "", "", "", "", 0},
    {Kind::float8_e4m3, "float8_e4m3", 8, 0, "", "", "", "", "", 0},
    {Kind::float8_e4m3b11fnuz, "float8_e4m3b11fnuz", 8, 0, "", "", "", "", "", 0},
    {Kind::float8_e4m3fn, "float8_e4m3fn", 8, 17, "FLOAT8E4M3FN", "", "float8_e4m3fn", "Float8_e4m3fn", "", 0},
    {Kind::float8_e4m3fnuz, "float8_e4m3fnuz", 8, 18, "FLOAT8E4M3FNUZ", "", "float8_e4m3fnuz", "Float8_e4m3fnuz", "",
     0},
    {Kind::float8_e5m2, "float8_e5m2", 8, 19, "FLOAT8E5M2", "", "float8_e5m2", "Float8_e5m2", "f1", 0},
    {Kind::float8_e5m2fnuz, "float8_e5m2fnuz", 8, 20, "FLOAT8E5M2FNUZ", "", "float8_e5m2fnuz", "Float8_e5m2fnuz", "",
     0},
    {Kind::float8_e8m0fnu, "float8_e8m0fnu", 8, 24, "FLOAT8E8M0", "", "float8_e8m0fnu", "Float8_e8m0fnu", "", 0},
    {Kind::float16, "float16", 16, 10, "FLOAT16", "FP16", "float16", "Half", "f2", 'e'},
    {Kind::bfloat16, "bfloat16", 16, 16, "BFLOAT16", "BF16", "bfloat16", "BFloat16", "", 0},
    {Kind::float32, "float32", 32, 1, "FLOAT", "FP32", "float32", "Float", "f4", 'f'},
    {Kind::float64, "float64", 64, 11, "DOUBLE", "FP64", "float64", "Double", "f8", 'd'},
    {Kind::complex32, "complex32", 32, 0, "", "", "complex32", "ComplexHalf", "", 0},
    {Kind::complex64, "complex64", 64, 14, "COMPLEX64", "", "complex64", "ComplexFloat", "c8", 'F'},
    {Kind::complex128, "complex128", 128, 15, "COMPLEX128", "", "complex128", "ComplexDouble", "c16", 'D'},
};

// Second names of a dialect. The same word may mean another type in another dialect, so they are kept apart.
struct Alias {
  std::string_view text;
  Kind kind;
};
constexpr Alias kTorchAliases[] = {
    {"half", Kind::float16},     {"float", Kind::float32},      {"double", Kind::float64}, {"chalf", Kind::complex32},
    {"cfloat", Kind::complex64}, {"cdouble", Kind::complex128}, {"short", Kind::int16},    {"int", Kind::int32},
    {"long", Kind::int64},       {"bit", Kind::uint1},
};
constexpr Alias kNumpyAliases[] = {
    {"bool_", Kind::boolean},
    {"byte", Kind::int8},
    {"ubyte", Kind::uint8},
    {"short", Kind::int16},
    {"ushort", Kind::uint16},
    {"intc", Kind::int32},
    {"uintc", Kind::uint32},
    {"int", Kind::int64},
    {"int_", Kind::int64},
    {"uint", Kind::uint64},
    {"intp", Kind::int64},
    {"uintp", Kind::uint64},
    {"long", Kind::int64},
    {"ulong", Kind::uint64},
    {"longlong", Kind::int64},
    {"ulonglong", Kind::uint64},
    {"half", Kind::float16},
    {"single", Kind::float32},
    {"double", Kind::float64},
    {"float", Kind::float64},
    {"csingle", Kind::complex64},
    {"cdouble", Kind::complex128},
    {"complex", Kind::complex128},
    // One-letter codes beside those of the rows: C long as on 64-bit Unix, and the pointer-sized integers.
    {"l", Kind::int64},
    {"n", Kind::int64},
    {"p", Kind::int64},
    {"L", Kind::uint64},
    {"N", Kind::uint64},
    {"P", Kind::uint64},
};
constexpr Alias kTextAliases[] = {
    {"float4_e2m1fn", Kind::float4_e2m1},
    {"float6_e2m3", Kind::float6_e2m3},
    {"float6_e3m2", Kind::float6_e3m2},
    {"half", Kind::float16},
    {"double", Kind::float64},
    {"TYPE_STRING", Kind::string},
};

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
  constexpr std::string_view kTorch = "torch.", kTriton = "TYPE_";
  if (text.starts_with(kTorch)) {
    const std::string_view bare = text.substr(kTorch.size());
    if (const auto found = find(&Row::torch, bare)) return *found;
    if (const auto found = find(kTorchAliases, bare)) return *found;
    return other(std::string(text));
  }
  for (const auto field : {&Row::name, &Row::onnx_name, &Row::kserve})
    if (const auto found = find(field, text)) return *found;
  if (const auto found = find(kTextAliases, text)) return *found;
  // Triton's config.pbtxt has the datatypes of the protocol behind a prefix; TYPE_BYTES is not one of them.
  if (text.starts_with(kTriton) && text != "TYPE_BYTES")
    if (const auto found = find(&Row::kserve, text.substr(kTriton.size()))) return *found;
  return other(std::string(text));
}

DType DType::from_numpy(std::string_view descr) {
  std::string_view bare = descr;
  const bool has_order = !bare.empty() && std::string_view("<>|=").find(bare.front()) != std::string_view::npos;
  if (has_order) bare.remove_prefix(1);
  if (const auto found = find(&Row::numpy, bare)) return *found;
  if (bare.size() == 1)
    for (const Row& row : kRows)
      if (row.code != 0 && row.code == bare.front()) return DType(row.kind);
  if (bare.size() == 1 || !has_order)
    if (const auto found = find(kNumpyAliases, bare)) return *found;
  // "string" is a NumPy word too, but not for texts of any length.
  if (const auto found = find(&Row::name, bare); found && !has_order && found->kind() != Kind::string) return *found;
  return other(std::string(descr));
}

DType DType::from_scalar_type(std::string_view name) {
  if (const auto found = find(&Row::scalar_type, name)) return *found;
  if (name.empty() || name == "Undefined" || name == "UNKNOWN_SCALAR") return DType();
  std::string python = "torch.";
  for (const char c : name) python += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return other(std::move(python));
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
      {0, 1, Kind::int1},
      {0, 2, Kind::int2},
      {0, 4, Kind::int4},
      {0, 8, Kind::int8},
      {0, 16, Kind::int16},
      {0, 32, Kind::int32},
      {0, 64, Kind::int64},
      {1, 1, Kind::boolean},  // how TVM spelled bool before DLPack 1.0 gave it a code
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
      {7, 8, Kind::float8_e3m4},
      {8, 8, Kind::float8_e4m3},
      {9, 8, Kind::float8_e4m3b11fnuz},
      {10, 8, Kind::float8_e4m3fn},
      {11, 8, Kind::float8_e4m3fnuz},
      {12, 8, Kind::float8_e5m2},
      {13, 8, Kind::float8_e5m2fnuz},
      {14, 8, Kind::float8_e8m0fnu},
      {15, 6, Kind::float6_e2m3},
      {16, 6, Kind::float6_e3m2},
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
  if (!row) return std::string_view(spelling_).starts_with(kTorch) ? std::optional(spelling_) : std::nullopt;
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
