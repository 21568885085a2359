// SPDX-License-Identifier: Apache-2.0
//
// TensorSpec::to_dict and from_dict.
#include <cmath>
#include <limits>

#include "base/json.hpp"
#include "base/try.hpp"
#include "core/json_nan.hpp"
#include "tensorspec/tensor_spec.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kType = "TensorSpec";

Json dtype_json(const DType& dtype, DTypeStyle style) {
  if (!dtype.is_known()) return {};
  if (style == DTypeStyle::torch)
    if (const auto name = dtype.torch_name()) return *name;
  return dtype.name();
}

Error not_a_spec(std::string where, std::string detail) {
  return {ErrorCode::invalid_dict, std::move(where), std::move(detail)};
}

// The list under `key`, each entry read by `read`, which gives nullopt for what does not belong there.
template <class T, class Read>
Result<std::vector<T>> list_of(const Json& dict, std::string_view key, std::string_view expected, Read read) {
  const Json* value = dict.find(key);
  if (!value || !value->array()) return not_a_spec(std::string(key), value ? "not a list" : "missing");
  std::vector<T> out;
  for (const Json& item : *value->array()) {
    std::optional<T> entry = read(item);
    if (!entry)
      return not_a_spec(std::string(key) + "[" + std::to_string(out.size()) + "]", "not " + std::string(expected));
    out.push_back(*std::move(entry));
  }
  return out;
}

std::optional<AxisExtent> read_extent(const Json& item) {
  if (const std::string* symbol = item.string()) return AxisExtent(*symbol);
  if (const auto size = item.int64()) return AxisExtent(*size);
  return std::nullopt;
}

std::optional<double> read_multiplier(const Json& item) {
  if (item.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (const double* number = std::get_if<double>(&item.variant())) return *number;
  if (const auto whole = item.int64()) return static_cast<double>(*whole);
  if (const auto whole = item.uint64()) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<DType> read_dtype(const Json& item) {
  if (item.is_null()) return DType();
  if (const std::string* text = item.string()) return DType::from_text(*text);
  return std::nullopt;
}

}  // namespace

std::string with_null_for_nan(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text.substr(i, 3) == "NaN") {
      out += "null";
      i += 2;
      continue;
    }
    out += text[i];
  }
  return out;
}

std::string TensorSpec::to_dict(DTypeStyle style) const {
  Json::Array sizes, multipliers;
  for (const AxisExtent& extent : shape) {
    if (extent.is_symbol()) sizes.push_back(*extent.symbol());
    else sizes.push_back(*extent.size());
  }
  for (const double multiplier : _bs_multipliers) {
    if (std::isfinite(multiplier)) multipliers.push_back(multiplier);
    else multipliers.emplace_back();
  }
  Json dict;
  dict.add("type", kType);
  dict.add("shape", std::move(sizes));
  dict.add("min_shape", Json::Array(min_shape.begin(), min_shape.end()));
  dict.add("max_shape", Json::Array(max_shape.begin(), max_shape.end()));
  dict.add("dtype", dtype_json(dtype, style));
  dict.add("_bs_multipliers", std::move(multipliers));
  if (!dtypes_seen.empty()) {
    Json::Array seen;
    for (const DType& one : dtypes_seen) seen.push_back(dtype_json(one, style));
    dict.add("dtypes_seen", std::move(seen));
  }
  return dict.dump();
}

Result<TensorSpec> TensorSpec::from_dict(std::string_view json) {
  TRY(const Json dict, Json::parse(with_null_for_nan(json)));
  const Json* type = dict.find("type");
  if (!dict.is_object()) return not_a_spec("", "not an object");
  if (!type || !type->string() || *type->string() != kType)
    return not_a_spec("type", type ? type->dump() + " is not \"TensorSpec\"" : "missing");
  const Json* dtype = dict.find("dtype");
  const auto known = dtype ? read_dtype(*dtype) : std::nullopt;
  if (!known) return not_a_spec("dtype", dtype ? "neither text nor null" : "missing");

  const auto size = [](const Json& item) { return item.int64(); };
  TensorSpec spec;
  spec.dtype = *known;
  TRY(spec.shape, list_of<AxisExtent>(dict, "shape", "a whole number or a symbol", read_extent));
  TRY(spec.min_shape, list_of<std::int64_t>(dict, "min_shape", "a whole number", size));
  TRY(spec.max_shape, list_of<std::int64_t>(dict, "max_shape", "a whole number", size));
  TRY(spec._bs_multipliers, list_of<double>(dict, "_bs_multipliers", "a number or null", read_multiplier));
  if (dict.find("dtypes_seen")) {
    TRY(spec.dtypes_seen, list_of<DType>(dict, "dtypes_seen", "text or null", read_dtype));
  }
  return spec;
}

}  // namespace tensorspec
