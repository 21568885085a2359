// SPDX-License-Identifier: Apache-2.0
//
// Small helpers on text that several folders need.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

// Bytes of the valid UTF-8 sequence at the start of `text` (1..4), or 0 when it is invalid, overlong, a surrogate or
// cut.
std::size_t utf8_sequence_length(std::string_view text) noexcept;
bool is_utf8(std::string_view text) noexcept;
// Appends a code point; a surrogate is written as one, which is_utf8 refuses.
void append_code_point(std::string& out, std::uint32_t value);

// Whole text as a decimal integer; nullopt for anything else, including a value outside int64.
inline std::optional<std::int64_t> parse_int64(std::string_view text) noexcept {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// memcmp(a, b, n) == 0 without the call, which for a few bytes costs more than the comparison. Ends overlap.
inline bool same_bytes(const char* a, const char* b, std::size_t n) noexcept {
  const auto differ = [&](auto word, std::size_t at) noexcept {
    auto other = word;
    std::memcpy(&word, a + at, sizeof word);
    std::memcpy(&other, b + at, sizeof other);
    return word ^ other;
  };
  constexpr std::uint64_t k8 = 0;
  if (n >= 16) {
    if ((differ(k8, 0) | differ(k8, 8) | differ(k8, n - 16) | differ(k8, n - 8)) != 0) return false;
    return n <= 32 || std::memcmp(a + 16, b + 16, n - 32) == 0;
  }
  if (n >= 8) return (differ(k8, 0) | differ(k8, n - 8)) == 0;
  if (n >= 4) return (differ(std::uint32_t{}, 0) | differ(std::uint32_t{}, n - 4)) == 0;
  for (std::size_t at = 0; at < n; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator);
// "a, b, 2 more": at most `told` of the parts are told.
std::string join_some(std::vector<std::string> parts, std::size_t told);
// "[2, 3, 48]"
std::string bracketed(const std::vector<std::int64_t>& sizes);
// "1 call", "2 calls"
std::string counted(std::uint64_t count, const std::string& noun);
// A name that stands twice, or nullopt.
std::optional<std::string_view> repeated(std::vector<std::string_view> names);

// Natural order: runs of digits compare as numbers, so layers[2] comes before layers[10]; then plain byte order, so
// that the order is total. Negative, zero or positive like strcmp.
int natural_compare(std::string_view a, std::string_view b) noexcept;
inline bool natural_less(std::string_view a, std::string_view b) noexcept { return natural_compare(a, b) < 0; }

// Bytes that the name of a tensor may take: above what any model has.
inline constexpr std::size_t kMaxNameBytes = 4096;
// A name is text that people see, whatever it says ("../x" is only a name). Errors: invalid_name, at `file`.
Status check_name(std::string_view file, std::string_view name);

}  // namespace tensorspec
