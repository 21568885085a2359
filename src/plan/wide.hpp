// SPDX-License-Identifier: Apache-2.0
//
// Sums of counts times costs: a count of 64 bits times a cost of 63 fits 128 bits, and so does their sum, since the sum
// of the counts fits 64.
#pragma once

#include <cstdint>

namespace tensorspec::planning {

__extension__ using Wide = unsigned __int128;

// a*b <= c*d, exactly, in 192 bits.
inline bool product_at_most(Wide a, std::uint64_t b, Wide c, std::uint64_t d) noexcept {
  const auto low = [](Wide x) { return static_cast<std::uint64_t>(x); };
  const Wide a_low = Wide(low(a)) * b, c_low = Wide(low(c)) * d;
  const Wide a_high = (a >> 64) * b + (a_low >> 64), c_high = (c >> 64) * d + (c_low >> 64);
  return a_high != c_high ? a_high < c_high : low(a_low) <= low(c_low);
}

}  // namespace tensorspec::planning
