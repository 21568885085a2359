// SPDX-License-Identifier: Apache-2.0
//
// What escapes in quoted texts (JSON, YAML, text protobufs) have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tensorspec {

// Takes up to `most` digits of that base, at most 16, from the text at `at`, which moves behind them.
std::uint32_t take_digits(std::string_view text, std::size_t& at, std::uint32_t base, std::size_t most) noexcept;

}  // namespace tensorspec
