// SPDX-License-Identifier: Apache-2.0
#include "base/escapes.hpp"

namespace tensorspec {

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

std::uint32_t take_digits(std::string_view text, std::size_t& at, std::uint32_t base, std::size_t most) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < most && at < text.size(); ++i, ++at) {
    const char c = text[at];
    const auto from = [&](char first) { return static_cast<std::uint32_t>(c - first); };
    const std::uint32_t digit = c >= '0' && c <= '9'   ? from('0')
                                : c >= 'a' && c <= 'f' ? from('a') + 10
                                : c >= 'A' && c <= 'F' ? from('A') + 10
                                                       : 16;
    if (digit >= base) break;
    value = value * base + digit;
  }
  return value;
}

}  // namespace tensorspec
