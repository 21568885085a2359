// SPDX-License-Identifier: Apache-2.0
#include "wire/bytes.hpp"

namespace tensorspec {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "0x";
  int shift = 60;
  while (shift > 4 && value >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) out += kDigits[value >> shift & 15];
  return out;
}

std::string Place::text() const {
  std::string out(file);
  if (!member.empty()) out.append(":").append(member);
  return out;
}

std::string Place::at(std::uint64_t offset) const { return text() + "@" + hex(offset); }

}  // namespace tensorspec
