// SPDX-License-Identifier: Apache-2.0
//
// Which common step of the sizes seen is a rule, and which may be chance.
#pragma once

#include "explain/classes.hpp"

namespace tensorspec {

enum class StrideBelief : std::uint8_t {
  none,     // no common step, or any two sizes would have it
  seen,     // kept so far, but people pick round sizes
  claimed,  // worth its length with the margin to spare
};

// Per class. The step is ColumnClass::stride; it is claimed when (distinct-1) * log2(step) > cost(step, residue) +
// margin. An integer that is spelled out once already costs only its choice: where height has its claimed step, width
// of the same tensors repeats it. The margin stays. Sizes that the model chooses (outputs alone) are not asked about.
std::vector<StrideBelief> judge_strides(const JoinedVariant& joined, const ClassTable& table);

}  // namespace tensorspec
