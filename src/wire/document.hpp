// SPDX-License-Identifier: Apache-2.0
//
// Text that is read whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wire/source.hpp"

namespace tensorspec {

// Bytes that simdjson reads behind a text at most; a string of a document has room for them.
inline constexpr std::size_t kTextPadding = 64;

// All bytes from `begin` on, without a byte-order mark. Errors: document_too_large, file_read.
Result<std::string> read_document(ByteSource& source, std::size_t limit, std::uint64_t begin = 0);
// Appends to `text`, which holds the source from `begin` on, until it has `size` bytes or the source ends. Errors:
// file_read.
Status read_further(ByteSource& source, std::uint64_t begin, std::string& text, std::size_t size);

}  // namespace tensorspec
