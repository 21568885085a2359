// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/ingest.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "base/try.hpp"
#include "observe/group.hpp"
#include "read/reader.hpp"
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
    if (line > 0) origin_ += ":" + std::to_string(line);
    handlers_.call(call, origin_);
  }
  void declared(const Declared& found) override { model = found; }
  bool bad(const Error& error) override {
    ++errors;
    return go_on = handlers_.bad(error);
  }

  std::vector<TensorInfo> tensors;
  std::optional<Declared> model;
  std::uint64_t calls = 0, errors = 0;
  bool go_on = true;

 private:
  std::string file_, origin_;
  const IngestHandlers& handlers_;
};

bool has_known_extension(const fs::path& path) {
  // Files of these may be of anything.
  static constexpr std::string_view kCommon[] = {"", ".json", ".csv", ".tsv"};
  const std::string extension = path.extension().string();
  if (std::find(std::begin(kCommon), std::end(kCommon), extension) != std::end(kCommon)) return false;
  return std::any_of(formats().begin(), formats().end(),
                     [&](const FormatInfo& format) { return lists_extension(format.extensions, extension); });
}

// A model and what it calls its inputs and outputs.
struct Model {
  std::string path;
  std::vector<ValueName> inputs, outputs;
  Declared declared;
};

Model model_of(std::string path, const Declared& declared) {
  const auto names = [](const std::vector<DeclaredTensor>& tensors) {
    std::vector<ValueName> out;
    for (const DeclaredTensor& tensor : tensors)
      out.push_back({tensor.name, tensor.dtype.name().find("sequence(") != std::string_view::npos});
    return out;
  };
  return {std::move(path), names(declared.inputs), names(declared.outputs), declared};
}

// The model in the folder that holds `folder`: model.onnx, or the only .onnx file there.
std::optional<Model> model_above(const fs::path& folder) {
  std::error_code error;
  const fs::path parent = fs::weakly_canonical(folder, error).parent_path();
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->path().extension() == ".onnx" && entry->is_regular_file(unknown)) found.push_back(entry->path());
  }
  for (const fs::path& path : found)
    if (found.size() == 1 || path.filename() == "model.onnx")
      if (const auto declared = read_declared(path); declared.ok()) return model_of(path.string(), *declared);
  return std::nullopt;
}

// What the files beside each other give that is no call yet.
struct Parts {
  struct Unreadable {
    fs::path path;
    std::string side;                                                 // the beginning of its tensors' names
    std::string stem() const { return side + path.stem().string(); }  // as that of a TensorFile
  };
  std::vector<TensorFile> files;  // of one tensor
  // Of calls, by stem: files of several tensors in a side.
  std::map<std::string, std::vector<TensorInfo>, decltype(&natural_less)> halves{&natural_less};
  std::vector<ValueFile> values;  // ONNX test data
  std::vector<Model> models;
  std::vector<Unreadable> unreadable;  // files that could not be read
};

// The side of a call that the files of such a folder hold, as the beginning of a name; empty: neither.
std::string side_of_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name == "inputs" || name == "input") return "inputs/";
  if (name == "outputs" || name == "output") return "outputs/";
  return {};
}

// What a pattern fits, in natural order, and the folders on its way that could not be looked into.
struct Expanded {
  std::vector<std::string> names;
  std::vector<Error> errors;
};
Expanded expand(const std::string& pattern) {
  // glob(3) hands its callback nothing of ours.
  static thread_local std::vector<Error> errors;
  errors.clear();
  const auto unreadable = [](const char* folder, int code) {
    errors.push_back(Error{ErrorCode::file_open, folder, std::generic_category().message(code)});
    return 0;
  };
  glob_t found{};
  Expanded out;
  if (::glob(pattern.c_str(), 0, unreadable, &found) == 0)
    out.names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  out.errors.swap(errors);
  std::sort(out.names.begin(), out.names.end(), natural_less);
  return out;
}

// Reading a pipe that was found, not named, would wait for whoever never writes to it; a device may have no end.
bool is_special(fs::file_status status) { return fs::exists(status) && fs::is_other(status); }

class Ingest {
 public:
  Ingest(const IngestOptions& options, const IngestHandlers& handlers) : options_(options), handlers_(handlers) {}

  bool run(const std::vector<std::string>& paths) {
    Parts parts;  // of files that were named one by one
    for (const std::string& path : paths)
      if (!take(path, parts)) return false;
    return group(std::move(parts.files), parts.unreadable, "arguments");
  }

 private:
  bool bad(const Error& error) {
    ++found_;
    return handlers_.bad(error);
  }

  bool take(const std::string& path, Parts& parts) {
    std::error_code error;
    const fs::file_status status = path == "-" ? fs::file_status() : fs::status(path, error);
    if (path != "-" && fs::is_directory(status)) return take_named_folder(path);
    if (path == "-" || fs::exists(status)) return take_file(path, parts, false);
    if (path.find_first_of("*?[") != std::string::npos) return take_glob(path, parts);
    return bad(Error{ErrorCode::file_open, path, error.message()});
  }

  bool take_glob(const std::string& pattern, Parts& parts) {
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
                                                    : take_file(name, parts, false);
      if (!go_on) return false;
    }
    return true;
  }

  // A folder that was named must give something.
  bool take_named_folder(const fs::path& folder) {
    const std::uint64_t before = found_;
    if (!take_folder(folder, nullptr)) return false;
    if (found_ > before) return true;
    return bad(Error{ErrorCode::nothing_found, folder.string(), "no file in it that a reader knows"});
  }

  // What a folder holds, in natural order. False: stopped.
  bool list(const fs::path& folder, std::vector<fs::path>& files, std::vector<fs::path>& folders) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().front() == '.') continue;
      std::error_code unknown;
      const bool is_folder = entry->is_directory(unknown);
      (is_folder && !entry->is_symlink(unknown) ? folders : files).push_back(entry->path());
    }
    if (error && !bad(Error{ErrorCode::file_open, folder.string(), error.message()})) return false;
    for (auto* all : {&files, &folders})
      std::sort(all->begin(), all->end(),
                [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
    return true;
  }

  // `above` is the model of a folder that holds this one.
  bool take_folder(const fs::path& folder, const Model* above) {
    std::vector<fs::path> files, folders, sides;
    if (!list(folder, files, folders)) return false;
    Parts parts;
    for (const fs::path& file : files)
      if (!take_found(file, parts)) return false;
    if (parts.models.size() == 1) above = parts.models.data();
    // inputs/ beside outputs/: what is in them are the two sides of the same calls.
    const auto has = [&](const char* side) {
      return std::any_of(folders.begin(), folders.end(), [&](const fs::path& f) { return side_of_folder(f) == side; });
    };
    if (has("inputs/") && has("outputs/")) {
      const auto rest = std::stable_partition(folders.begin(), folders.end(),
                                              [](const fs::path& inner) { return !side_of_folder(inner).empty(); });
      sides.assign(folders.begin(), rest);
      folders.erase(folders.begin(), rest);
    }
    for (const fs::path& side : sides)
      if (!take_side(side, parts, folders)) return false;
    if (!group(std::move(parts.files), parts.unreadable, folder.string())) return false;
    if (!pair_halves(parts, folder)) return false;
    if (!group_values(std::move(parts.values), parts.unreadable, folder, above)) return false;
    for (const fs::path& inner : folders)
      if (!take_folder(inner, above)) return false;
    return true;
  }

  // The folders in it are looked into by themselves.
  bool take_side(const fs::path& folder, Parts& parts, std::vector<fs::path>& folders) {
    std::vector<fs::path> files;
    if (!list(folder, files, folders)) return false;
    side_ = side_of_folder(folder);
    const bool go_on =
        std::all_of(files.begin(), files.end(), [&](const fs::path& file) { return take_found(file, parts); });
    side_.clear();
    return go_on;
  }

  bool pair_halves(Parts& parts, const fs::path& folder) {
    for (const Parts::Unreadable& file : parts.unreadable)
      if (!file.side.empty()) parts.halves.erase(file.path.stem().string());
    for (auto& [stem, tensors] : parts.halves) {
      const std::string origin = (folder / stem).string();
      if (std::none_of(tensors.begin(), tensors.end(),
                       [](const TensorInfo& tensor) { return names_an_input(tensor.name); })) {
        pass_over(origin, "outputs without inputs");
        continue;
      }
      auto call = call_of_tensors(std::move(tensors));
      if (call.ok()) handlers_.call(*call, origin);
      else if (!bad(within(std::move(call).error(), origin, ":"))) return false;
    }
    return true;
  }

  // What stands in a folder and is no folder itself.
  bool take_found(const fs::path& path, Parts& parts) {
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::is_directory(status)) return pass_over(path, "a link to a folder");  // it may lead back here
    if (!is_special(status)) return take_file(path, parts, true);
    if (has_known_extension(path)) return bad(Error{ErrorCode::file_open, path.string(), "not a regular file"});
    return pass_over(path, "not a regular file");
  }

  bool pass_over(const fs::path& path, const std::string& reason) {
    handlers_.note(printable(path.string()) + ": passed over, " + reason);
    return true;
  }

  bool take_file(const fs::path& path, Parts& parts, bool in_folder) {
    const bool standard_input = path == "-";
    const std::string name = standard_input ? "standard input" : path.string();
    FileSink sink(name, handlers_);
    auto format = standard_input ? read_stream(name, 0, sink, options_.from) : read_file(path, sink, options_.from);
    if (handlers_.file) handlers_.file(++files_);
    if (handlers_.format && format.ok()) handlers_.format(*format);
    found_ += sink.tensors.size() + sink.calls + sink.errors;
    if (!sink.go_on) return false;
    if (!format.ok()) {
      const Error& error = format.error();
      if (in_folder && error.code == ErrorCode::unknown_format && !has_known_extension(path))
        return pass_over(path, "no reader knows it");
      parts.unreadable.push_back({path, side_});
      return bad(error);
    }
    if (sink.model && handlers_.declared) handlers_.declared(*sink.model, name);
    if (sink.model && sink.calls == 0 && sink.errors == 0) return take_model(name, *sink.model, parts);
    const bool onnx = *format == "onnx_tensor";
    if (auto value = onnx && in_folder ? value_file(path.stem().string()) : std::nullopt)
      return take_value(*std::move(value), path, std::move(sink), parts);
    if (sink.tensors.empty())
      return sink.calls + sink.errors > 0 || bad(Error{ErrorCode::nothing_found, name, "read as " + *format});
    // A call without one of its tensors would teach what is not so.
    if (sink.errors > 0) {
      if (!side_.empty()) parts.unreadable.push_back({path, side_});
      return pass_over(path, "not all of its tensors can be read");
    }
    for (TensorInfo& tensor : sink.tensors)
      if (!tensor.name.empty()) tensor.name.insert(0, side_);
    if (sink.tensors.size() == 1 && (onnx || sink.tensors[0].name.empty())) {
      parts.files.push_back({side_ + path.stem().string(), name, std::move(sink.tensors[0])});
      return true;
    }
    if (!side_.empty()) {
      auto& half = parts.halves[path.stem().string()];
      half.insert(half.end(), sink.tensors.begin(), sink.tensors.end());
      return true;
    }
    auto call = call_of_tensors(std::move(sink.tensors));
    if (!call.ok()) return bad(within(std::move(call).error(), name, ":"));
    handlers_.call(*call, name);
    return true;
  }

  bool take_model(const std::string& name, const Declared& declared, Parts& parts) {
    ++found_;
    handlers_.note(printable(name) + ": a model, which declares " + counted(declared.inputs.size(), "input") + " and " +
                   counted(declared.outputs.size(), "output") + " and holds no call");
    parts.models.push_back(model_of(name, declared));
    return true;
  }

  // An empty sequence or optional is a value too.
  bool take_value(ValueFile value, const fs::path& path, FileSink sink, Parts& parts) {
    ++found_;
    value.path = path.string();
    value.tensors = std::move(sink.tensors);
    if (sink.errors > 0) parts.unreadable.push_back({path, side_});
    else parts.values.push_back(std::move(value));
    return true;
  }

  bool group(std::vector<TensorFile> files, const std::vector<Parts::Unreadable>& unreadable_files,
             const std::string& folder) {
    if (files.empty()) return true;
    const Grouping grouping = options_.files == IngestOptions::Files::tensors ? Grouping::one_call
                              : options_.files == IngestOptions::Files::calls ? Grouping::call_per_file
                                                                              : Grouping::automatic;
    // Only a file of their kind would have been one of them.
    std::set<fs::path> extensions;
    for (const TensorFile& file : files) extensions.insert(fs::path(file.path).extension());
    std::vector<std::string> unreadable;
    for (const Parts::Unreadable& file : unreadable_files)
      if (extensions.contains(file.path.extension())) unreadable.push_back(file.stem());
    const Grouped grouped = group_files(std::move(files), unreadable, folder, grouping);
    handlers_.note(printable(grouped.note));
    for (const Error& error : grouped.errors)
      if (!bad(error)) return false;
    for (const GroupedCall& call : grouped.calls) handlers_.call(call.call, call.origin);
    return true;
  }

  bool group_values(std::vector<ValueFile> files, const std::vector<Parts::Unreadable>& unreadable,
                    const fs::path& folder, const Model* model) {
    if (files.empty()) return true;
    for (const Parts::Unreadable& file : unreadable)
      if (value_file(file.path.stem().string()))
        return pass_over(folder, "not all values of its call can be read: " + file.path.filename().string());
    std::optional<Model> found;
    if (!model && (found = model_above(folder))) {
      model = &*found;
      if (handlers_.declared) handlers_.declared(found->declared, found->path);
    }
    if (!std::exchange(told_of_values_, true))
      handlers_.note(printable(folder.string()) + ": ONNX test data, a call a folder; names are those of " +
                     (model ? printable(model->path) : "the files, since no model lies beside"));
    static const std::vector<ValueName> kNone;
    auto call = call_of_values(std::move(files), model ? model->inputs : kNone, model ? model->outputs : kNone);
    if (!call.ok()) return bad(within(std::move(call).error(), folder.string(), ":"));
    handlers_.call(*call, folder.string());
    return true;
  }

  const IngestOptions& options_;
  const IngestHandlers& handlers_;
  std::uint64_t files_ = 0;
  std::uint64_t found_ = 0;  // tensors, calls, models and errors of all paths so far
  bool told_of_values_ = false;
  std::string side_;  // while the folder of one side is read: the beginning of its tensors' names
};

}  // namespace

bool ingest(const std::vector<std::string>& paths, const IngestOptions& options, const IngestHandlers& handlers) {
  return Ingest(options, handlers).run(paths);
}

}  // namespace tensorspec
