// SPDX-License-Identifier: Apache-2.0
//
// What learn and merge share: declarations from the command line, and telling the result.
#pragma once

#include <string>
#include <vector>

#include "cli/paths.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec::cli {

struct DeclarationArguments {
  std::string batch;
  std::vector<std::string> names, ranges, limits;
  bool explain = false;

  void define(Options& options);
};

// Adds to `declarations`; what is given here wins. Errors: invalid_argument naming the option.
Status parse_declarations(const DeclarationArguments& arguments, Declarations& declarations);

// Explains, saves to `output` unless empty, and prints. Returns the exit code.
int tell(const Evidence& evidence, const Declarations& declarations, const std::string& output, bool explain,
         const PathArguments& input, const PathResult& result);

}  // namespace tensorspec::cli
