// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tensorspec/version.h"

int main() {
  std::puts("tensorspec " TENSORSPEC_VERSION);
  return 0;
}
