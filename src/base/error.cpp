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

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_sequence_length(text.substr(i));
    // C1 controls (U+0080..U+009F) start escape sequences on some terminals just as ESC does.
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (length == 0 || byte < 0x20 || byte == 0x7F || c1) {
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
