// SPDX-License-Identifier: Apache-2.0
//
// A JSON value in memory: objects keep their order, whole numbers stay exact, unknown fields can be carried along.
// json.cpp does the parsing and the printing with nlohmann/json and is the only unit that includes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool value) : value_(value) {}               // NOLINT: implicit by design
  Json(int value) : value_(std::int64_t{value}) {}  // NOLINT
  Json(std::int64_t value) : value_(value) {}       // NOLINT
  // Held as int64 where it fits, as parse() does, so that equal numbers are equal values.
  Json(std::uint64_t value) {  // NOLINT
    if (value <= INT64_MAX) value_ = static_cast<std::int64_t>(value);
    else value_ = value;
  }
  Json(double value) : value_(value) {}                         // NOLINT
  Json(std::string value) : value_(std::move(value)) {}         // NOLINT
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  Json(Array value) : value_(std::move(value)) {}               // NOLINT
  Json(Object value) : value_(std::move(value)) {}              // NOLINT

  template <class T>
  Json(const std::optional<T>& value) {  // NOLINT: null without one
    if (value) *this = Json(*value);
  }

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }
  bool is_array() const noexcept { return std::holds_alternative<Array>(value_); }
  bool is_string() const noexcept { return std::holds_alternative<std::string>(value_); }
  bool is_bool() const noexcept { return std::holds_alternative<bool>(value_); }

  // nullptr or nullopt when the value is of another kind. A whole number outside int64 (or uint64) is of another kind;
  // so is every float, 3.0 included: sizes are never floats.
  const Object* object() const noexcept { return std::get_if<Object>(&value_); }
  const Array* array() const noexcept { return std::get_if<Array>(&value_); }
  const std::string* string() const noexcept { return std::get_if<std::string>(&value_); }
  std::optional<bool> boolean() const noexcept;
  std::optional<std::int64_t> int64() const noexcept;
  std::optional<std::uint64_t> uint64() const noexcept;

  // Member of an object, or nullptr (also when this is no object).
  const Json* find(std::string_view key) const noexcept;
  // Appends to an object (a null becomes an object) or an array (a null becomes an array).
  Json& add(std::string key, Json value);
  Json& push(Json value);

  friend bool operator==(const Json&, const Json&) = default;

  // Compact when indent < 0. Arrays that hold no object and no array stay on one line. Bytes that are not UTF-8 become
  // U+FFFD.
  std::string dump(int indent = -1) const;

  // Errors: json_syntax (`where` is "byte N", from 1), json_too_deep (more than 64 levels), json_duplicate_key.
  // O(n log n) for any text, hostile ones too.
  static Result<Json> parse(std::string_view text);

  const auto& variant() const noexcept { return value_; }

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

}  // namespace tensorspec
