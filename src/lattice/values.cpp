// SPDX-License-Identifier: Apache-2.0
//
// What a linear form a.x takes on the set: a.p plus all integer combinations of a.h over the generators h.
#include <cassert>
#include <utility>
#include <vector>

#include "lattice/form.hpp"
#include "tensorspec/lattice.hpp"

namespace tensorspec {

using lattice::Big;
using lattice::Form;

namespace {

struct Term {
  std::uint32_t row;
  std::int64_t factor;
};

std::vector<Term> terms_of(const Form& form, std::span<const std::int64_t> a) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0) terms.push_back({form.columns.class_of[i], a[i]});
  return terms;
}

// The sum of factor * at(row), in int64 while that goes.
template <class Small, class Large>
Big dot(std::span<const Term> terms, bool is_small, Small small_at, Large large_at) {
  if (is_small) {
    std::int64_t sum = 0;
    bool overflow = false;
    for (const Term& term : terms) {
      std::int64_t product = 0;
      overflow |= __builtin_mul_overflow(term.factor, small_at(term.row), &product);
      overflow |= __builtin_add_overflow(sum, product, &sum);
    }
    if (!overflow) return sum;
  }
  Big sum = 0;
  for (const Term& term : terms) sum += large_at(term.row) * term.factor;
  return sum;
}

Big at_point(const Form& form, std::span<const Term> terms) {
  const auto* small = form.small();
  return dot(
      terms, small != nullptr, [&](std::uint32_t row) { return small->point[row]; },
      [&](std::uint32_t row) { return form.point_at(row); });
}

Big at_generator(const Form& form, std::span<const Term> terms, std::size_t j) {
  const auto* small = form.small();
  return dot(
      terms, small != nullptr, [&](std::uint32_t row) { return small->entries[row * form.rank() + j]; },
      [&](std::uint32_t row) { return form.entry_at(row, j); });
}

std::optional<AffineLattice::Progression> progression_of(const Form& form, std::span<const Term> terms) {
  Big modulus = 0;
  for (std::size_t j = 0; j < form.rank() && modulus != 1; ++j)
    modulus = boost::multiprecision::gcd(modulus, at_generator(form, terms, j));
  Big residue = at_point(form, terms);
  if (!modulus.is_zero()) residue -= lattice::floor_div(residue, modulus) * modulus;
  if (!lattice::fits_int64(residue) || !lattice::fits_int64(modulus)) return std::nullopt;
  return AffineLattice::Progression{static_cast<std::int64_t>(residue), static_cast<std::int64_t>(modulus)};
}

}  // namespace

bool AffineLattice::holds(std::span<const std::int64_t> a, std::int64_t c) const {
  assert(a.size() == dimension_);
  if (!form_) return true;
  const std::vector<Term> terms = terms_of(*form_, a);
  if (at_point(*form_, terms) != c) return false;
  for (std::size_t j = 0; j < rank(); ++j)
    if (!at_generator(*form_, terms, j).is_zero()) return false;
  return true;
}

bool AffineLattice::holds_mod(std::span<const std::int64_t> a, std::int64_t c, std::int64_t m) const {
  assert(a.size() == dimension_ && m >= 1);
  if (!form_ || m == 1) return true;
  const std::vector<Term> terms = terms_of(*form_, a);
  if ((at_point(*form_, terms) - c) % m != 0) return false;
  for (std::size_t j = 0; j < rank(); ++j)
    if (at_generator(*form_, terms, j) % m != 0) return false;
  return true;
}

std::optional<AffineLattice::Progression> AffineLattice::progression(std::span<const std::int64_t> a) const {
  assert(a.size() == dimension_);
  if (!form_) return std::nullopt;
  return progression_of(*form_, terms_of(*form_, a));
}

std::optional<AffineLattice::Progression> AffineLattice::column(std::size_t i) const {
  assert(i < dimension_);
  if (!form_) return std::nullopt;
  const Term term{form_->columns.class_of[i], 1};
  return progression_of(*form_, {&term, 1});
}

}  // namespace tensorspec
