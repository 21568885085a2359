// SPDX-License-Identifier: Apache-2.0
//
// The one table of costs, in 1/1024 bit, by which explain weighs a claim against spelling the sizes out.
// docs/theory.md says why each entry is what it is.
#pragma once

#include <bit>
#include <cstdint>

namespace tensorspec::costs {

using Cost = std::int64_t;
inline constexpr Cost kBit = 1024;

// log2(n) in 1/1024 bit, rounded down, in integers: the same on every machine. REQUIRES: n >= 1.
constexpr Cost log2(std::uint64_t n) {
  const int whole = static_cast<int>(std::bit_width(n)) - 1;
  std::uint64_t x = whole >= 31 ? n >> (whole - 31) : n << (31 - whole);  // mantissa in [2^31, 2^32)
  Cost out = whole;
  for (int i = 0; i < 10; ++i) {
    x = (x * x) >> 31;
    out *= 2;
    if (x >> 32) {
      x >>= 1;
      ++out;
    }
  }
  return out;
}

// An integer of an expression: 0 and 1 (and -1, whose sign is charged apart) are free.
constexpr Cost integer(std::int64_t k) {
  const std::uint64_t size = k < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(k) : static_cast<std::uint64_t>(k);
  return size <= 1 ? 0 : 2 * log2(size) + kBit;
}

// What a form pays beside its integers.
inline constexpr Cost kTerm = 1 * kBit;      // each term beyond the first: past+seq
inline constexpr Cost kSign = 4 * kBit;      // each minus: a sum beats a difference
inline constexpr Cost kProduct = 3 * kBit;   // each factor beyond the first: batch*seq
inline constexpr Cost kRound = 4 * kBit;     // each floor or ceil
inline constexpr Cost kFraction = 6 * kBit;  // an exact quotient: a multiple beats a fraction

// A rounding that was spelled out for another factor of the same form already: patches are square more often than not.
inline constexpr Cost kRepeat = 1 * kBit;

// A form this much longer than the claim, or a stride with less than this to spare, is still a live possibility:
// people pick round sizes, so a coincidence of 1 in 65,536 is asked for.
inline constexpr Cost kMargin = 16 * kBit;

// Which `taken` of `offered` symbols: log2 of the number of ways.
constexpr Cost choice(std::uint64_t offered, std::uint64_t taken) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 0; i < taken; ++i) ways = ways * (offered - i) / (i + 1);
  return ways <= 1 ? 0 : log2(ways);
}

}  // namespace tensorspec::costs
