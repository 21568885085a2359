// SPDX-License-Identifier: Apache-2.0
//
// A contract for people: as a table on a terminal.
#pragma once

#include <string>

#include "tensorspec/contract.hpp"

namespace tensorspec {

// Tensors with dtype and dims, symbols with range and how many sizes were seen, what is believed and why, what is not
// sure. Plain text, no colours, ends with a newline. Names are made fit for a terminal.
std::string to_table(const Contract& contract);

// For every symbol, expression and fixed size: why it is believed, and what would refute it, in words.
std::string to_explanation(const Contract& contract);

}  // namespace tensorspec
