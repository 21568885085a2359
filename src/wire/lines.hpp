// SPDX-License-Identifier: Apache-2.0
//
// The lines of a source, read in pieces: memory is that of the longest line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/document.hpp"

namespace tensorspec {

class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;

  // Lines from `begin` on. The source must outlive the reader.
  explicit LineReader(ByteSource& source, std::uint64_t begin = 0) : source_(source), offset_(begin) {}

  struct Line {
    std::string_view text;     // without its end; kTextPadding bytes behind it can be read; valid until the next call
    std::uint64_t number = 0;  // from 1
    bool too_long = false;     // above kMaxLine; text is empty
  };
  // False at the end. A byte-order mark is passed over. Errors: file_read.
  Result<bool> next(Line& line);

 private:
  Result<bool> fill();

  ByteSource& source_;
  std::uint64_t offset_;  // of the byte behind the buffer
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace tensorspec
