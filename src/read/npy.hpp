// SPDX-License-Identifier: Apache-2.0
//
// The header of one .npy array, wherever its bytes come from (a file, a member of an .npz).
#pragma once

#include <functional>
#include <string_view>

#include "tensorspec/call.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {

// Larger than any header seen: a table of 20,000 named columns fits. NumPy's own limit is 10,000 bytes unless told
// otherwise, because it evaluates the header; this parser is linear in it.
inline constexpr std::size_t kMaxNpyHeader = std::size_t{1} << 20;

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

// Gives the first `count` bytes of the array's file (fewer at its end), valid until the next call.
using NpyBytes = std::function<Result<std::string_view>(std::size_t count)>;

// Reads the header and nothing after it; how much data follows is not asked, so a file whose data is cut short still
// gives its tensor. `first` is the beginning, of any length; `more` is asked only when that is not enough. Errors:
// npy_bad_magic, npy_version, npy_truncated, npy_header, npy_header_too_large, invalid_extent, rank_too_large, and
// those of `more`. O(length of the header).
Result<TensorInfo> read_npy_header(const Place& place, std::string_view first, const NpyBytes& more);

}  // namespace tensorspec
