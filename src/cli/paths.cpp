// SPDX-License-Identifier: Apache-2.0
#include "cli/paths.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/try.hpp"
#include "tensorspec/ingest.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

// One line on a terminal, renewed a few times a second once the work takes longer than people wait without asking.
class Progress {
 public:
  explicit Progress(bool wanted) : shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void step(std::uint64_t calls, std::uint64_t files) {
    if (!shown_ || ++steps_ % 256 != 0) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    std::fprintf(stderr, "\r\x1b[K%llu calls, %llu files", static_cast<unsigned long long>(calls),
                 static_cast<unsigned long long>(files));
    dirty_ = true;
  }
  void clear() {
    if (dirty_) std::fputs("\r\x1b[K", stderr);
    dirty_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_, dirty_ = false;
  std::uint64_t steps_ = 0;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
};

}  // namespace

void FormatArguments::define(Options& options) {
  std::vector<std::string> ids;
  for (const FormatInfo& known : formats()) ids.emplace_back(known.id);
  options.choice("--from", format, ids, "Read every file as this format instead of telling it by content");
  options.text("--columns", columns, "NAME[,NAME]", "Read traces of lengths (CSV, JSON Lines) by these columns");
}

std::string FormatArguments::from() const {
  return columns.empty() ? format : (format.empty() ? "lengths" : format) + ":" + columns;
}

void PathArguments::define(Options& options, const std::string& what) {
  options.positionals("PATH", paths, what + ": files, folders, glob patterns, or - for standard input");
  format.define(options);
  options.choice("--files", files, {"auto", "tensors", "calls"},
                 "Files of one tensor in a folder are the tensors of one call, or a call each; auto: their names tell");
  options.flag("--strict", strict, "Stop at the first bad input, with exit code 2");
  options.flag("--json", json, "Print JSON");
  options.flag("-q,--quiet", quiet, "No notes and no progress");
}

PathResult read_calls(const PathArguments& arguments,
                      const std::function<Status(const Call&, std::string_view origin)>& use) {
  PathResult result;
  Progress progress(!arguments.quiet && !arguments.json);
  IngestOptions options;
  options.from = arguments.format.from();
  if (arguments.files == "tensors") options.files = IngestOptions::Files::tensors;
  if (arguments.files == "calls") options.files = IngestOptions::Files::calls;
  const auto bad = [&](const Error& error) {
    progress.clear();
    if (!arguments.json) print_error(error);
    result.errors.push_back(error);
    result.stopped = arguments.strict;
    return !result.stopped;
  };
  IngestHandlers handlers;
  handlers.call = [&](const Call& call, std::string_view origin) {
    if (result.stopped) return;
    ++result.calls;
    progress.step(result.calls, result.files);
    if (auto status = use(call, origin); !status.ok()) { bad(within(std::move(status).error(), origin, ": ")); }
  };
  handlers.bad = bad;
  handlers.note = [&](const std::string& note) {
    progress.clear();
    if (!arguments.quiet && !arguments.json) print_note(note);
    result.notes.push_back(note);
  };
  handlers.declared = [&](const Declared& declared, const std::string&) {
    if (std::find(result.declared.begin(), result.declared.end(), declared) == result.declared.end())
      result.declared.push_back(declared);
  };
  handlers.format = [&](const std::string& id) {
    for (const FormatInfo& known : formats())
      if (known.id == id && known.without_batch) result.without_batch = true;
  };
  handlers.file = [&](std::uint64_t files) { result.files = files; };
  ingest(arguments.paths, options, handlers);
  return result;
}

Json error_json(const Error& error) {
  return Json().add("code", error_name(error.code)).add("message", error.message());
}

}  // namespace tensorspec::cli
