// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/ingest.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/text.hpp"
#include "base/try.hpp"
#include "observe/group.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec {
namespace {

namespace fs = std::filesystem;

// Holds what one file gives: calls go on at once, tensors wait for the end of the file.
class FileSink final : public ReadSink {
 public:
  FileSink(std::string file, const IngestHandlers& handlers) : file_(std::move(file)), handlers_(handlers) {}
  void tensor(TensorInfo tensor) override { tensors.push_back(std::move(tensor)); }
  void call(const Call& call, std::uint64_t line) override {
    ++calls;
    origin_ = file_;
    origin_ += ":" + std::to_string(line);
    handlers_.call(call, origin_);
  }
  bool bad(const Error& error) override {
    ++errors;
    return go_on = handlers_.bad(error);
  }

  std::vector<TensorInfo> tensors;
  std::uint64_t calls = 0, errors = 0;
  bool go_on = true;

 private:
  std::string file_, origin_;
  const IngestHandlers& handlers_;
};

bool has_known_extension(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension.empty()) return false;
  for (const FormatInfo& format : formats()) {
    std::string_view rest = format.extensions;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == extension) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return false;
}

// Files of one tensor beside each other, and the stems of those that could not be read.
struct Loose {
  std::vector<TensorFile> files;
  std::vector<fs::path> unreadable;
};

// What a pattern fits, in natural order, and the folders on its way that could not be looked into.
struct Expanded {
  std::vector<std::string> names;
  std::vector<Error> errors;
};
Expanded expand(const std::string& pattern) {
  // glob(3) hands its callback nothing of ours.
  static thread_local std::vector<Error>* errors = nullptr;
  Expanded out;
  errors = &out.errors;
  glob_t found{};
  const auto unreadable = [](const char* folder, int code) {
    errors->push_back(Error{ErrorCode::file_open, folder, std::generic_category().message(code)});
    return 0;
  };
  if (::glob(pattern.c_str(), 0, unreadable, &found) == 0)
    out.names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::sort(out.names.begin(), out.names.end(), natural_less);
  return out;
}

// Reading a pipe that was found, not named, would wait for whoever never writes to it; a device may have no end.
bool is_special(fs::file_status status) { return fs::exists(status) && fs::is_other(status); }

class Ingest {
 public:
  Ingest(const IngestOptions& options, const IngestHandlers& handlers) : options_(options), handlers_(handlers) {}

  bool run(const std::vector<std::string>& paths) {
    Loose loose;  // files of one tensor that were named one by one
    for (const std::string& path : paths)
      if (!take(path, loose)) return false;
    return group(std::move(loose), "arguments");
  }

 private:
  bool bad(const Error& error) {
    ++found_;
    return handlers_.bad(error);
  }

  bool take(const std::string& path, Loose& loose) {
    std::error_code error;
    const fs::file_status status = path == "-" ? fs::file_status() : fs::status(path, error);
    if (path != "-" && fs::is_directory(status)) return take_named_folder(path);
    if (path == "-" || fs::exists(status)) return take_file(path, loose, false);
    if (path.find_first_of("*?[") != std::string::npos) return take_glob(path, loose);
    return bad(Error{ErrorCode::file_open, path, error.message()});
  }

  bool take_glob(const std::string& pattern, Loose& loose) {
    const Expanded expanded = expand(pattern);
    for (const Error& error : expanded.errors)
      if (!bad(error)) return false;
    if (expanded.names.empty() && expanded.errors.empty())
      return bad(Error{ErrorCode::file_open, pattern, "no file fits the pattern"});
    std::error_code unknown;
    for (const std::string& name : expanded.names) {
      const fs::file_status status = fs::status(name, unknown);
      const bool go_on = is_special(status)         ? bad(Error{ErrorCode::file_open, name, "not a regular file"})
                         : fs::is_directory(status) ? take_named_folder(name)
                                                    : take_file(name, loose, false);
      if (!go_on) return false;
    }
    return true;
  }

  // A folder that was named must give something.
  bool take_named_folder(const fs::path& folder) {
    const std::uint64_t before = found_;
    if (!take_folder(folder)) return false;
    if (found_ > before) return true;
    return bad(Error{ErrorCode::nothing_found, folder.string(), "no file in it that a reader knows"});
  }

  bool take_folder(const fs::path& folder) {
    std::vector<fs::path> files, folders;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().front() == '.') continue;
      std::error_code unknown;
      const bool is_folder = entry->is_directory(unknown);
      (is_folder && !entry->is_symlink(unknown) ? folders : files).push_back(entry->path());
    }
    if (error && !bad(Error{ErrorCode::file_open, folder.string(), error.message()})) return false;
    for (auto* list : {&files, &folders})
      std::sort(list->begin(), list->end(),
                [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
    Loose loose;
    for (const fs::path& file : files)
      if (!take_found(file, loose)) return false;
    if (!group(std::move(loose), folder.string())) return false;
    for (const fs::path& inner : folders)
      if (!take_folder(inner)) return false;
    return true;
  }

  // What stands in a folder and is no folder itself.
  bool take_found(const fs::path& path, Loose& loose) {
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::is_directory(status)) return pass_over(path, "a link to a folder");  // it may lead back here
    if (!is_special(status)) return take_file(path, loose, true);
    if (has_known_extension(path)) return bad(Error{ErrorCode::file_open, path.string(), "not a regular file"});
    return pass_over(path, "not a regular file");
  }

  bool pass_over(const fs::path& path, const std::string& reason) {
    handlers_.note(printable(path.string()) + ": passed over, " + reason);
    return true;
  }

  bool take_file(const fs::path& path, Loose& loose, bool in_folder) {
    const bool standard_input = path == "-";
    const std::string name = standard_input ? "standard input" : path.string();
    FileSink sink(name, handlers_);
    auto format = standard_input ? read_stream(name, 0, sink, options_.from) : read_file(path, sink, options_.from);
    if (handlers_.file) handlers_.file(++files_);
    found_ += sink.tensors.size() + sink.calls + sink.errors;
    if (!sink.go_on) return false;
    if (!format.ok()) {
      const Error& error = format.error();
      if (in_folder && error.code == ErrorCode::unknown_format && !has_known_extension(path))
        return pass_over(path, "no reader knows it");
      loose.unreadable.push_back(path);
      return bad(error);
    }
    if (sink.tensors.empty())
      return sink.calls + sink.errors > 0 || bad(Error{ErrorCode::nothing_found, name, "read as " + *format});
    // A call without one of its tensors would teach what is not so.
    if (sink.errors > 0) return pass_over(path, "not all of its tensors can be read");
    if (sink.tensors.size() == 1 && sink.tensors[0].name.empty()) {
      loose.files.push_back({path.stem().string(), name, std::move(sink.tensors[0])});
      return true;
    }
    auto call = call_of_tensors(std::move(sink.tensors));
    if (!call.ok()) return bad(within(std::move(call).error(), name, ":"));
    handlers_.call(*call, name);
    return true;
  }

  bool group(Loose loose, const std::string& folder) {
    if (loose.files.empty()) return true;
    const Grouping grouping = options_.files == IngestOptions::Files::tensors ? Grouping::one_call
                              : options_.files == IngestOptions::Files::calls ? Grouping::call_per_file
                                                                              : Grouping::automatic;
    // Only a file of their kind would have been one of them.
    std::set<fs::path> extensions;
    for (const TensorFile& file : loose.files) extensions.insert(fs::path(file.path).extension());
    std::vector<std::string> unreadable;
    for (const fs::path& path : loose.unreadable)
      if (extensions.contains(path.extension())) unreadable.push_back(path.stem().string());
    const Grouped grouped = group_files(std::move(loose.files), unreadable, folder, grouping);
    handlers_.note(printable(grouped.note));
    for (const Error& error : grouped.errors)
      if (!bad(error)) return false;
    for (const GroupedCall& call : grouped.calls) handlers_.call(call.call, call.origin);
    return true;
  }

  const IngestOptions& options_;
  const IngestHandlers& handlers_;
  std::uint64_t files_ = 0;
  std::uint64_t found_ = 0;  // tensors, calls and errors of all paths so far
};

}  // namespace

bool ingest(const std::vector<std::string>& paths, const IngestOptions& options, const IngestHandlers& handlers) {
  return Ingest(options, handlers).run(paths);
}

}  // namespace tensorspec
