// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_count.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENSORSPEC_COUNT_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TENSORSPEC_COUNT_ALLOCATIONS 0
#endif
#endif
#ifndef TENSORSPEC_COUNT_ALLOCATIONS
#define TENSORSPEC_COUNT_ALLOCATIONS 1
#endif

namespace tensorspec::tests {

namespace {
thread_local std::size_t count = 0;
thread_local std::ptrdiff_t held = 0, held_at_restart = 0, peak = 0;
}  // namespace

bool allocations_are_counted() noexcept { return TENSORSPEC_COUNT_ALLOCATIONS != 0; }
std::size_t allocation_count() noexcept { return count; }
void restart_peak() noexcept { held_at_restart = peak = held; }
std::size_t peak_bytes() noexcept { return static_cast<std::size_t>(peak - held_at_restart); }

#if TENSORSPEC_COUNT_ALLOCATIONS
namespace {
void* counted(std::size_t size) noexcept {
  ++count;
  void* memory = std::malloc(size == 0 ? 1 : size);
  held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  if (held > peak) peak = held;
  return memory;
}
void release(void* memory) noexcept {
  held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}
}  // namespace
#endif

}  // namespace tensorspec::tests

#if TENSORSPEC_COUNT_ALLOCATIONS
// The array and nothrow forms of the standard library call these two; the aligned forms are left as they are.
void* operator new(std::size_t size) {
  if (void* memory = tensorspec::tests::counted(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { tensorspec::tests::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { tensorspec::tests::release(memory); }
#endif
