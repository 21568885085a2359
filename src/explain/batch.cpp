// SPDX-License-Identifier: Apache-2.0
#include "explain/batch.hpp"

#include <algorithm>

namespace tensorspec {
namespace {

struct Votes {
  std::size_t leads = 0;   // inputs that have it on axis 0
  std::size_t inputs = 0;  // inputs that have it
  bool against = false;
};

Votes votes_of(const JoinedVariant& joined, const ClassTable& table, std::size_t symbol) {
  Votes votes;
  for (const JoinedVariant::Tensor& tensor : joined.tensors()) {
    if (tensor.output) continue;
    std::size_t times = 0;
    for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
      if (table.class_of(tensor.first_column + axis) == symbol) ++times;
    if (times == 0) continue;
    ++votes.inputs;
    if (times > 1) votes.against = true;
    if (table.class_of(tensor.first_column) == symbol) ++votes.leads;
    else if (joined.constant(tensor.first_column) == 1) votes.against = true;
  }
  return votes;
}

}  // namespace

std::size_t infer_batch(const JoinedVariant& joined, const ClassTable& table, const std::vector<std::size_t>& symbols) {
  std::size_t best = ClassTable::kNone, most_inputs = 0;
  Votes best_votes;
  for (const std::size_t symbol : symbols) {
    const Votes votes = votes_of(joined, table, symbol);
    most_inputs = std::max(most_inputs, votes.inputs);
    if (votes.leads <= best_votes.leads) continue;
    best = symbol;
    best_votes = votes;
  }
  return best_votes.against || best_votes.inputs < most_inputs ? ClassTable::kNone : best;
}

}  // namespace tensorspec
