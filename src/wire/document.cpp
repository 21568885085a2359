// SPDX-License-Identifier: Apache-2.0
#include "wire/document.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace tensorspec {

Status read_further(ByteSource& source, std::uint64_t begin, std::string& text, std::size_t size) {
  // What is known to be there at once; else in pieces that grow, so that what is not there is not allocated either.
  const std::uint64_t known = source.known_size().value_or(0);
  while (text.size() < size) {
    const std::size_t held = text.size();
    const std::uint64_t at = begin + held, there = known > at ? known - at : 0;
    const std::uint64_t piece = std::max<std::uint64_t>({held, ByteSource::kHeadBytes, there});
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(size - held, piece));
    text.reserve(held + count + kTextPadding);
    text.resize(held + count);
    auto got = source.read_at(begin + held, std::span(text).subspan(held));
    text.resize(held + (got.ok() ? *got : 0));
    if (!got.ok()) return std::move(got).error();
    if (*got < count) return {};
  }
  return {};
}

Result<std::string> read_document(ByteSource& source, std::size_t limit, std::uint64_t begin) {
  std::string text;
  TRY_VOID(read_further(source, begin, text, limit + 1));
  if (text.size() > limit)
    return Error{.code = ErrorCode::document_too_large,
                 .where = source.name(),
                 .detail = "the limit is " + std::to_string(limit) + " bytes"};
  if (begin == 0 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  text.reserve(text.size() + kTextPadding);
  return text;
}

}  // namespace tensorspec
