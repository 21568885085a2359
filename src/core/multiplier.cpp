// SPDX-License-Identifier: Apache-2.0
#include "core/multiplier.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensorspec/call.hpp"

namespace tensorspec {
namespace {

__extension__ using Wide = unsigned __int128;

int width(std::uint64_t value) noexcept { return static_cast<int>(std::bit_width(value)); }

// size / value rounded to a whole number, without rounding on the way; nullopt outside 1..2^62.
// REQUIRES: size > 0, value > 0 and finite.
std::optional<std::int64_t> whole_quotient(std::int64_t size, double value) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, std::numeric_limits<double>::digits));
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros;
  exponent += zeros - std::numeric_limits<double>::digits;  // value == mantissa * 2^exponent

  Wide numerator = static_cast<std::uint64_t>(size), denominator = mantissa;
  if (exponent < 0) {
    if (width(static_cast<std::uint64_t>(size)) - exponent > 126) return std::nullopt;  // a quotient above 2^72
    numerator <<= -exponent;
  } else {
    if (width(mantissa) + exponent > 64) return std::nullopt;  // a quotient below 1/2
    denominator <<= exponent;
  }
  const Wide quotient = (2 * numerator + denominator) / (2 * denominator);
  if (quotient < 1 || quotient > static_cast<std::uint64_t>(kMaxExtent)) return std::nullopt;
  return static_cast<std::int64_t>(quotient);
}

}  // namespace

Multiplier Multiplier::of(std::int64_t size, std::int64_t batch_size) noexcept {
  const std::int64_t common = std::gcd(size, batch_size);
  return {size / common, batch_size / common};
}

double Multiplier::to_double() const noexcept {
  if (num == 0) return 0.0;
  // 64 or 65 bits of quotient, the last one also set when anything is left over, so that rounding to 53 bits is right.
  const auto n = static_cast<std::uint64_t>(num), d = static_cast<std::uint64_t>(den);
  const int shift = 64 + width(d) - width(n);
  const Wide shifted = static_cast<Wide>(n) << shift;
  const Wide quotient = shifted / d | static_cast<Wide>(shifted % d != 0 ? 1 : 0);
  return std::ldexp(static_cast<double>(quotient), -shift);
}

std::optional<Multiplier> Multiplier::read(std::int64_t size, double value) noexcept {
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  if (size > 0 && size <= kMaxExtent && value > 0)
    if (const auto batch_size = whole_quotient(size, value))
      if (const Multiplier exact = of(size, *batch_size); exact.to_double() == value) return exact;
  if (value == std::floor(value) && value <= static_cast<double>(kMaxExtent))
    return Multiplier{static_cast<std::int64_t>(value), 1};
  return std::nullopt;
}

double pack_multiplier(std::int64_t size, std::int64_t batch_size) noexcept {
  const Multiplier exact = Multiplier::of(size, batch_size);
  const double value = exact.to_double();
  return Multiplier::read(size, value) == exact ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tensorspec
