// SPDX-License-Identifier: Apache-2.0
//
// Form: an expression over classes of columns that may explain another class, with its length.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/costs.hpp"
#include "tensorspec/dim.hpp"

namespace tensorspec {

// floor or ceil of (times * symbol + offset) / divisor; with divisor 1 the symbol alone.
struct Atom {
  std::size_t symbol = 0;
  std::int64_t divisor = 1, times = 1, offset = 0;
  bool up = false;
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Monomial {
  std::int64_t coefficient = 1;
  std::vector<Atom> atoms;
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

// (sum of terms + constant) / divisor, exactly.
struct Form {
  std::vector<Monomial> terms;
  std::int64_t constant = 0, divisor = 1;

  // The value for the sizes of the symbols, by index; nullopt where it is not whole or does not fit.
  std::optional<std::int64_t> evaluate(std::span<const std::int64_t> sizes) const;
  bool affine() const;                       // a sum of whole multiples: the lattice can vouch for it
  std::vector<std::size_t> symbols() const;  // ascending, each once
  // How many integers had to be fitted.
  std::size_t unknowns(std::span<const std::int64_t> strides) const;
  // Length without the choice of symbols. strides: per symbol the stride that its sizes are known to keep, else 1; the
  // length is that of the expression over their latents, so 21*h*w/1024 is as long as 21*h'*w' where h = 32*h'.
  costs::Cost length(std::span<const std::int64_t> strides) const;
  // nullopt when Dim does not hold it.
  std::optional<Dim> to_dim(std::span<const std::string> names) const;
  friend bool operator==(const Form&, const Form&) = default;
};

}  // namespace tensorspec
