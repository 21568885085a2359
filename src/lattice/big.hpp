// SPDX-License-Identifier: Apache-2.0
//
// Integers without bound, from Boost.Multiprecision. Up to 128 bits they live in place, without an allocation.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace tensorspec::lattice {

// Without expression templates, so that `auto` and the conditional operator mean what they say.
using Big = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
using BigVector = std::vector<Big>;

inline bool fits_int64(const Big& value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

// Quotient rounded towards minus infinity. REQUIRES: d > 0.
inline Big floor_div(const Big& n, const Big& d) {
  Big quotient, remainder;
  boost::multiprecision::divide_qr(n, d, quotient, remainder);
  if (remainder < 0) --quotient;
  return quotient;
}

}  // namespace tensorspec::lattice
