// SPDX-License-Identifier: Apache-2.0
//
// Contracts for people, on a terminal. Plain text, no colours; names are made fit for a terminal.
#pragma once

#include <string>

#include "tensorspec/contract.hpp"
#include "tensorspec/diff.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec {

// Tensors with dtype and dims, symbols with range and how many sizes were seen, what is believed and why, what is not
// sure.
std::string to_table(const Contract& contract);

// For every symbol, expression and fixed size: why it is believed, and what would refute it, in words.
std::string to_explanation(const Contract& contract);

// How many axes are equal, wider, narrower and broken, then a line for each that is not equal, with a size that shows
// it: "x axis 3: narrower: 320..1603 -> 320..1200, for instance 1201". Axes that changed alike share a line.
std::string to_text(const ContractDifference& difference);

// The sizes chosen and what they cost, beside one bucket, powers of two and as many as there are sizes; what is not
// covered.
std::string to_text(const Plan& plan);

// How much of the cost is padding, which calls no profile takes and why, by axis. With `best`, what the best of as many
// would cost.
std::string to_text(const Audit& audit, const Ladder& ladder, const Plan* best = nullptr);

// Profile by profile: what it takes, and which calls are outside it, by axis.
std::string to_text_by_profile(const Audit& audit, const Ladder& ladder);

}  // namespace tensorspec
