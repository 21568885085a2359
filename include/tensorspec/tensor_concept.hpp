// SPDX-License-Identifier: Apache-2.0
//
// Anything with a shape and a dtype is a tensor: to_tensor_info() reads both and includes nothing of the framework.
//
//   shape   .ndim and .shape (DLTensor) | .sizes() (at::Tensor) | .shape() | .shape | .rank() and .extent(i) (mdspan)
//   dtype   .dtype.{code,bits,lanes} (DLTensor) | .dtype() or .dtype, a DType or text | .scalar_type(), whose
//   toString()
//           is found by argument-dependent lookup (at::Tensor) | value_type or element_type
//
// The first that a type has is taken. Elements are never touched.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tensorspec/call.hpp"

namespace tensorspec {

// DLTensor of DLPack, of any version and any copy of its header.
template <class T>
concept DLTensorLike = requires(const T& t) {
  { t.ndim } -> std::convertible_to<std::int64_t>;
  { t.shape[0] } -> std::convertible_to<std::int64_t>;
  { t.dtype.code } -> std::convertible_to<std::uint8_t>;
  { t.dtype.bits } -> std::convertible_to<std::uint8_t>;
  { t.dtype.lanes } -> std::convertible_to<std::uint16_t>;
};

namespace detail {

template <class R>
concept IntegerRange = std::ranges::input_range<R> && std::integral<std::remove_cvref_t<std::ranges::range_value_t<R>>>;

template <class T>
concept HasSizes = requires(const T& t) {
  { t.sizes() } -> IntegerRange;
};
template <class T>
concept HasShapeFunction = requires(const T& t) {
  { t.shape() } -> IntegerRange;
};
template <class T>
concept HasShapeField = requires(const T& t) { requires IntegerRange<decltype((t.shape))>; };
template <class T>
concept HasExtents = requires(const T& t) {
  { t.rank() } -> std::convertible_to<std::size_t>;
  { t.extent(std::size_t{0}) } -> std::convertible_to<std::int64_t>;
};

template <class D>
concept DTypeOrText = std::convertible_to<D, DType> || std::convertible_to<D, std::string_view>;

template <class T>
concept HasDTypeFunction = requires(const T& t) {
  { t.dtype() } -> DTypeOrText;
};
template <class T>
concept HasDTypeField = requires(const T& t) { requires DTypeOrText<decltype((t.dtype))>; };
template <class T>
concept HasScalarType = requires(const T& t) {
  { toString(t.scalar_type()) } -> std::convertible_to<std::string_view>;
};
template <class T>
concept HasElementType = requires { typename T::element_type; } || requires { typename T::value_type; };

template <class E>
bool append_extent(Shape& shape, E extent) {
  if (!std::in_range<std::int64_t>(extent)) return false;
  shape.push_back(static_cast<std::int64_t>(extent));
  return true;
}

template <class R>
bool append_extents(Shape& shape, const R& range) {
  for (const auto extent : range)
    if (!append_extent(shape, extent)) return false;
  return true;
}

template <class T>
bool read_shape(const T& tensor, Shape& shape) {
  if constexpr (DLTensorLike<T>) {
    // ndim is 32 bits wide in DLPack and comes from elsewhere: bounded before it is believed.
    const auto rank = static_cast<std::int64_t>(tensor.ndim);
    if (rank < 0 || rank > static_cast<std::int64_t>(kMaxRank)) return false;
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(tensor.shape)>>)
      if (rank > 0 && tensor.shape == nullptr) return false;
    for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(static_cast<std::int64_t>(tensor.shape[axis]));
    return true;
  } else if constexpr (HasSizes<T>) {
    return append_extents(shape, tensor.sizes());
  } else if constexpr (HasShapeFunction<T>) {
    return append_extents(shape, tensor.shape());
  } else if constexpr (HasShapeField<T>) {
    return append_extents(shape, tensor.shape);
  } else {
    // mdspan's index may be narrower than its rank's type; static_cast says that this is meant.
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(tensor.rank()); ++axis)
      if (!append_extent(shape, tensor.extent(axis))) return false;
    return true;
  }
}

template <class D>
DType to_dtype(const D& dtype) {
  if constexpr (std::convertible_to<const D&, DType>) return dtype;
  else return DType::from_text(std::string_view(dtype));
}

template <class T>
DType read_dtype(const T& tensor) {
  if constexpr (DLTensorLike<T>) {
    return DType::from_dlpack(static_cast<std::uint8_t>(tensor.dtype.code),
                              static_cast<std::uint8_t>(tensor.dtype.bits),
                              static_cast<std::uint16_t>(tensor.dtype.lanes));
  } else if constexpr (HasDTypeFunction<T>) {
    return to_dtype(tensor.dtype());
  } else if constexpr (HasDTypeField<T>) {
    return to_dtype(tensor.dtype);
  } else if constexpr (HasScalarType<T>) {
    return DType::from_scalar_type(std::string_view(toString(tensor.scalar_type())));
  } else if constexpr (requires { typename T::element_type; }) {
    return DType::of<typename T::element_type>();
  } else {
    return DType::of<typename T::value_type>();
  }
}

}  // namespace detail

template <class T>
concept TensorLike = std::same_as<T, TensorInfo> || DLTensorLike<T> ||
                     ((detail::HasSizes<T> || detail::HasShapeFunction<T> || detail::HasShapeField<T> ||
                       detail::HasExtents<T>)&&(detail::HasDTypeFunction<T> || detail::HasDTypeField<T> ||
                                                detail::HasScalarType<T> || detail::HasElementType<T>));

// Name, dtype and shape of any tensor; a TensorInfo is taken under its new name. What the tensor's own accessors throw
// passes through. Errors: invalid_extent, rank_too_large, invalid_argument (a DLTensor whose shape cannot be read).
template <TensorLike T>
Result<TensorInfo> to_tensor_info(std::string name, const T& tensor) {
  TensorInfo info{std::move(name), {}, {}};
  if constexpr (std::same_as<T, TensorInfo>) {
    info.dtype = tensor.dtype;
    info.shape = tensor.shape;
  } else {
    if (!detail::read_shape(tensor, info.shape)) {
      if constexpr (DLTensorLike<T>)
        return Error{ErrorCode::invalid_argument, info.name,
                     "ndim " + std::to_string(tensor.ndim) + " or shape of a DLTensor"};
      else
        return Error{ErrorCode::invalid_extent,
                     (info.name.empty() ? "" : info.name + " ") + "axis " + std::to_string(info.shape.size()),
                     "above 2^63"};
    }
    info.dtype = detail::read_dtype(tensor);
  }
  if (Status valid = validate(info); !valid.ok()) return std::move(valid).error();
  return info;
}

}  // namespace tensorspec
