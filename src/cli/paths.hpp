// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands that read calls share: their options, reporting what was bad, progress.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "cli/command.hpp"
#include "tensorspec/call.hpp"
#include "tensorspec/declared.hpp"

namespace tensorspec::cli {

// The options that name the format of every file.
struct FormatArguments {
  std::string format, columns;

  void define(Options& options);
  std::string from() const;  // as read_file takes it
};

struct PathArguments {
  std::vector<std::string> paths;
  FormatArguments format;
  std::string files = "auto";
  bool strict = false, quiet = false, json = false;

  void define(Options& options, const std::string& what);
};

struct PathResult {
  std::uint64_t calls = 0, files = 0;
  std::vector<Error> errors;  // each was printed, unless json
  std::vector<std::string> notes;
  std::vector<Declared> declared;  // by model files among the paths or beside them, each once
  bool without_batch = false;      // a format among them has the shapes of one request
  bool stopped = false;            // --strict met the first
};

// Reads every path and hands over its calls; `use` may refuse one.
PathResult read_calls(const PathArguments& arguments,
                      const std::function<Status(const Call&, std::string_view origin)>& use);

Json error_json(const Error& error);

}  // namespace tensorspec::cli
