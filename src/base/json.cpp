// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace tensorspec {

std::optional<bool> Json::boolean() const noexcept {
  const bool* value = std::get_if<bool>(&value_);
  return value ? std::optional<bool>(*value) : std::nullopt;
}

std::optional<std::int64_t> Json::int64() const noexcept {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&value_); value && *value <= INT64_MAX)
    return static_cast<std::int64_t>(*value);
  return std::nullopt;
}

std::optional<std::uint64_t> Json::uint64() const noexcept {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_); value && *value >= 0)
    return static_cast<std::uint64_t>(*value);
  return std::nullopt;
}

const Json* Json::find(std::string_view key) const noexcept {
  if (const Object* members = object())
    for (const auto& [name, value] : *members)
      if (name == key) return &value;
  return nullptr;
}

Json& Json::add(std::string key, Json value) {
  if (is_null()) value_ = Object();
  if (Object* members = std::get_if<Object>(&value_)) members->emplace_back(std::move(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array();
  if (Array* items = std::get_if<Array>(&value_)) items->push_back(std::move(value));
  return *this;
}

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxReason = 200;

// Builds a Json from the library's events. The library calls these without recursion, so depth is bounded here alone.
class Builder {
 public:
  bool null() { return put(Json()); }
  bool boolean(bool value) { return put(Json(value)); }
  bool number_integer(std::int64_t value) { return put(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return put(Json(value)); }
  bool number_float(double value, const std::string&) { return put(Json(value)); }
  bool string(std::string& value) { return put(Json(std::move(value))); }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool key(std::string& name) {
    if (!open_.back().names.insert(name).second) return fail(ErrorCode::json_duplicate_key, "\"" + name + "\"");
    keys_.push_back(std::move(name));
    return true;
  }
  bool start_object(std::size_t) { return start(true); }
  bool start_array(std::size_t) { return start(false); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: reason - last read: '<the whole token>'".
    std::string reason = error.what();
    if (const auto at = reason.find(": "); at != std::string::npos) reason.erase(0, at + 2);
    else if (const auto name = reason.find("] "); name != std::string::npos) reason.erase(0, name + 2);
    if (reason.size() > kMaxReason) reason.replace(kMaxReason, std::string::npos, "...");
    error_ = Error{ErrorCode::json_syntax, "byte " + std::to_string(position), std::move(reason)};
    return false;
  }

  Result<Json> take() {
    if (error_) return *std::move(error_);
    return std::move(root_);
  }

 private:
  struct Open {
    bool is_object;
    Json::Object members;
    Json::Array items;
    std::set<std::string> names;  // of the members so far
  };

  bool fail(ErrorCode code, std::string detail) {
    error_ = Error{code, "", std::move(detail)};
    return false;
  }
  bool put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }
  bool start(bool is_object) {
    if (open_.size() >= kMaxDepth) return fail(ErrorCode::json_too_deep, "more than 64 levels");
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }
  bool end() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return put(closed.is_object ? Json(std::move(closed.members)) : Json(std::move(closed.items)));
  }

  Json root_;
  std::vector<Open> open_;
  std::vector<std::string> keys_;
  std::optional<Error> error_;
};

void print(const Json& value, int indent, int level, std::string& out);

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void break_line(int indent, int level, std::string& out) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
}

bool is_flat(const Json::Array& items) {
  for (const Json& item : items)
    if (item.is_array() || item.is_object()) return false;
  return true;
}

void print_array(const Json::Array& items, int indent, int level, std::string& out) {
  const bool flat = indent < 0 || is_flat(items);
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += flat && indent >= 0 ? ", " : ",";
    if (!flat) break_line(indent, level + 1, out);
    print(items[i], indent, level + 1, out);
  }
  if (!flat) break_line(indent, level, out);
  out += ']';
}

void print_object(const Json::Object& members, int indent, int level, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    break_line(indent, level + 1, out);
    out += quoted(members[i].first);
    out += indent < 0 ? ":" : ": ";
    print(members[i].second, indent, level + 1, out);
  }
  if (!members.empty()) break_line(indent, level, out);
  out += '}';
}

void print(const Json& value, int indent, int level, std::string& out) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) out += "null";
        else if constexpr (std::is_same_v<T, bool>) out += held ? "true" : "false";
        else if constexpr (std::is_same_v<T, double>) out += nlohmann::json(held).dump();
        else if constexpr (std::is_same_v<T, std::string>) out += quoted(held);
        else if constexpr (std::is_same_v<T, Json::Array>) print_array(held, indent, level, out);
        else if constexpr (std::is_same_v<T, Json::Object>) print_object(held, indent, level, out);
        else out += std::to_string(held);
      },
      value.variant());
}

}  // namespace

std::string Json::dump(int indent) const {
  std::string out;
  print(*this, indent, 0, out);
  return out;
}

Result<Json> Json::parse(std::string_view text) {
  // The library takes a NUL for the end and would pass over what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return Error{ErrorCode::json_syntax, "byte " + std::to_string(nul + 1), "a NUL byte"};
  Builder builder;
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace tensorspec
