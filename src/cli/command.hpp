// SPDX-License-Identifier: Apache-2.0
//
// One entry of the family of subcommands. src/cli/foo.cpp defines `constinit const Command commands::foo`;
// program.cpp, the only unit that includes CLI11, makes the table of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/error.hpp"

namespace tensorspec::cli {

// Published exit codes.
enum Exit : int {
  kDone = 0,    // done; the answer is yes
  kNo = 1,      // the answer is no: violations, some inputs bad
  kFailed = 2,  // could not run
};

// Declares what a subcommand takes.
class Options {
 public:
  virtual ~Options() = default;
  virtual void flag(const std::string& names, bool& value, const std::string& help) = 0;
  virtual void text(const std::string& names, std::string& value, const std::string& type, const std::string& help) = 0;
  // May be given several times.
  virtual void texts(const std::string& names, std::vector<std::string>& values, const std::string& type,
                     const std::string& help) = 0;
  virtual void choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                      const std::string& help) = 0;
  // A whole number of at least 1; 0 stays when it is not given.
  virtual void count(const std::string& names, std::int64_t& value, const std::string& help) = 0;
  virtual void positional(const std::string& name, std::string& value, const std::string& help) = 0;
  virtual void optional_positional(const std::string& name, std::string& value, const std::string& help) = 0;
  virtual void positionals(const std::string& name, std::vector<std::string>& values, const std::string& help) = 0;
};

struct Command {
  std::string_view id, summary, example;
  // Declares the options and returns what runs once they are parsed.
  std::function<int()> (*define)(Options& options);
};

namespace commands {
#define TENSORSPEC_MEMBER(stem) extern const Command stem;
#include "cli_family.inc"
#undef TENSORSPEC_MEMBER
}  // namespace commands

// Standard output and standard error. A result that cannot be written (disk full) is an error that main turns into
// kFailed.
void print(std::string_view text);
void print_error(const Error& error, bool json = false);
void print_note(const std::string& text);
void print_notes(const std::string& file, const std::vector<std::string>& notes);
// Writes what is still held. When not everything could be written: says so and returns false.
bool finish_output();

}  // namespace tensorspec::cli
