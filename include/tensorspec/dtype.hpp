// SPDX-License-Identifier: Apache-2.0
//
// Element types, named as NumPy and ml_dtypes name them, without byte order.
//
// Sources: NumPy 2.x array interface; ONNX onnx.proto (IR 13) TensorProto.DataType; Open Inference Protocol v2 (KServe)
// datatypes with Triton's BF16; torch.dtype of PyTorch 2.13.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
    float4_e2m1,
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
  // "BYTES". What none of them knows becomes `other` with that spelling; never an error, never a guess.
  static DType from_text(std::string_view text);
  // A NumPy type string ("<f4", "|b1", ">u2"). Void, datetime, object, text and long double stay `other` as spelled:
  // "<V2" may be bfloat16, but only the model knows.
  static DType from_numpy(std::string_view descr);
  // TensorProto.DataType by number; an unknown number becomes `other` "onnx:N"; 0 (UNDEFINED) is nothing known.
  static DType from_onnx(int data_type);
  // DLPack DLDataType (code, bits, lanes), DLPack 1.1. Lanes other than 1 and unknown codes become `other`.
  static DType from_dlpack(std::uint8_t code, std::uint8_t bits, std::uint16_t lanes);

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

}  // namespace tensorspec
