// SPDX-License-Identifier: Apache-2.0
//
// What went wrong, as a value. The library never prints, exits or aborts; every function that can fail on bad input
// returns a Result (result.hpp) holding an Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorspec {

// One enumerator per line of errors.inc; the numbers are published and stable.
enum class ErrorCode : int {
#define TENSORSPEC_ERROR(name, number, text) name = number,
#include "tensorspec/errors.inc"
#undef TENSORSPEC_ERROR
};

struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string where;   // the place: "weights.npz:conv1.npy@0x0a", "calls.jsonl:12"; may be empty
  std::string detail;  // the reason with its numbers: "header says 4096 bytes, 118 remain"; may be empty

  // One line: "where: text: detail". Bytes that a terminal would obey or that are not UTF-8 are escaped (\x1b).
  std::string message() const;
};

// The word of a code ("npy_bad_magic") and its sentence. Empty for a number that errors.inc does not have.
std::string_view error_name(ErrorCode code) noexcept;
std::string_view error_text(ErrorCode code) noexcept;

// Every code, in the order of errors.inc.
const std::vector<ErrorCode>& all_error_codes();

// Text fit for a terminal and for JSON: control characters, marks that turn the direction of text, line separators and
// bytes outside valid UTF-8 become \xNN, byte by byte.
std::string printable(std::string_view text);

}  // namespace tensorspec
