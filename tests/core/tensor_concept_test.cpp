// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/tensor_concept.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "tensorspec/tensor_spec.hpp"

// A copy of what at::Tensor shows; tests/consumers/at_tensor/ does it with the real one.
namespace c10 {
enum class ScalarType : std::int8_t { Byte, Half, Float4_e2m1fn_x2, Undefined };
inline const char* toString(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: return "Byte";
    case ScalarType::Half: return "Half";
    case ScalarType::Float4_e2m1fn_x2: return "Float4_e2m1fn_x2";
    default: return "UNKNOWN_SCALAR";
  }
}
template <class T>
class ArrayRef {
 public:
  ArrayRef(const T* data, std::size_t length) : data_(data), length_(length) {}
  const T* begin() const { return data_; }
  const T* end() const { return data_ + length_; }
  std::size_t size() const { return length_; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  const T* data_;
  std::size_t length_;
};
}  // namespace c10
namespace caffe2 {
class TypeMeta {};
}  // namespace caffe2
namespace at {
class Tensor {
 public:
  Tensor(std::vector<std::int64_t> sizes, c10::ScalarType type) : sizes_(std::move(sizes)), type_(type) {}
  c10::ArrayRef<std::int64_t> sizes() const { return {sizes_.data(), sizes_.size()}; }
  std::int64_t dim() const { return static_cast<std::int64_t>(sizes_.size()); }
  caffe2::TypeMeta dtype() const { return {}; }
  c10::ScalarType scalar_type() const { return type_; }

 private:
  std::vector<std::int64_t> sizes_;
  c10::ScalarType type_;
};
}  // namespace at

namespace tensorspec {
namespace {

using testing::ElementsAre;

// DLPack's layout, as its header has it.
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data = nullptr;
  std::int32_t ndim = 0;
  DLDataType dtype{2, 32, 1};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
};

struct ShapeFieldAndText {  // NumPy-like
  std::vector<int> shape;
  std::string dtype;
};
struct ShapeFunctionAndValueType {  // xtensor-like
  using value_type = float;
  std::array<std::size_t, 2> shape() const { return {3, 4}; }
};
struct DTypeFunction {
  std::vector<std::uint64_t> extents;
  const std::vector<std::uint64_t>& shape() const { return extents; }
  DType dtype() const { return DType(DType::Kind::bfloat16); }
};
struct SpanLike {  // std::mdspan's names
  using element_type = const std::int16_t;
  using value_type = std::int16_t;
  static constexpr std::size_t rank() { return 2; }
  int extent(std::size_t i) const { return i == 0 ? 5 : 6; }
};
struct TextFunction {
  std::span<const long> sizes() const { return {}; }
  const char* dtype() const { return "torch.long"; }
};

TEST(TensorConcept, WhatIsATensor) {
  static_assert(TensorLike<TensorInfo> && TensorLike<DLTensor> && TensorLike<at::Tensor>);
  static_assert(TensorLike<ShapeFieldAndText> && TensorLike<ShapeFunctionAndValueType> && TensorLike<DTypeFunction>);
  static_assert(TensorLike<SpanLike> && TensorLike<TextFunction>);
  static_assert(DLTensorLike<DLTensor> && !DLTensorLike<at::Tensor> && !DLTensorLike<ShapeFieldAndText>);
  static_assert(!TensorLike<int> && !TensorLike<std::vector<float>> && !TensorLike<std::string> && !TensorLike<DType>);
}

template <class T>
std::string read(const T& tensor) {
  const auto info = to_tensor_info("x", tensor);
  if (!info.ok()) return std::string(error_name(info.error().code));
  std::string text = std::string(info->dtype.name());
  for (const std::int64_t size : info->shape) text += " " + std::to_string(size);
  return text;
}

TEST(TensorConcept, ReadsShapeAndDType) {
  EXPECT_EQ(read(at::Tensor({2, 3}, c10::ScalarType::Half)), "float16 2 3");
  EXPECT_EQ(read(at::Tensor({}, c10::ScalarType::Byte)), "uint8");
  EXPECT_EQ(read(at::Tensor({2}, c10::ScalarType::Float4_e2m1fn_x2)), "torch.float4_e2m1fn_x2 2");
  EXPECT_EQ(read(at::Tensor({0}, c10::ScalarType::Undefined)), " 0");
  EXPECT_EQ(read(ShapeFieldAndText{{1, 2}, "int64"}), "int64 1 2");
  EXPECT_EQ(read(ShapeFunctionAndValueType{}), "float32 3 4");
  EXPECT_EQ(read(DTypeFunction{{7}}), "bfloat16 7");
  EXPECT_EQ(read(SpanLike{}), "int16 5 6");
  EXPECT_EQ(read(TextFunction{}), "int64");
  EXPECT_EQ(read(TensorInfo{"other", DType(DType::Kind::int8), {9}}), "int8 9");
  EXPECT_EQ(to_tensor_info("x", TensorInfo{"other", {}, {}})->name, "x");
}

TEST(TensorConcept, ReadsDLTensorsOfAnyKind) {
  std::int64_t sizes[] = {4, 5};
  DLTensor tensor{.ndim = 2, .shape = sizes};
  EXPECT_EQ(read(tensor), "float32 4 5");
  tensor.dtype = {2, 32, 4};
  EXPECT_EQ(read(tensor), "dlpack:2:32:4 4 5");
  EXPECT_EQ(read(DLTensor{}), "float32");
  // Hostile ones.
  EXPECT_EQ(read(DLTensor{.ndim = 2}), "invalid_argument");
  EXPECT_EQ(read(DLTensor{.ndim = -1, .shape = sizes}), "invalid_argument");
  EXPECT_EQ(read(DLTensor{.ndim = INT32_MAX, .shape = sizes}), "invalid_argument");
  sizes[1] = -1;
  EXPECT_EQ(read(DLTensor{.ndim = 2, .shape = sizes}), "invalid_extent");
}

TEST(TensorConcept, RefusesExtentsThatDoNotFit) {
  EXPECT_EQ(read(DTypeFunction{{UINT64_MAX}}), "invalid_extent");
  EXPECT_EQ(read(DTypeFunction{{(std::uint64_t{1} << 62) + 1}}), "invalid_extent");
  EXPECT_EQ(read(DTypeFunction{{std::uint64_t{1} << 62}}), "bfloat16 4611686018427387904");
  EXPECT_EQ(read(DTypeFunction{std::vector<std::uint64_t>(65, 1)}), "rank_too_large");
}

TEST(TensorConcept, FromTensorTakesThemAll) {
  std::int64_t sizes[] = {4, 5};
  const auto of_dlpack = TensorSpec::from_tensor(DLTensor{.ndim = 2, .shape = sizes}, 2);
  ASSERT_TRUE(of_dlpack.ok());
  EXPECT_EQ(of_dlpack->repr(), "shape=[4, 5] dtype=float32");
  EXPECT_THAT(of_dlpack->bs_multipliers(), ElementsAre(2.0, 2.5));
  TensorSpec spec = *TensorSpec::from_tensor(at::Tensor({1, 5}, c10::ScalarType::Half), 1);
  ASSERT_TRUE(spec.update_shapes_seen(*TensorSpec::from_tensor(at::Tensor({4, 5}, c10::ScalarType::Half), 4)).ok());
  EXPECT_EQ(spec.repr(DTypeStyle::torch), "shape=[batch0, 5] dtype=torch.float16");
  EXPECT_EQ(TensorSpec::from_tensor(DLTensor{.ndim = 1}, 1).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(TensorSpec::from_tensor(SpanLike{}, 0).error().code, ErrorCode::invalid_batch_size);
}

}  // namespace
}  // namespace tensorspec
