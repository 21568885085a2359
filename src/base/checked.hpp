// SPDX-License-Identifier: Apache-2.0
//
// int64 arithmetic that says when it does not fit, instead of wrapping.
#pragma once

#include <cstdint>
#include <optional>

namespace tensorspec {

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// Weights of calls saturate: a count that cannot be told apart from "very many" must never wrap to few.
inline std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

// Quotient rounded towards minus infinity. REQUIRES: d > 0.
inline std::int64_t floor_div(std::int64_t n, std::int64_t d) noexcept {
  const std::int64_t q = n / d;
  return n % d < 0 ? q - 1 : q;
}

// Quotient rounded towards plus infinity. REQUIRES: d > 0.
inline std::int64_t ceil_div(std::int64_t n, std::int64_t d) noexcept {
  const std::int64_t q = n / d;
  return n % d > 0 ? q + 1 : q;
}

}  // namespace tensorspec
