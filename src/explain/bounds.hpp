// SPDX-License-Identifier: Apache-2.0
//
// Which symbol was never above which other: len <= frames.
#pragma once

#include <vector>

#include "explain/classes.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {

// Pairs of `symbols` (classes of inputs, by index; `names` by class) of which one was never above the other although
// their ranges overlap, in so many different pairs of sizes that chance is ruled out: each pair halves it, and the
// margin of 16 bits and the choice of the two are to be paid. Only what does not follow from two others is told.
std::vector<Bound> find_bounds(const ClassTable& table, const std::vector<std::size_t>& symbols,
                               const std::vector<std::string>& names);

}  // namespace tensorspec
