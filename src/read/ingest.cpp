// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/ingest.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>

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
    origin_ = file_;
    origin_ += ":" + std::to_string(line);
    handlers_.call(call, origin_);
  }
  bool bad(const Error& error) override { return go_on = handlers_.bad(error); }

  std::vector<TensorInfo> tensors;
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

class Ingest {
 public:
  Ingest(const IngestOptions& options, const IngestHandlers& handlers) : options_(options), handlers_(handlers) {}

  bool run(const std::vector<std::string>& paths) {
    std::vector<TensorFile> loose;  // files of one tensor that were named one by one
    for (const std::string& path : paths)
      if (!take(path, loose)) return false;
    return group(std::move(loose), "arguments");
  }

 private:
  bool take(const std::string& path, std::vector<TensorFile>& loose) {
    std::error_code error;
    if (path == "-") return take_file(path, loose, false);
    if (fs::is_directory(path, error)) return take_folder(path);
    if (fs::exists(path, error)) return take_file(path, loose, false);
    if (path.find_first_of("*?[") == std::string::npos)
      return handlers_.bad(Error{ErrorCode::file_open, path, "no such file or folder"});
    return take_glob(path, loose);
  }

  bool take_glob(const std::string& pattern, std::vector<TensorFile>& loose) {
    glob_t found{};
    std::vector<std::string> names;
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (names.empty()) return handlers_.bad(Error{ErrorCode::file_open, pattern, "no file fits the pattern"});
    std::sort(names.begin(), names.end(), natural_less);
    std::error_code error;
    for (const std::string& name : names)
      if (!(fs::is_directory(name, error) ? take_folder(name) : take_file(name, loose, false))) return false;
    return true;
  }

  bool take_folder(const fs::path& folder) {
    std::vector<fs::path> files, folders;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().front() == '.') continue;
      std::error_code unknown;
      // Links to folders are not followed: they may lead back here.
      if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) folders.push_back(entry->path());
      else if (!entry->is_directory(unknown)) files.push_back(entry->path());
    }
    if (error) return handlers_.bad(Error{ErrorCode::file_open, folder.string(), error.message()});
    for (auto* list : {&files, &folders})
      std::sort(list->begin(), list->end(),
                [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
    std::vector<TensorFile> loose;
    for (const fs::path& file : files)
      if (!take_file(file, loose, true)) return false;
    if (!group(std::move(loose), folder.string())) return false;
    for (const fs::path& inner : folders)
      if (!take_folder(inner)) return false;
    return true;
  }

  bool take_file(const fs::path& path, std::vector<TensorFile>& loose, bool in_folder) {
    const bool standard_input = path == "-";
    const std::string name = standard_input ? "standard input" : path.string();
    FileSink sink(name, handlers_);
    auto format = standard_input ? read_stream(name, 0, sink, options_.from) : read_file(path, sink, options_.from);
    if (handlers_.file) handlers_.file(++files_);
    if (!sink.go_on) return false;
    if (!format.ok()) {
      const Error& error = format.error();
      if (in_folder && error.code == ErrorCode::unknown_format && !has_known_extension(path)) {
        handlers_.note(printable(name) + ": passed over, no reader knows it");
        return true;
      }
      return handlers_.bad(error);
    }
    if (sink.tensors.empty()) return true;
    if (sink.tensors.size() == 1 && sink.tensors[0].name.empty()) {
      loose.push_back({path.stem().string(), name, std::move(sink.tensors[0])});
      return true;
    }
    auto call = call_of_tensors(std::move(sink.tensors));
    if (!call.ok()) return handlers_.bad(within(std::move(call).error(), name, ":"));
    handlers_.call(*call, name);
    return true;
  }

  bool group(std::vector<TensorFile> files, const std::string& folder) {
    if (files.empty()) return true;
    const Grouping grouping = options_.files == IngestOptions::Files::tensors ? Grouping::one_call
                              : options_.files == IngestOptions::Files::calls ? Grouping::call_per_file
                                                                              : Grouping::automatic;
    auto grouped = group_files(std::move(files), folder, grouping);
    if (!grouped.ok()) return handlers_.bad(within(std::move(grouped).error(), folder, ":"));
    handlers_.note(printable(grouped->note));
    for (const GroupedCall& call : grouped->calls) handlers_.call(call.call, call.origin);
    return true;
  }

  const IngestOptions& options_;
  const IngestHandlers& handlers_;
  std::uint64_t files_ = 0;
};

}  // namespace

bool ingest(const std::vector<std::string>& paths, const IngestOptions& options, const IngestHandlers& handlers) {
  return Ingest(options, handlers).run(paths);
}

}  // namespace tensorspec
