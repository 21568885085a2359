// SPDX-License-Identifier: Apache-2.0
//
// Which classes become symbols: the fewest, with the shortest expressions for the others.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "explain/solver.hpp"
#include "explain/strides.hpp"

namespace tensorspec {

struct SymbolChoice {
  std::vector<std::size_t> symbols;              // classes, in an order that depends on sizes and places, not on names
  std::map<std::size_t, Explanation> explained;  // every other class
  // Sizes of symbols in calls that lack them, read off axes that they explain.
  std::map<std::size_t, std::set<std::int64_t>> implied;
};

// fixed: classes that are symbols whatever explains them, the batch among them. apart: classes that are left out: what
// they are is declared. Starts greedily and swaps while the
// total length falls. Symbols come from inputs first; an input is never explained by an output.
SymbolChoice choose_symbols(const JoinedVariant& joined, const ClassTable& table,
                            const std::vector<StrideBelief>& strides, std::size_t batch,
                            const std::set<std::size_t>& fixed, const std::map<std::size_t, Dim>& apart);

}  // namespace tensorspec
