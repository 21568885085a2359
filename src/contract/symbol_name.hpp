// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tensorspec {

// The nearest text that a symbol may be called: "seq len" as seq_len.
std::string to_symbol_name(std::string_view text);

}  // namespace tensorspec
