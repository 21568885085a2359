// SPDX-License-Identifier: Apache-2.0
//
// Protobuf in its text format (the language specification of 2024, protobuf.dev): fields by name, without a schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

// One value of a field; `dims: [1, 2]` is two fields of that name. Extensions and Any have their name in brackets.
struct TextField {
  enum class Kind : std::uint8_t { word, text, message };  // a number or name as spelled; a string; {..} or <..>

  std::string name;
  Kind kind = Kind::word;
  std::string value = {};
  std::vector<TextField> fields = {};
  std::size_t offset = 0;  // of the name
};

// The whole number that a word spells: decimal, octal behind 0, hexadecimal behind 0x; nullopt: none of 64 bits.
std::optional<std::int64_t> whole_number_of(const TextField& field) noexcept;

inline constexpr std::size_t kMaxTextFields = std::size_t{1} << 20;
inline constexpr int kMaxTextDepth = 64;

// The fields of a message, in order. `cut`: the text is the beginning of a longer one, and what is whole is given.
// Errors: pbtxt_malformed; where is "0x..", the offset in the text. O(n).
Result<std::vector<TextField>> parse_text_proto(std::string_view text, bool cut = false);

}  // namespace tensorspec
