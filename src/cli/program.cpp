// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <system_error>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "tensorspec/version.h"

namespace tensorspec::cli {
namespace {

constexpr const Command* kCommands[] = {
#define TENSORSPEC_MEMBER(stem) &commands::stem,
#include "cli_family.inc"
#undef TENSORSPEC_MEMBER
};

class Cli11Options final : public Options {
 public:
  explicit Cli11Options(CLI::App& app) : app_(app) {}
  void flag(const std::string& names, bool& value, const std::string& help) override {
    app_.add_flag(names, value, help);
  }
  void text(const std::string& names, std::string& value, const std::string& type, const std::string& help) override {
    app_.add_option(names, value, help)->type_name(type)->check(not_empty());
  }
  void texts(const std::string& names, std::vector<std::string>& values, const std::string& type,
             const std::string& help) override {
    app_.add_option(names, values, help)->type_name(type)->allow_extra_args(false)->check(not_empty());
  }
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
              const std::string& help) override {
    app_.add_option(names, value, help)->check(CLI::IsMember(words))->capture_default_str();
  }
  void count(const std::string& names, std::int64_t& value, const std::string& help) override {
    app_.add_option(names, value, help)
        ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()).description(""))
        ->type_name("N");
  }
  void positional(const std::string& name, std::string& value, const std::string& help) override {
    app_.add_option(name, value, help)->required()->type_name("")->check(not_empty());
  }
  void optional_positional(const std::string& name, std::string& value, const std::string& help) override {
    app_.add_option(name, value, help)->type_name("")->check(not_empty());
  }
  void positionals(const std::string& name, std::vector<std::string>& values, const std::string& help) override {
    app_.add_option(name, values, help)->required()->type_name("")->check(not_empty());
  }

 private:
  // "" is a variable of a script that is not set, and nothing that anyone means.
  static CLI::Validator not_empty() {
    return CLI::Validator([](std::string& value) { return value.empty() ? std::string("may not be empty") : ""; }, "");
  }

  CLI::App& app_;
};

// Why standard output did not take something, the first time; 0: it took everything so far.
int write_failure = 0;

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && write_failure == 0) write_failure = errno;
}

bool finish_output() {
  if (std::fflush(stdout) != 0 && write_failure == 0) write_failure = errno;
  if (write_failure == 0) return true;
  print_error({ErrorCode::file_write, "standard output", std::generic_category().message(write_failure)});
  return false;
}

void print_error(const Error& error, bool json) {
  if (!json) {
    std::fprintf(stderr, "tensorspec: %s [%s]\n", error.message().c_str(), std::string(error_name(error.code)).c_str());
    return;
  }
  Json line = Json().add("error", Json().add("code", error_name(error.code)).add("message", error.message()));
  std::fprintf(stderr, "%s\n", line.dump().c_str());
}

void print_note(const std::string& text) { std::fprintf(stderr, "note: %s\n", text.c_str()); }

void print_notes(const std::string& file, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(printable(file + ": " + note));
}

namespace {

int run(int argc, char** argv) {
  CLI::App app("Learns the shape contract of a model from real calls, checks calls against it.", "tensorspec");
  app.set_version_flag("--version", "tensorspec " TENSORSPEC_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer("tensorspec COMMAND --help shows the options of a command and an example.");
  std::function<int()> chosen;
  for (const Command* command : kCommands) {
    CLI::App* sub = app.add_subcommand(std::string(command->id), std::string(command->summary));
    sub->footer("Example:\n" + std::string(command->example));
    Cli11Options options(*sub);
    sub->callback([&chosen, work = command->define(options)] { chosen = work; });
  }
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const Command* command : kCommands) names.emplace_back(command->id);
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      print_error({ErrorCode::invalid_argument, "",
                   "no command is called " + printable(argv[1]) + "; there are " + join(names, ", ")});
      return kFailed;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are answers; anything else is a call that could not run.
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return finish_output() ? kDone : kFailed;
    }
    print_error(
        {ErrorCode::invalid_argument, "", std::string(error.what()) + "; tensorspec --help shows what there is"});
    return kFailed;
  }
  const int code = chosen();
  return finish_output() ? code : kFailed;
}

}  // namespace

int program(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorspec: %s\n", printable(error.what()).c_str());
    return kFailed;
  }
}

}  // namespace tensorspec::cli
