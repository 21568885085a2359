// SPDX-License-Identifier: Apache-2.0
#include "lattice/hermite.hpp"

#include <algorithm>
#include <utility>

namespace tensorspec::lattice {

namespace {

// target -= factor * v, from coordinate `begin` on.
void subtract(BigVector& target, const Big& factor, const BigVector& v, std::size_t begin) {
  for (std::size_t i = begin; i < v.size(); ++i)
    if (!v[i].is_zero()) target[i] -= factor * v[i];
}

struct Bezout {
  Big gcd, s, t;  // gcd == s*a + t*b, with |s| <= b/gcd and |t| <= a/gcd, so that entries grow as little as they can
};

// REQUIRES: a, b > 0.
Bezout bezout(Big a, Big b) {
  Big s0 = 1, t0 = 0, s1 = 0, t1 = 1;
  while (!b.is_zero()) {
    Big quotient, remainder;
    boost::multiprecision::divide_qr(a, b, quotient, remainder);
    a = std::exchange(b, remainder);
    s0 = std::exchange(s1, s0 - quotient * s1);
    t0 = std::exchange(t1, t0 - quotient * t1);
  }
  return {a, s0, t0};
}

std::size_t first_nonzero(const BigVector& v, std::size_t begin) {
  while (begin < v.size() && v[begin].is_zero()) ++begin;
  return begin;
}

}  // namespace

void Hermite::reduce(BigVector& v, std::size_t from) const {
  for (std::size_t j = from; j < generators_.size(); ++j) {
    const std::size_t row = pivots_[j];
    const Big& pivot = generators_[j][row];
    if (v[row] >= 0 && v[row] < pivot) continue;
    subtract(v, floor_div(v[row], pivot), generators_[j], row);
  }
}

// Replaces (generator j, v) by (g, v') of the same span, where g has the gcd at the pivot and v' has zero there. Both
// are reduced by the later generators at once: otherwise the entries would grow with every step.
void Hermite::combine(std::size_t j, BigVector& v) {
  const std::size_t row = pivots_[j];
  BigVector& generator = generators_[j];
  const auto [gcd, s, t] = bezout(generator[row], v[row]);
  const Big a = generator[row] / gcd, b = v[row] / gcd;
  for (std::size_t i = row; i < v.size(); ++i) {
    if (generator[i].is_zero() && v[i].is_zero()) continue;
    Big joined = s * generator[i] + t * v[i];
    v[i] = a * v[i] - b * generator[i];
    generator[i] = std::move(joined);
  }
  reduce(v, j + 1);
  reduce(generator, j + 1);
}

bool Hermite::add(BigVector v) {
  reduce(v);
  std::size_t row = first_nonzero(v, 0);
  if (row == v.size()) return false;
  for (; row < v.size(); row = first_nonzero(v, row)) {
    const auto at = std::lower_bound(pivots_.begin(), pivots_.end(), row);
    const std::size_t j = static_cast<std::size_t>(at - pivots_.begin());
    if (at != pivots_.end() && *at == row) {
      combine(j, v);
      continue;
    }
    if (v[row] < 0)
      for (Big& entry : v) entry = -entry;
    pivots_.insert(at, row);
    generators_.insert(generators_.begin() + static_cast<std::ptrdiff_t>(j), std::move(v));
    break;
  }
  // From the last to the first, so that what is subtracted is small already.
  for (std::size_t j = generators_.size(); j-- > 0;) reduce(generators_[j], j + 1);
  return true;
}

}  // namespace tensorspec::lattice
