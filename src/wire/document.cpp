// SPDX-License-Identifier: Apache-2.0
#include "wire/document.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace tensorspec {

Status read_further(ByteSource& source, std::uint64_t begin, std::string& text, std::size_t size) {
  // In pieces that grow, so that what is not there is not allocated either.
  while (text.size() < size) {
    const std::size_t held = text.size();
    const std::size_t count = std::min(size - held, std::max<std::size_t>(held, ByteSource::kHeadBytes));
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
