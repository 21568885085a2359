// SPDX-License-Identifier: Apache-2.0
#include "wire/bytes.hpp"

namespace tensorspec {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (; value > 0; value >>= 4) digits.insert(digits.begin(), kDigits[value & 15]);
  return "0x" + std::string(digits.size() < 2 ? 2 - digits.size() : 0, '0') + digits;
}

std::string Place::text() const {
  std::string out(file);
  if (!member.empty()) out.append(":").append(member);
  return out;
}

std::string Place::at(std::uint64_t offset) const { return text() + "@" + hex(offset); }

}  // namespace tensorspec
