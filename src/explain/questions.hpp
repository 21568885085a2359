// SPDX-License-Identifier: Apache-2.0
//
// What the calls do not settle, in words, and what would.
#pragma once

#include <string>
#include <vector>

#include "explain/classes.hpp"
#include "explain/solver.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {

// One distinct call, one batch size, an axis 0 that was always 1. named_batch: the variant has a batch symbol.
std::vector<Question> questions_of_variant(const JoinedVariant& joined, const ClassTable& table, bool named_batch);

// A batch that was inferred of inputs that have no other axis.
std::vector<Question> questions_of_inferred_batch(const JoinedVariant& joined, const ClassTable& table,
                                                  std::size_t batch);

// A claim that is weak or has live rivals. `axes`: where it stands; names: of symbols, by class.
std::vector<Question> questions_of_claim(const ClassTable& table, const Explanation& explanation, const Claim& claim,
                                         const std::vector<std::string>& axes, const std::vector<std::string>& names);

// A common step of the sizes seen that is not claimed.
std::vector<Question> questions_of_stride(const Symbol& symbol);

// An output whose size no input explains.
std::vector<Question> questions_of_output(const Symbol& symbol);

}  // namespace tensorspec
