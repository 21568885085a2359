// SPDX-License-Identifier: Apache-2.0
//
// Which symbol is the batch when nobody said so.
#pragma once

#include <vector>

#include "explain/classes.hpp"

namespace tensorspec {

// Of `symbols`, the one that is axis 0 of most varying inputs; ClassTable::kNone when none is or evidence speaks
// against it: it is two axes of one tensor; it stands behind an axis 0 that was always 1; another symbol is in more
// inputs.
std::size_t infer_batch(const JoinedVariant& joined, const ClassTable& table, const std::vector<std::size_t>& symbols);

}  // namespace tensorspec
