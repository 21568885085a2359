// SPDX-License-Identifier: Apache-2.0
//
// The axes of two variants, compared one after the other.
#pragma once

#include <vector>

#include "contract/inclusion.hpp"

namespace tensorspec::diffing {

// What the old side has at a column and the new one has not, and the other way round. `beside` is empty where the size
// alone shows it.
struct AxisOutcome {
  Loss lost, gained;
};

struct AxisComparison {
  std::vector<AxisOutcome> outcomes;  // per column
  Sizes older_call, newer_call;       // some call of either side, if it has any
};

// Columns are in order of stage.
AxisComparison compare_axes(const std::vector<Column>& columns, const Side& older, const Side& newer);

}  // namespace tensorspec::diffing
