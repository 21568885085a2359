// SPDX-License-Identifier: Apache-2.0
//
// Plan files and lists of sizes. A find goes to tests/corpus/ladders, where the ordinary tests replay it.
#include <cstddef>
#include <cstdint>

#include "fuzz/fault.hpp"
#include "fuzz/text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tensorspec::tests::stop_at(tensorspec::tests::ladders_fault({reinterpret_cast<const char*>(data), size}));
  return 0;
}
