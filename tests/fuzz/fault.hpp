// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace tensorspec::tests {

// Ends a fuzz target with what is wrong; an empty text is nothing.
inline void stop_at(const std::string& fault) {
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n", fault.c_str());
  __builtin_trap();
}

}  // namespace tensorspec::tests
