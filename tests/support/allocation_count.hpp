// SPDX-License-Identifier: Apache-2.0
//
// How often this program asked operator new for memory, so that a test can assert that something never does.
#pragma once

#include <cstddef>

namespace tensorspec::tests {

// False under a sanitizer, which brings its own operator new; then the count stays 0.
bool allocations_are_counted() noexcept;

// Of the calling thread, since it started.
std::size_t allocation_count() noexcept;

}  // namespace tensorspec::tests
