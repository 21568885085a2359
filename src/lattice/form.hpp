// SPDX-License-Identifier: Apache-2.0
//
// Form: the frozen, compact p and H behind an AffineLattice; Draft: the same while it is being changed.
//
// Coordinates that are equal on the whole set are one class, and only one row of p and H is kept for each class: a
// model with 800 axes has ten or twenty different ones. Classes are numbered by their first coordinate. The first entry
// of a generator that is not zero is at the first coordinate of its class, so the Hermite form over classes is the
// Hermite form over coordinates with the repeated rows left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "lattice/big.hpp"
#include "lattice/hermite.hpp"

namespace tensorspec::lattice {

// Which coordinates are equal.
struct Partition {
  std::vector<std::uint32_t> class_of;  // of each coordinate
  std::vector<std::uint32_t> first;     // first coordinate of each class, ascending

  std::size_t classes() const noexcept { return first.size(); }
  friend bool operator==(const Partition&, const Partition&) = default;
};

// Coordinates with the same key(i) are one class.
template <class Key>
Partition partition_by(std::size_t dimension, Key key) {
  Partition result;
  result.class_of.reserve(dimension);
  std::map<decltype(key(std::size_t{0})), std::uint32_t> seen;
  for (std::size_t i = 0; i < dimension; ++i) {
    const auto [at, is_new] = seen.try_emplace(key(i), static_cast<std::uint32_t>(result.first.size()));
    if (is_new) result.first.push_back(static_cast<std::uint32_t>(i));
    result.class_of.push_back(at->second);
  }
  return result;
}

// p and H by rows, one row per class.
template <class Int>
struct Table {
  std::vector<Int> point;    // by class
  std::vector<Int> entries;  // entries[class * rank + generator]
  friend bool operator==(const Table&, const Table&) = default;
};

struct Form {
  Partition columns;
  std::vector<std::uint32_t> pivots;                    // class of each generator's pivot, ascending
  std::variant<Table<std::int64_t>, Table<Big>> table;  // int64 iff every entry fits

  // The rest follows from the above and is there for contains.
  // (coordinate, first coordinate of its class) for all that are not first: what is compared before any arithmetic.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies;
  // With |z_j| at most this, no sum of products of a row of H, in any order, leaves int64.
  std::int64_t z_limit = 0;

  std::size_t rank() const noexcept { return pivots.size(); }
  const Table<std::int64_t>* small() const noexcept { return std::get_if<Table<std::int64_t>>(&table); }
  const Table<Big>* large() const noexcept { return std::get_if<Table<Big>>(&table); }

  Big point_at(std::size_t row) const { return small() ? Big(small()->point[row]) : large()->point[row]; }
  Big entry_at(std::size_t row, std::size_t generator) const {
    const std::size_t at = row * rank() + generator;
    return small() ? Big(small()->entries[at]) : large()->entries[at];
  }

  friend bool operator==(const Form& a, const Form& b) {
    return a.columns == b.columns && a.pivots == b.pivots && a.table == b.table;
  }
};

struct Draft {
  Partition columns;
  BigVector point;  // by class
  Hermite basis;    // over classes
};

// The rows of `form` for the classes of `columns`, a partition at least as fine as its own.
Draft thaw(const Form& form, Partition columns);
// Reduces the point and freezes. REQUIRES: no two classes of the draft are equal on the whole set.
std::shared_ptr<const Form> freeze(Draft draft);

bool contains(const Form& form, std::span<const std::int64_t> x) noexcept;

}  // namespace tensorspec::lattice
