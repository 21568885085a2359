// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tensorspec {

// The text with null for NaN: Python's json writes a float that is not a number so, which no JSON parser takes.
std::string with_null_for_nan(std::string_view text);

}  // namespace tensorspec
