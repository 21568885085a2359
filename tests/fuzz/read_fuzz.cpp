// SPDX-License-Identifier: Apache-2.0
//
// One target for the whole family: a new reader is fuzzed without a line here. Seeds: tests/corpus/read and
// tests/golden/read; a find goes to tests/corpus/read, where the ordinary tests replay it. With
// TENSORSPEC_FUZZ_FORMAT=npy in the environment every input goes to that reader alone.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz/fault.hpp"
#include "fuzz/read_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const only = std::getenv("TENSORSPEC_FUZZ_FORMAT");
  tensorspec::tests::stop_at(
      tensorspec::tests::read_fault({reinterpret_cast<const char*>(data), size}, only ? only : std::string_view()));
  return 0;
}
