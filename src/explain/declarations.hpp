// SPDX-License-Identifier: Apache-2.0
//
// What a person stated, held against the evidence and laid over what was learned.
#pragma once

#include <vector>

#include "tensorspec/explain.hpp"

namespace tensorspec {

// Errors: invalid_argument (a name that is none, an axis that no call has).
Status check_declarations(const Declarations& declarations, const Evidence& evidence);
// invalid_argument, with the names that there are.
Error no_symbol(const std::string& name, const std::vector<Variant>& variants);
// Errors: invalid_argument (a step of a symbol that there is not).
Status check_steps(const Declarations& declarations, const std::vector<Variant>& variants);
// Declared ranges win; sizes seen outside of them are asked about. Errors: invalid_argument (no symbol has that name).
Status apply_ranges(const Declarations& declarations, std::vector<Variant>& variants);

}  // namespace tensorspec
