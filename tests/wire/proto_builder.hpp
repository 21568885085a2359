// SPDX-License-Identifier: Apache-2.0
//
// Writes protobuf messages field by field: varint(1, 5) + bytes(8, "x") is a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/zip_builder.hpp"

namespace tensorspec::tests {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  return out + static_cast<char>(value);
}
inline std::string tag(std::uint64_t number, int wire) {
  return varint(number << 3 | static_cast<std::uint64_t>(wire));
}
inline std::string varint(std::uint64_t number, std::uint64_t value) { return tag(number, 0) + varint(value); }
inline std::string fixed64(std::uint64_t number, std::uint64_t value) { return tag(number, 1) + le(value, 8); }
inline std::string fixed32(std::uint64_t number, std::uint64_t value) { return tag(number, 5) + le(value, 4); }
// The payload's own length unless another is given.
inline std::string bytes(std::uint64_t number, std::string_view payload) {
  return tag(number, 2) + varint(payload.size()) + std::string(payload);
}
inline std::string bytes(std::uint64_t number, std::string_view payload, std::uint64_t length) {
  return tag(number, 2) + varint(length) + std::string(payload);
}

}  // namespace tensorspec::tests
