// SPDX-License-Identifier: Apache-2.0
//
// Sizes in columns, for commands that plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/plan.hpp"

namespace tensorspec::cli {

// CSV (comma, semicolon or tab) with a header line, or JSON Lines of flat objects: whole numbers in columns. A column
// `count` (or the one named) says how often a row was seen. With `columns`, only these. Errors: unknown_format,
// invalid_extent, json_*; `where` has the file and the line.
Result<SizeTrace> parse_trace(std::string_view text, const std::string& file, const std::vector<std::string>& columns,
                              std::string_view count);

}  // namespace tensorspec::cli
