// SPDX-License-Identifier: Apache-2.0
//
// Little-endian integers in bytes, and the words for a place in a file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tensorspec {

// REQUIRES: at + sizeof(T) <= bytes.size().
template <std::unsigned_integral T>
constexpr T load_le(std::string_view bytes, std::size_t at) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | T{static_cast<unsigned char>(bytes[at + i])} << (8 * i));
  return value;
}

// True when [begin, begin + size) lies within [0, limit); never wraps.
constexpr bool fits(std::uint64_t begin, std::uint64_t size, std::uint64_t limit) noexcept {
  return begin <= limit && size <= limit - begin;
}

// "0x0a", "0x1f40".
std::string hex(std::uint64_t value);

// A place for Error::where. Holds views only, so it costs nothing until an error is made. After the name of a member an
// offset is one within the member.
struct Place {
  std::string_view file, member = {};

  std::string text() const;                    // "w.npz:conv1.npy"
  std::string at(std::uint64_t offset) const;  // "w.npz:conv1.npy@0x0a"
};

}  // namespace tensorspec
