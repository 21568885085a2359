// SPDX-License-Identifier: Apache-2.0
#include "support/places.hpp"

namespace tensorspec::tests {

std::string source_folder() { return TENSORSPEC_SOURCE_DIR; }

}  // namespace tensorspec::tests
