// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

int main(int argc, char** argv) { return tensorspec::cli::program(argc, argv); }
