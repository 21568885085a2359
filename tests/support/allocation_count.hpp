// SPDX-License-Identifier: Apache-2.0
//
// How often this program asked operator new for memory and how much it holds, so that a test can assert that something
// never asks, or holds no more than it says.
#pragma once

#include <cstddef>

namespace tensorspec::tests {

// False under a sanitizer, which brings its own operator new; then the count stays 0.
bool allocations_are_counted() noexcept;

// Of the calling thread, since it started.
std::size_t allocation_count() noexcept;

// The most bytes that the calling thread held since the last call of restart_peak(), beyond what it held then. What is
// freed by another thread than it was asked for by is not followed.
void restart_peak() noexcept;
std::size_t peak_bytes() noexcept;

}  // namespace tensorspec::tests
