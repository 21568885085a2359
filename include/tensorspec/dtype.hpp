// SPDX-License-Identifier: Apache-2.0
//
// Element types, named as NumPy and ml_dtypes name them, without byte order.
//
// Sources: NumPy 2.4 array interface and ml_dtypes 0.6; ONNX 1.23 TensorProto.DataType; Open Inference Protocol v2
// (KServe) datatypes with Triton's BF16; torch.dtype and c10::ScalarType of PyTorch 2.13; DLPack 1.1 to 1.3.
// tests/data/dtypes.json holds what those packages themselves say.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tensorspec {

// A dtype value. Two are equal when the kind and, for `other`, the spelling are equal. Cheap to copy for every named
// kind (no allocation); `other` holds a string. Immutable; safe to share between threads.
class DType {
 public:
  enum class Kind : std::uint8_t {
    other,  // structured, void, datetime, object, fixed-width text, long double, a framework's own: the spelling is
            // kept
    boolean,
    string,
    int1,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint1,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
    float4_e2m1,  // ml_dtypes: float4_e2m1fn
    float6_e2m3,  // float6_e2m3fn
    float6_e3m2,  // float6_e3m2fn
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    bfloat16,
    float32,
    float64,
    complex32,
    complex64,
    complex128,
  };

  DType() = default;  // `other` with an empty spelling: nothing is known
  explicit DType(Kind kind) : kind_(kind) {}
  static DType other(std::string spelling) {
    DType d;
    d.spelling_ = std::move(spelling);
    return d;
  }

  // Any spelling people write: "float32", "torch.float32", "torch.half", ONNX "FLOAT" / "BFLOAT16", KServe "FP32" /
  // "BYTES", Triton "TYPE_FP32". What none of them knows becomes `other` with that spelling; never an error, never a
  // guess: a bare "float" is 32 bits to torch and 64 to NumPy, so it stays `other`.
  static DType from_text(std::string_view text);
  // What an .npy header may hold and numpy.dtype() takes: "<f4", "|b1", ">u2", the one-letter codes ("l" and "L" are 64
  // bits, as everywhere but on Windows) and NumPy's names ("float" is float64 there). Void, datetime, object, text and
  // long double stay `other` as spelled: "<V2" may be bfloat16, but only the model knows. "<f1" is float8_e5m2: no
  // other type of ml_dtypes is saved so.
  static DType from_numpy(std::string_view descr);
  // TensorProto.DataType by number; an unknown number becomes `other` "onnx:N"; 0 (UNDEFINED) is nothing known.
  static DType from_onnx(int data_type);
  // The name torch's C++ side gives a c10::ScalarType: "Float", "Long", "Byte", "ComplexHalf", "Float8_e4m3fn". Types
  // without a kind become `other` as Python spells them, "torch.qint8"; "Undefined" is nothing known.
  static DType from_scalar_type(std::string_view name);
  // DLPack DLDataType (code, bits, lanes), DLPack 1.1. Lanes other than 1 and unknown codes become `other`.
  static DType from_dlpack(std::uint8_t code, std::uint8_t bits, std::uint16_t lanes);

  // The dtype of a C++ element type: arithmetic types by size and sign, std::complex, std::byte (uint8), text (string).
  // long double is `other` "longdouble".
  template <class T>
  static DType of();

  Kind kind() const noexcept { return kind_; }
  bool is_known() const noexcept { return kind_ != Kind::other || !spelling_.empty(); }

  // "float32", "bool", "bfloat16"; for `other` the spelling of the file. Lives as long as this value.
  std::string_view name() const noexcept;
  // "torch.float32"; `other` spelled "torch.x" keeps that; nullopt where torch has no such dtype.
  std::optional<std::string> torch_name() const;
  // "FLOAT", "BFLOAT16"; nullopt where ONNX has no such type. And its number (0 when there is none).
  std::optional<std::string_view> onnx_name() const noexcept;
  int onnx_number() const noexcept;
  // "FP32", "BYTES"; nullopt where the protocol has no such datatype.
  std::optional<std::string_view> kserve_name() const noexcept;
  // Size of one element in bits (int4 is 4); nullopt for string and other.
  std::optional<int> bits() const noexcept;

  friend bool operator==(const DType&, const DType&) = default;
  // Order of names, for output that does not depend on the order of calls.
  friend bool operator<(const DType& a, const DType& b) noexcept { return a.name() < b.name(); }

 private:
  Kind kind_ = Kind::other;
  std::string spelling_;
};

namespace detail {
template <class T>
inline constexpr bool is_text = std::is_convertible_v<T, std::string_view>;

template <class T>
constexpr DType::Kind integer_kind() noexcept {
  using Kind = DType::Kind;
  constexpr Kind kSigned[] = {Kind::int8, Kind::int16, Kind::int32, Kind::int64};
  constexpr Kind kUnsigned[] = {Kind::uint8, Kind::uint16, Kind::uint32, Kind::uint64};
  constexpr std::size_t row = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? kSigned[row] : kUnsigned[row];
}
}  // namespace detail

template <class T>
DType DType::of() {
  using U = std::remove_cv_t<T>;
  constexpr bool known = std::is_arithmetic_v<U> || std::is_same_v<U, std::byte> || detail::is_text<U> ||
                         std::is_same_v<U, std::complex<float>> || std::is_same_v<U, std::complex<double>>;
  static_assert(known, "no DType is known for this element type; pass DType(DType::Kind::...) instead");
  if constexpr (std::is_same_v<U, bool>) return DType(Kind::boolean);
  else if constexpr (std::is_same_v<U, std::byte>) return DType(Kind::uint8);
  else if constexpr (std::is_integral_v<U>) return DType(detail::integer_kind<U>());
  else if constexpr (std::is_same_v<U, float>) return DType(Kind::float32);
  else if constexpr (std::is_same_v<U, double>) return DType(Kind::float64);
  else if constexpr (std::is_same_v<U, std::complex<float>>) return DType(Kind::complex64);
  else if constexpr (std::is_same_v<U, std::complex<double>>) return DType(Kind::complex128);
  else if constexpr (detail::is_text<U>) return DType(Kind::string);
  else return other("longdouble");
}

}  // namespace tensorspec
