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

std::int64_t dot(const std::int64_t* row, const std::int64_t* z, std::size_t n) noexcept {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += row[j] * z[j];
  return sum;
}

// Do the rows from `begin` on, which have no pivots, come out at x? Without branches on the way: most calls conform.
// The usual ranks are compiled with a known length, which halves the time.
template <std::size_t kRank>
bool rows_agree(const Form& form, const Table<std::int64_t>& table, std::size_t begin, std::span<const std::int64_t> x,
                const std::int64_t* z) noexcept {
  const std::size_t rank = kRank != 0 ? kRank : form.rank(), classes = form.columns.classes();
  const std::uint32_t* first = form.columns.first.data();
  const std::int64_t* point = table.point.data();
  const std::int64_t* row = table.entries.data() + begin * rank;
  std::int64_t different = 0;
  for (std::size_t i = begin; i < classes; ++i, row += rank) {
    std::int64_t value = 0;
    different |= __builtin_add_overflow(point[i], dot(row, z, rank), &value);  // no int64, so not what x has there
    different |= value ^ x[first[i]];
  }
  return different == 0;
}

bool rows_agree(const Form& form, const Table<std::int64_t>& table, std::size_t begin, std::span<const std::int64_t> x,
                const std::int64_t* z) noexcept {
  switch (form.rank()) {
    case 1: return rows_agree<1>(form, table, begin, x, z);
    case 2: return rows_agree<2>(form, table, begin, x, z);
    case 3: return rows_agree<3>(form, table, begin, x, z);
    case 4: return rows_agree<4>(form, table, begin, x, z);
    case 5: return rows_agree<5>(form, table, begin, x, z);
    case 6: return rows_agree<6>(form, table, begin, x, z);
    default: return rows_agree<0>(form, table, begin, x, z);
  }
}

// The common case. While every |z_j| is at most form.z_limit, no sum of products of a row leaves int64, so only the
// differences to x are checked.
Answer solve_int64(const Form& form, const Table<std::int64_t>& table, std::span<const std::int64_t> x) noexcept {
  std::array<std::int64_t, kStackRank> z;
  const std::size_t rank = form.rank();
  const std::uint32_t* first = form.columns.first.data();
  const std::int64_t* row = table.entries.data();
  std::size_t i = 0;
  for (std::size_t known = 0; known < rank; ++i, row += rank) {  // the generators from `known` on are zero in this row
    std::int64_t rest = 0;
    if (__builtin_sub_overflow(x[first[i]], table.point[i], &rest) ||
        __builtin_sub_overflow(rest, dot(row, z.data(), known), &rest))
      return Answer::overflow;
    if (form.pivots[known] == i) {
      const std::int64_t pivot = row[known];
      const std::int64_t quotient = pivot == 1 ? rest : rest / pivot;
      if (quotient * pivot != rest) return Answer::no;
      if (quotient > form.z_limit || quotient < -form.z_limit) return Answer::overflow;
      z[known++] = quotient;
    } else if (rest != 0) {
      return Answer::no;
    }
  }
  return rows_agree(form, table, i, x, z.data()) ? Answer::yes : Answer::no;
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
  std::int64_t different = 0;
  for (const auto& [coordinate, first] : form.copies) different |= x[coordinate] ^ x[first];
  if (different != 0) return false;
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
