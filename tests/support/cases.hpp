// SPDX-License-Identifier: Apache-2.0
//
// How many random cases a law is tried on.
#pragma once

#include <cstdint>

#include "support/allocation_count.hpp"

namespace tensorspec::tests {

// All of them, or an eighth under a sanitizer, which makes each ten times as slow and looks for other faults.
inline std::uint64_t cases(std::uint64_t many) { return allocations_are_counted() ? many : (many + 7) / 8; }

}  // namespace tensorspec::tests
