// SPDX-License-Identifier: Apache-2.0
//
// TensorSpec: which axes of one tensor are fixed, which follow the batch size, which vary otherwise. The reference is
// docs/tensorspec-reference.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/dtype.hpp"
#include "tensorspec/result.hpp"
#include "tensorspec/tensor_concept.hpp"

namespace tensorspec {

enum class InfoLevel { FULL, MEDIUM, SHORT };

// How describe() and to_dict() spell a dtype: "float32" or "torch.float32". What torch has no word for stays plain.
enum class DTypeStyle { plain, torch };

// One entry of TensorSpec::shape: a size, or a symbol such as "batch0" or "dim2". 0-initialised: the size 0.
class AxisExtent {
 public:
  AxisExtent() = default;
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  AxisExtent(I size) : value_(static_cast<std::int64_t>(size)) {}       // NOLINT: implicit by design
  AxisExtent(std::string symbol) : value_(std::move(symbol)) {}         // NOLINT
  AxisExtent(const char* symbol) : value_(std::string(symbol)) {}       // NOLINT
  AxisExtent(std::string_view symbol) : value_(std::string(symbol)) {}  // NOLINT

  bool is_symbol() const noexcept { return std::holds_alternative<std::string>(value_); }
  // A symbol whose text begins with "batch".
  bool is_batch() const noexcept { return is_symbol() && symbol()->starts_with("batch"); }
  // nullptr when it is the other one.
  const std::int64_t* size() const noexcept { return std::get_if<std::int64_t>(&value_); }
  const std::string* symbol() const noexcept { return std::get_if<std::string>(&value_); }

  std::string to_string() const { return is_symbol() ? *symbol() : std::to_string(*size()); }
  friend bool operator==(const AxisExtent&, const AxisExtent&) = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};

// Metadata of a tensor over all the sizes it was seen with.
//
// Per axis the state is the smallest size, the largest size and the multiplier size / batch size, NaN once two sizes
// disagree on it or a batch size is unknown. Which pairs (size, batch size) went in decides the state; their order and
// grouping do not. From the state: all sizes equal -> that integer; else one whole multiplier of at least 1 ->
// "batch{axis}"; else "dim{axis}".
//
// It is exact up to sizes and batch sizes of 2^62, although a double holds 53 bits: smallest size and multiplier
// together give the batch size back, hence the exact fraction. A fraction too fine for that is kept as NaN, which gives
// the same shape. Equal fractions have the same double.
//
// All fields may be edited and need not fit together; no function fails or crashes on what was written by hand. A plain
// value; not synchronised.
class TensorSpec {
 public:
  // An aggregate: TensorSpec{.shape = {"batch0", 3}, .min_shape = {1, 3}, .max_shape = {8, 3}, .dtype = ..}.
  std::vector<AxisExtent> shape{};
  Shape min_shape{};
  Shape max_shape{};
  DType dtype{};  // not known: Python's None
  // The name is the page's; bs_multipliers() reads the same.
  std::vector<double> _bs_multipliers{};
  // Filled by update_shapes_seen() once two dtypes met; see dtype_conflict().
  std::vector<DType> dtypes_seen{};

  // The spec of one tensor seen once; nullopt: the batch size is unknown. Errors: invalid_batch_size (below 1, above
  // 2^62), invalid_extent, rank_too_large, and those of to_tensor_info().
  static Result<TensorSpec> from_tensor(const TensorInfo& tensor, std::optional<std::int64_t> batch_size);
  template <TensorLike T>
    requires(!std::same_as<T, TensorInfo>)
  static Result<TensorSpec> from_tensor(const T& tensor, std::optional<std::int64_t> batch_size) {
    auto info = to_tensor_info("tensor", tensor);
    if (!info.ok()) return std::move(info).error();
    return from_tensor(*info, batch_size);
  }

  // Widens this spec by everything `other` has seen; `other` may be the result of many updates, or this spec itself.
  // The first known dtype stays in the field. All or nothing. O(rank). Errors: rank_mismatch, and nothing is changed.
  //
  // By hand: a symbol stays a symbol, one that does not begin with "batch" is never a batch axis again, and a text
  // keeps while its class does; an integer in shape counts as a size; a missing bound or multiplier is one not known.
  Status update_shapes_seen(const TensorSpec& other);

  const std::vector<double>& bs_multipliers() const noexcept { return _bs_multipliers; }
  // Whole multipliers, at least 1, of the axes whose symbol begins with "batch". A batch axis written by hand with any
  // other multiplier has no entry.
  std::map<std::size_t, std::int64_t> get_batch_axis_multipliers() const;
  // Largest (smallest) extent of any batch axis; 1 (nullopt) without one. This is the size of the axis, as in the
  // original; `normalized` divides it by the multiplier, inwards: 2 x batch up to 8 is a batch size of 4.
  std::int64_t get_max_batch_size(bool normalized = false) const;
  std::optional<std::int64_t> get_min_batch_size(bool normalized = false) const;

  bool has_batch_axis() const noexcept;
  // Any symbol that is not a batch axis.
  bool has_dynamic_axis() const noexcept;
  // True for a finite whole number, whatever its size; false for NaN and the infinities.
  static bool is_int(double value) noexcept;
  // Same rank, and equal where both have an integer; a symbol matches anything.
  bool matches(const TensorSpec& other) const noexcept;

  // SHORT "shape=[batch0, 2, dim2]"; MEDIUM adds " dtype=float32"; FULL is "shape=[..] min_shape=[..] max_shape=[..]
  // dtype=..". A dtype that is not known is "None".
  std::string describe(InfoLevel info_level = InfoLevel::FULL, DTypeStyle style = DTypeStyle::plain) const;
  std::string to_string() const { return describe(InfoLevel::SHORT); }
  std::string repr(DTypeStyle style = DTypeStyle::plain) const { return describe(InfoLevel::MEDIUM, style); }

  // One JSON object with "type": "TensorSpec" and the five fields; "dtypes_seen" only after a dtype conflict. NaN is
  // null, since JSON has no NaN. from_dict takes null, and NaN as Python's json writes it. Nothing is lost.
  std::string to_dict(DTypeStyle style = DTypeStyle::plain) const;
  // Keys it does not know are passed over. Errors: invalid_dict (another type, a missing key or one of another kind,
  // `where` names it), json_syntax, json_too_deep, json_duplicate_key.
  static Result<TensorSpec> from_dict(std::string_view json);

  // The dtypes seen when there was more than one, in order of name, the field's included; empty otherwise.
  std::vector<DType> dtype_conflict() const;

  // By rank only, as the hash: sizes may differ, since axes may vary.
  friend bool operator==(const TensorSpec& a, const TensorSpec& b) noexcept { return a.shape.size() == b.shape.size(); }
};

}  // namespace tensorspec

template <>
struct std::hash<tensorspec::TensorSpec> {
  std::size_t operator()(const tensorspec::TensorSpec& spec) const noexcept {
    return std::hash<std::size_t>()(spec.shape.size());
  }
};
