// SPDX-License-Identifier: Apache-2.0
//
// Membership. The pivots give z from top to bottom; every other row must then come out right.
//
// How large can z get? Left of a pivot d the entries are in [0, d), so |z_j| <= |x - p| / d + |z_0| + ... + |z_(j-1)|,
// and |x - p| <= 2^64 gives |z_j| <= 2^(64+j). With entries of 64 bits and 64 generators a row stays below 2^198.
#include <array>
#include <vector>

#include "lattice/form.hpp"

namespace tensorspec::lattice {

namespace {

constexpr std::size_t kStackRank = 64;
using Int256 = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<256, 256, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked, void>,
    boost::multiprecision::et_off>;

enum class Answer { no, yes, overflow };

// The common case: everything fits int64.
Answer solve_int64(const Form& form, const Table<std::int64_t>& table, std::span<const std::int64_t> x) noexcept {
  std::array<std::int64_t, kStackRank> z;
  const std::size_t rank = form.rank(), classes = form.columns.classes();
  const std::int64_t* row = table.entries.data();
  std::size_t known = 0;  // entries of z so far; the generators from here on are zero in this row
  for (std::size_t i = 0; i < classes; ++i, row += rank) {
    std::int64_t rest = 0;
    if (__builtin_sub_overflow(x[form.columns.first[i]], table.point[i], &rest)) return Answer::overflow;
    for (std::size_t j = 0; j < known; ++j) {
      std::int64_t term = 0;
      if (__builtin_mul_overflow(row[j], z[j], &term) || __builtin_sub_overflow(rest, term, &rest))
        return Answer::overflow;
    }
    if (known < rank && form.pivots[known] == i) {
      const std::int64_t pivot = row[known];
      const std::int64_t quotient = pivot == 1 ? rest : rest / pivot;
      if (quotient * pivot != rest) return Answer::no;
      z[known++] = quotient;
    } else if (rest != 0) {
      return Answer::no;
    }
  }
  return Answer::yes;
}

// The same in integers that are wide enough. REQUIRES: room for rank() numbers at z.
template <class Wide, class Entry>
bool solve_wide(const Form& form, const Table<Entry>& table, std::span<const std::int64_t> x, Wide* z) {
  const std::size_t rank = form.rank(), classes = form.columns.classes();
  std::size_t known = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    const Entry* row = table.entries.data() + i * rank;
    Wide rest = Wide(x[form.columns.first[i]]) - Wide(table.point[i]);
    for (std::size_t j = 0; j < known; ++j) rest -= Wide(row[j]) * z[j];
    if (known < rank && form.pivots[known] == i) {
      Wide remainder;
      boost::multiprecision::divide_qr(rest, Wide(row[known]), z[known], remainder);
      if (!remainder.is_zero()) return false;
      ++known;
    } else if (!rest.is_zero()) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool contains(const Form& form, std::span<const std::int64_t> x) noexcept {
  for (const auto& [coordinate, first] : form.copies)
    if (x[coordinate] != x[first]) return false;
  const Table<std::int64_t>* small = form.small();
  if (small != nullptr && form.rank() <= kStackRank) {
    const Answer answer = solve_int64(form, *small, x);
    if (answer != Answer::overflow) return answer == Answer::yes;
    std::array<Int256, kStackRank> z;
    return solve_wide(form, *small, x, z.data());
  }
  BigVector z(form.rank());
  return small != nullptr ? solve_wide(form, *small, x, z.data()) : solve_wide(form, *form.large(), x, z.data());
}

}  // namespace tensorspec::lattice
