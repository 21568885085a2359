// SPDX-License-Identifier: Apache-2.0
//
// LinePattern: a line of a recording that was read, as the text between its sizes. Nearly every line of a recording is
// like an earlier one but for sizes; such a line needs no JSON parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"

namespace tensorspec {

class LinePattern {
 public:
  // nullopt: the line has something that patterns do not cover. REQUIRES: `line` is valid JSON and `call` was read from
  // it. O(line).
  static std::optional<LinePattern> of(std::string_view line, const Call& call);
  // Gaps point into the call, which a move leaves where it is and a copy does not.
  LinePattern(LinePattern&&) = default;
  LinePattern& operator=(LinePattern&&) = default;

  // True when the line is the pattern's but for sizes, batch size, count, and plain numbers and texts under keys that a
  // recording does not have; then the line is valid and call() is what it says. False says nothing about the line.
  // Never allocates.
  bool read(std::string_view line);
  const Call& call() const noexcept { return call_; }

 private:
  // What stands between two pieces of fixed text.
  struct Gap {
    enum class Kind : std::uint8_t { extent, batch_size, count, other_number, other_text } kind;
    std::size_t text_end = 0;        // of the fixed text before it
    std::int64_t* extent = nullptr;  // in call_
  };
  struct Builder;

  LinePattern() = default;
  std::string text_;  // the line without what is in the gaps
  std::vector<Gap> gaps_;
  Call call_;
};

}  // namespace tensorspec
