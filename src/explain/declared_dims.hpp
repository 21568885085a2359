// SPDX-License-Identifier: Apache-2.0
//
// The dims that a person declared for axes of one variant, laid over its classes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

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
  const std::map<std::size_t, Dim>& by_column() const noexcept { return by_column_; }

 private:
  std::map<std::size_t, Dim> by_column_;
  std::set<std::size_t> symbols_;
  std::map<std::size_t, Dim> apart_;
};

// How many of the distinct calls have the size that a declared dim gives; `example`: of one that does not.
struct Agreement {
  std::size_t witnesses = 0, against = 0;
  std::string example;  // "15, expected 14"; "7, which is no 2*k"
};

// By column. `names`: of classes that are symbols, else empty; `fixed`: sizes of symbols that never varied. A symbol
// that is neither has in each call the size that the declared dims give it.
std::map<std::size_t, Agreement> held_against_calls(const JoinedVariant& joined, const ClassTable& table,
                                                    const DeclaredDims& declared, const std::vector<std::string>& names,
                                                    const std::map<std::string, std::int64_t, std::less<>>& fixed);

}  // namespace tensorspec
