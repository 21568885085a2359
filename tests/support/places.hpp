// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tensorspec::tests {

// The folder of the source tree, for the data of tests.
std::string source_folder();

}  // namespace tensorspec::tests
