// SPDX-License-Identifier: Apache-2.0
//
// AffineLattice: every affine equality and congruence that a set of integer vectors has, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

namespace lattice {
struct Form;
}

// The smallest set { p + H z : z integer vector } that holds every inserted vector. Its columns are the coordinates of
// those vectors; the generators are the columns of H. Always exact: where 64 bits do not hold a number, big integers
// do.
//
// Convention. H is in column Hermite normal form:
//   - the pivot of a generator is its first entry that is not zero; it is positive;
//   - pivots lie in strictly increasing coordinates (echelon), so the generators are independent;
//   - in the coordinate of a pivot d, the generators before it (the entries left of the pivot) have values in [0, d);
// and p is reduced: in the coordinate of a pivot d, p is in [0, d). The form is unique, so == is equality of sets, and
// the order and grouping in which vectors came cannot be told from it. The set without any vector is a value too: it
// has no p, is the identity of merge, and everything holds on it.
//
// A value: copies share one immutable form, so a copy costs a reference count. Const members may be called from several
// threads. A moved-from lattice is the empty one. Programmer's mistakes (a vector of another size) are asserted.
class AffineLattice {
 public:
  // The empty set of vectors with that many coordinates. 0 is allowed.
  explicit AffineLattice(std::size_t dimension) noexcept : dimension_(dimension) {}

  std::size_t dimension() const noexcept { return dimension_; }
  std::size_t rank() const noexcept;  // number of generators
  bool empty() const noexcept { return form_ == nullptr; }

  // Makes the set hold x; true when it grew. Leaves the set as it was when memory runs out (std::bad_alloc).
  // O(dimension * rank) when x is in the set already. REQUIRES: x.size() == dimension().
  bool insert(std::span<const std::int64_t> x);

  // True iff x is in the set. Never allocates or throws while the entries of p and H fit int64 and there are at most 64
  // generators. O(dimension * rank), less where columns are equal. REQUIRES: x.size() == dimension().
  bool contains(std::span<const std::int64_t> x) const noexcept;

  // The coordinate of the pivot of a generator. A vector of the set is told by its values at the pivots: no other one
  // has the same there. REQUIRES: generator < rank().
  std::size_t pivot(std::size_t generator) const noexcept;

  // The smallest lattice holding both. Commutative, associative, idempotent. Errors: dimension_mismatch.
  static Result<AffineLattice> merge(const AffineLattice& a, const AffineLattice& b);

  // True iff every x in the set has a.x == c. REQUIRES: a.size() == dimension().
  bool holds(std::span<const std::int64_t> a, std::int64_t c) const;
  // True iff every x in the set has a.x == c (mod m). REQUIRES: a.size() == dimension(), m >= 1.
  bool holds_mod(std::span<const std::int64_t> a, std::int64_t c, std::int64_t m) const;

  // residue + modulus * Z. modulus 0: the one value residue; else residue is in [0, modulus).
  struct Progression {
    std::int64_t residue = 0, modulus = 0;
    friend bool operator==(const Progression&, const Progression&) = default;
  };
  // Exactly the values that a.x takes on the set. nullopt when the set is empty or one of the two numbers does not fit.
  // REQUIRES: a.size() == dimension().
  std::optional<Progression> progression(std::span<const std::int64_t> a) const;
  // The same of coordinate i alone. REQUIRES: i < dimension().
  std::optional<Progression> column(std::size_t i) const;
  // True iff x_i == x_j on the whole set. O(1). REQUIRES: i, j < dimension().
  bool columns_equal(std::size_t i, std::size_t j) const;

  // The image on the kept coordinates, in that order: keep drops, reorders and may repeat. Commutes with insert and
  // merge. REQUIRES: every kept index < dimension().
  AffineLattice project(std::span<const std::size_t> keep) const;

  friend bool operator==(const AffineLattice& a, const AffineLattice& b) noexcept;

  // The form as decimal text, exact at any size. The empty set has neither point nor generators. (In dimension 0 the
  // set of the one vector without coordinates has none either; from_canonical reads that as the empty set.)
  struct Canonical {
    std::vector<std::string> point;                    // p
    std::vector<std::vector<std::string>> generators;  // the columns of H, in echelon order
    friend bool operator==(const Canonical&, const Canonical&) = default;
  };
  Canonical canonical() const;
  // Takes nothing but what canonical() writes, so from_canonical(d, c)->canonical() == c. Bounds: 16384 coordinates,
  // 4096 digits a number. Errors: evidence_format; `where` is the entry ("generators[1][3]"), `detail` the rule broken.
  static Result<AffineLattice> from_canonical(std::size_t dimension, const Canonical& form);

  // True iff the form is as the convention says. O(dimension * rank); for assertions and tests.
  bool well_formed() const;

 private:
  AffineLattice(std::size_t dimension, std::shared_ptr<const lattice::Form> form) noexcept
      : dimension_(dimension), form_(std::move(form)) {}

  std::size_t dimension_;
  std::shared_ptr<const lattice::Form> form_;  // null: the empty set
};

}  // namespace tensorspec
