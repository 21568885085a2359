// SPDX-License-Identifier: Apache-2.0
//
// The dims that a person declared for axes of one variant, laid over its classes.
#pragma once

#include <map>
#include <set>

#include "explain/classes.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec {

class DeclaredDims {
 public:
  DeclaredDims(const JoinedVariant& joined, const ClassTable& table, const Declarations& declarations);

  // Classes that are symbols, since a bare name was declared for them or an axis is free.
  const std::set<std::size_t>& symbols() const noexcept { return symbols_; }
  // Classes that have a declared dim: neither symbols, nor is anything explained by them.
  const std::map<std::size_t, Dim>& apart() const noexcept { return apart_; }
  // Of an axis, whatever its class; nullptr: none was declared.
  const Dim* of(std::size_t column) const;

 private:
  std::map<std::size_t, Dim> by_column_;
  std::set<std::size_t> symbols_;
  std::map<std::size_t, Dim> apart_;
};

}  // namespace tensorspec
