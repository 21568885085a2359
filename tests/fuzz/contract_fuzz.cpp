// SPDX-License-Identifier: Apache-2.0
//
// Contract files. A find goes to tests/corpus/contract, where the ordinary tests replay it.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "fuzz/text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string fault = tensorspec::tests::contract_fault({reinterpret_cast<const char*>(data), size});
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    __builtin_trap();
  }
  return 0;
}
