// SPDX-License-Identifier: Apache-2.0
#include "wire/lines.hpp"

#include "base/try.hpp"

namespace tensorspec {
namespace {
constexpr std::size_t kPiece = 256 * 1024;
}

// Drops what was taken and reads a piece more; false when there is none.
Result<bool> LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t held = buffer_.size();
  buffer_.resize(held + kPiece);
  auto got = source_.read_at(offset_, std::span(buffer_).subspan(held));
  buffer_.resize(held + (got.ok() ? *got : 0));
  buffer_.reserve(buffer_.size() + kTextPadding);
  if (!got.ok()) return std::move(got).error();
  offset_ += *got;
  source_.forget_before(offset_);
  ended_ = *got < kPiece;
  return *got > 0;
}

Result<bool> LineReader::next(Line& line) {
  line = {};
  std::size_t searched = at_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end == std::string::npos && !ended_) {
      searched = buffer_.size() - at_;
      if (searched > kMaxLine) {
        line.too_long = true;
        at_ = buffer_.size();
        searched = 0;
      }
      TRY_VOID(fill());
      continue;
    }
    const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
    if (end == std::string::npos && at_ == stop && !line.too_long) return false;
    line.too_long = line.too_long || stop - at_ > kMaxLine;
    if (!line.too_long) line.text = std::string_view(buffer_).substr(at_, stop - at_);
    at_ = end == std::string::npos ? stop : end + 1;
    line.number = ++number_;
    if (number_ == 1 && line.text.starts_with("\xEF\xBB\xBF")) line.text.remove_prefix(3);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    return true;
  }
}

}  // namespace tensorspec
