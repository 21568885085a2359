// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tensorspec::cli {

// The whole command: what main() does and gives back. Once a process: what could not be written is remembered.
int program(int argc, char** argv);

}  // namespace tensorspec::cli
