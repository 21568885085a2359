// SPDX-License-Identifier: Apache-2.0
#include "base/escapes.hpp"

namespace tensorspec {

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
