// SPDX-License-Identifier: Apache-2.0
//
// Multipliers of TensorSpec: the fraction size / batch size, exactly, although only a double of it is kept.
#pragma once

#include <cstdint>
#include <optional>

namespace tensorspec {

// num / den in lowest terms, num >= 0, den >= 1.
struct Multiplier {
  std::int64_t num = 0, den = 1;

  // Lowest terms of size / batch_size. REQUIRES: 0 <= size, 1 <= batch_size, both at most 2^62.
  static Multiplier of(std::int64_t size, std::int64_t batch_size) noexcept;

  // The fraction that `value` stands for on an axis where `size` was seen: size / b for the one whole b that gives
  // `value`, else `value` itself when it is whole. nullopt for NaN and for fractions that no whole b gives.
  static std::optional<Multiplier> read(std::int64_t size, double value) noexcept;

  // The nearest double, ties to even: what Python's num / den is.
  double to_double() const noexcept;
  bool is_whole() const noexcept { return den == 1; }

  friend bool operator==(const Multiplier&, const Multiplier&) = default;
};

// The double to keep for one pair: read(size, pack_multiplier(..)) is Multiplier::of(..) or nothing. NaN for a fraction
// that a double cannot tell from its neighbours; that needs a batch size above 2^51, and whole multipliers never do.
double pack_multiplier(std::int64_t size, std::int64_t batch_size) noexcept;

}  // namespace tensorspec
