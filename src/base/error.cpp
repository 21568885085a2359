// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/error.hpp"

#include "base/text.hpp"

namespace tensorspec {

std::string_view error_name(ErrorCode code) noexcept {
  switch (code) {
#define TENSORSPEC_ERROR(name, number, text) \
  case ErrorCode::name: return #name;
#include "tensorspec/errors.inc"
#undef TENSORSPEC_ERROR
  }
  return {};
}

std::string_view error_text(ErrorCode code) noexcept {
  switch (code) {
#define TENSORSPEC_ERROR(name, number, text) \
  case ErrorCode::name: return text;
#include "tensorspec/errors.inc"
#undef TENSORSPEC_ERROR
  }
  return {};
}

const std::vector<ErrorCode>& all_error_codes() {
  static const std::vector<ErrorCode> codes = {
#define TENSORSPEC_ERROR(name, number, text) ErrorCode::name,
#include "tensorspec/errors.inc"
#undef TENSORSPEC_ERROR
  };
  return codes;
}

std::string Error::message() const {
  std::string line;
  if (!where.empty()) line += where + ": ";
  line += error_text(code);
  if (!detail.empty()) line += ": " + detail;
  return printable(line);
}

namespace {

// Code points that are valid text and yet move, hide or break what a reader sees: C1 controls, which start escape
// sequences on some terminals just as ESC does; marks that turn the direction of text; line and paragraph separators.
// REQUIRES: `sequence` is one valid UTF-8 sequence.
bool deceives(std::string_view sequence) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return at(0) < 0x20 || at(0) == 0x7F;
  if (sequence.size() == 2) return (at(0) == 0xC2 && at(1) < 0xA0) || sequence == "\xD8\x9C";  // U+0080..9F, U+061C
  if (sequence.size() != 3 || at(0) != 0xE2) return false;
  if (at(1) == 0x80) return at(2) == 0x8E || at(2) == 0x8F || (at(2) >= 0xA8 && at(2) <= 0xAE);  // U+200E/F, 2028..202E
  return at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9;                                        // U+2066..2069
}

}  // namespace

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0 || deceives(text.substr(i, length))) {
      const std::size_t bad = length == 0 ? 1 : length;
      for (std::size_t k = 0; k < bad; ++k) {
        const auto b = static_cast<unsigned char>(text[i + k]);
        out += "\\x";
        out += kHex[b >> 4];
        out += kHex[b & 15];
      }
      i += bad;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

}  // namespace tensorspec
