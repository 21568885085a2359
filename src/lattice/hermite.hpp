// SPDX-License-Identifier: Apache-2.0
//
// Hermite: the lattice of all integer combinations of some vectors, while it grows.
#pragma once

#include <cstddef>
#include <vector>

#include "lattice/big.hpp"

namespace tensorspec::lattice {

// Generators in column Hermite normal form, as tensorspec/lattice.hpp states it. All vectors have the same size.
class Hermite {
 public:
  Hermite() = default;
  // Takes generators that are in Hermite form already.
  Hermite(std::vector<BigVector> generators, std::vector<std::size_t> pivots)
      : generators_(std::move(generators)), pivots_(std::move(pivots)) {}

  const std::vector<BigVector>& generators() const noexcept { return generators_; }
  const std::vector<std::size_t>& pivots() const noexcept { return pivots_; }  // coordinate of each generator's pivot

  // Makes v an element; true when the lattice grew.
  bool add(BigVector v);

  // Brings v into [0, pivot) at the pivots of the generators from the `from`-th on, by subtracting multiples of them.
  // With from == 0 this is the unique representative of v modulo the lattice, and zero iff v is an element.
  void reduce(BigVector& v, std::size_t from = 0) const;

 private:
  void combine(std::size_t j, BigVector& v);

  std::vector<BigVector> generators_;
  std::vector<std::size_t> pivots_;
};

}  // namespace tensorspec::lattice
