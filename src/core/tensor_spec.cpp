// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/tensor_spec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/multiplier.hpp"

namespace tensorspec {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What a spec knows of one axis. A spec written by hand may lack bounds.
struct Axis {
  AxisExtent extent;
  std::optional<std::int64_t> min, max;
  std::optional<Multiplier> multiplier;  // nullopt: NaN
};

template <class T>
std::optional<T> entry(const std::vector<T>& list, std::size_t index) {
  return index < list.size() ? std::optional<T>(list[index]) : std::nullopt;
}

Axis axis_of(const TensorSpec& spec, std::size_t i) {
  Axis axis{spec.shape[i], entry(spec.min_shape, i), entry(spec.max_shape, i), std::nullopt};
  double multiplier = entry(spec._bs_multipliers, i).value_or(kNaN);
  if (const std::int64_t* size = axis.extent.size()) {
    // A size that nothing was seen of, so neither was its batch size.
    if ((axis.min && *size < *axis.min) || (axis.max && *size > *axis.max)) multiplier = kNaN;
    axis.min = std::min(axis.min.value_or(*size), *size);
    axis.max = std::max(axis.max.value_or(*size), *size);
  }
  axis.multiplier = Multiplier::read(axis.min.value_or(0), multiplier);
  return axis;
}

template <class Pick>
std::optional<std::int64_t> bound(std::optional<std::int64_t> a, std::optional<std::int64_t> b, Pick pick) {
  if (!a || !b) return a ? a : b;
  return pick(*a, *b);
}

AxisExtent symbol_for(const Axis& a, const Axis& b, bool batch, std::size_t i) {
  for (const Axis* axis : {&a, &b})
    if (axis->extent.is_symbol() && axis->extent.is_batch() == batch) return axis->extent;
  return AxisExtent((batch ? "batch" : "dim") + std::to_string(i));
}

Axis merge(const Axis& a, const Axis& b, std::size_t i) {
  Axis out;
  out.min = bound(a.min, b.min, [](auto x, auto y) { return std::min(x, y); });
  out.max = bound(a.max, b.max, [](auto x, auto y) { return std::max(x, y); });
  if (a.multiplier == b.multiplier) out.multiplier = a.multiplier;

  bool varies = out.min != out.max, dynamic = false;
  for (const AxisExtent* extent : {&a.extent, &b.extent}) {
    varies = varies || extent->is_symbol();
    dynamic = dynamic || (extent->is_symbol() && !extent->is_batch());
  }
  const bool whole = out.multiplier && out.multiplier->is_whole() && out.multiplier->num >= 1;
  // Neither is a symbol, so both have bounds: their own sizes.
  if (varies) out.extent = symbol_for(a, b, whole && !dynamic, i);
  else out.extent = out.min.value_or(0);
  return out;
}

// A bound that neither side knows ends the list: numbers are not made up.
void append_bound(Shape& list, std::size_t i, std::optional<std::int64_t> value) {
  if (value && list.size() == i) list.push_back(*value);
}

std::vector<DType> union_of_dtypes(std::initializer_list<const TensorSpec*> specs) {
  std::vector<DType> all;
  for (const TensorSpec* spec : specs) {
    all.insert(all.end(), spec->dtypes_seen.begin(), spec->dtypes_seen.end());
    all.push_back(spec->dtype);
  }
  std::erase_if(all, [](const DType& dtype) { return !dtype.is_known(); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string dtype_text(const DType& dtype, DTypeStyle style) {
  if (!dtype.is_known()) return "None";
  if (style == DTypeStyle::torch)
    if (auto name = dtype.torch_name()) return *std::move(name);
  return std::string(dtype.name());
}

template <class List, class Print>
void append_list(std::string& out, std::string_view name, const List& list, Print print) {
  out += name;
  out += "=[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    out += print(list[i]);
  }
  out += ']';
}

}  // namespace

Result<TensorSpec> TensorSpec::from_tensor(const TensorInfo& tensor, std::optional<std::int64_t> batch_size) {
  if (batch_size && (*batch_size < 1 || *batch_size > kMaxExtent))
    return Error{ErrorCode::invalid_batch_size, "batch_size", std::to_string(*batch_size)};
  if (Status valid = validate(tensor); !valid.ok()) return std::move(valid).error();
  TensorSpec spec;
  spec.shape.assign(tensor.shape.begin(), tensor.shape.end());
  spec.min_shape = spec.max_shape = tensor.shape;
  spec.dtype = tensor.dtype;
  spec._bs_multipliers.reserve(tensor.shape.size());
  for (const std::int64_t size : tensor.shape)
    spec._bs_multipliers.push_back(batch_size ? pack_multiplier(size, *batch_size) : kNaN);
  return spec;
}

Status TensorSpec::update_shapes_seen(const TensorSpec& other) {
  const std::size_t rank = shape.size();
  if (other.shape.size() != rank)
    return Error{ErrorCode::rank_mismatch, "", std::to_string(rank) + " and " + std::to_string(other.shape.size())};
  // Built aside and moved in at the end: an exception half way (no memory) must not leave half of it.
  TensorSpec merged;
  for (std::size_t i = 0; i < rank; ++i) {
    Axis axis = merge(axis_of(*this, i), axis_of(other, i), i);
    append_bound(merged.min_shape, i, axis.min);
    append_bound(merged.max_shape, i, axis.max);
    merged._bs_multipliers.push_back(axis.multiplier ? axis.multiplier->to_double() : kNaN);
    merged.shape.push_back(std::move(axis.extent));
  }
  merged.dtype = dtype.is_known() ? dtype : other.dtype;
  merged.dtypes_seen = union_of_dtypes({this, &other});
  if (merged.dtypes_seen.size() < 2) merged.dtypes_seen.clear();
  *this = std::move(merged);
  return {};
}

std::map<std::size_t, std::int64_t> TensorSpec::get_batch_axis_multipliers() const {
  std::map<std::size_t, std::int64_t> multipliers;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is_batch()) continue;
    const auto multiplier = axis_of(*this, i).multiplier;
    if (multiplier && multiplier->is_whole() && multiplier->num >= 1) multipliers[i] = multiplier->num;
  }
  return multipliers;
}

std::int64_t TensorSpec::get_max_batch_size(bool normalized) const {
  const auto multipliers = get_batch_axis_multipliers();
  std::optional<std::int64_t> best;
  for (std::size_t i = 0; i < shape.size() && i < max_shape.size(); ++i) {
    const auto multiplier = multipliers.find(i);
    if (!shape[i].is_batch() || (normalized && multiplier == multipliers.end())) continue;
    const std::int64_t extent = normalized ? max_shape[i] / multiplier->second : max_shape[i];
    best = std::max(best.value_or(extent), extent);
  }
  return best.value_or(1);
}

std::optional<std::int64_t> TensorSpec::get_min_batch_size(bool normalized) const {
  const auto multipliers = get_batch_axis_multipliers();
  std::optional<std::int64_t> best;
  for (std::size_t i = 0; i < shape.size() && i < min_shape.size(); ++i) {
    const auto multiplier = multipliers.find(i);
    if (!shape[i].is_batch() || (normalized && multiplier == multipliers.end())) continue;
    std::int64_t extent = min_shape[i];
    // Rounded up: a batch size whose tensor lies inside the range that was seen.
    if (normalized) extent = extent / multiplier->second + (extent % multiplier->second > 0 ? 1 : 0);
    best = std::min(best.value_or(extent), extent);
  }
  return best;
}

bool TensorSpec::has_batch_axis() const noexcept {
  return std::any_of(shape.begin(), shape.end(), [](const AxisExtent& extent) { return extent.is_batch(); });
}

bool TensorSpec::has_dynamic_axis() const noexcept {
  return std::any_of(shape.begin(), shape.end(),
                     [](const AxisExtent& extent) { return extent.is_symbol() && !extent.is_batch(); });
}

bool TensorSpec::is_int(double value) noexcept { return std::isfinite(value) && value == std::floor(value); }

bool TensorSpec::matches(const TensorSpec& other) const noexcept {
  return std::equal(shape.begin(), shape.end(), other.shape.begin(), other.shape.end(),
                    [](const AxisExtent& a, const AxisExtent& b) {
                      return a.is_symbol() || b.is_symbol() || *a.size() == *b.size();
                    });
}

std::string TensorSpec::describe(InfoLevel info_level, DTypeStyle style) const {
  const auto print_size = [](std::int64_t size) { return std::to_string(size); };
  std::string out;
  append_list(out, "shape", shape, [](const AxisExtent& extent) { return extent.to_string(); });
  if (info_level == InfoLevel::SHORT) return out;
  if (info_level != InfoLevel::MEDIUM) {
    append_list(out, " min_shape", min_shape, print_size);
    append_list(out, " max_shape", max_shape, print_size);
  }
  return out + " dtype=" + dtype_text(dtype, style);
}

std::vector<DType> TensorSpec::dtype_conflict() const {
  std::vector<DType> seen = union_of_dtypes({this});
  if (seen.size() < 2) seen.clear();
  return seen;
}

}  // namespace tensorspec
