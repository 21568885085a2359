// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorspec {

// Rows of cells in aligned columns, two blanks apart, each line after `indent`. Width is counted in code points: a cell
// of more than 320 loses its middle, and none is padded to more than 80.
std::string align(const std::vector<std::vector<std::string>>& rows, std::string_view indent);

}  // namespace tensorspec
