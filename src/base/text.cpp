// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <simdjson.h>

#include <algorithm>

namespace tensorspec {

std::size_t utf8_sequence_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  if (lead == 0xE0 && at(1) < 0xA0) return 0;  // overlong
  if (lead == 0xED && at(1) > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && at(1) < 0x90) return 0;  // overlong
  if (lead == 0xF4 && at(1) > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

bool is_utf8(std::string_view text) noexcept { return simdjson::validate_utf8(text.data(), text.size()); }

void append_code_point(std::string& out, std::uint32_t value) {
  if (value < 0x80) {
    out += static_cast<char>(value);
    return;
  }
  const int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
  static constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | (value >> (6 * more) & 0x3F));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (value >> (6 * i) & 0x3F));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string join_some(std::vector<std::string> parts, std::size_t told) {
  if (parts.size() > told) {
    const std::size_t more = parts.size() - told;
    parts.resize(told);
    parts.push_back(std::to_string(more) + " more");
  }
  return join(parts, ", ");
}

std::string bracketed(const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> parts;
  for (const std::int64_t size : sizes) parts.push_back(std::to_string(size));
  return "[" + join(parts, ", ") + "]";
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::optional<std::string_view> repeated(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

namespace {
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The run of digits at the start of `text`, without leading zeros.
std::string_view number_at(std::string_view text, std::size_t& length) noexcept {
  length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::size_t zeros = 0;
  while (zeros + 1 < length && text[zeros] == '0') ++zeros;
  return text.substr(zeros, length - zeros);
}
}  // namespace

int natural_compare(std::string_view a, std::string_view b) noexcept {
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    if (is_digit(x[0]) && is_digit(y[0])) {
      std::size_t x_length = 0, y_length = 0;
      const std::string_view p = number_at(x, x_length), q = number_at(y, y_length);
      if (p.size() != q.size()) return p.size() < q.size() ? -1 : 1;
      if (const int order = p.compare(q)) return order;
      x.remove_prefix(x_length);
      y.remove_prefix(y_length);
    } else if (x[0] != y[0]) {
      return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]) ? -1 : 1;
    } else {
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty() ? -1 : 1;
  return a.compare(b);  // only leading zeros differ: "a01" and "a1"
}

Status check_name(std::string_view file, std::string_view name) {
  const auto fail = [&](std::string detail) {
    return Error{.code = ErrorCode::invalid_name, .where = std::string(file), .detail = std::move(detail)};
  };
  if (name.size() > kMaxNameBytes)
    return fail(std::to_string(name.size()) + " bytes, the limit is " + std::to_string(kMaxNameBytes));
  if (!is_utf8(name)) return fail("not UTF-8");
  if (name.find('\0') != std::string_view::npos) return fail("a NUL in '" + std::string(name) + "'");
  return {};
}

}  // namespace tensorspec
