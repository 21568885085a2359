// SPDX-License-Identifier: Apache-2.0
//
// Contract files. A find goes to tests/corpus/contract, where the ordinary tests replay it.
#include <cstddef>
#include <cstdint>

#include "fuzz/fault.hpp"
#include "fuzz/text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tensorspec::tests::stop_at(tensorspec::tests::contract_fault({reinterpret_cast<const char*>(data), size}));
  return 0;
}
