// SPDX-License-Identifier: Apache-2.0
//
// From paths to calls: files, folders, globs and standard input, in any mix.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/declared.hpp"

namespace tensorspec {

struct IngestOptions {
  std::string from;  // as for read_file: a format's id; empty: told by content
  // Files of one tensor in a folder: tensors of one call, or a call each. automatic: told by their names (and said in a
  // note).
  enum class Files { automatic, tensors, calls } files = Files::automatic;
};

struct IngestHandlers {
  // Calls in the order of the paths; files of a folder in natural order. origin is the file, with ":line" in a
  // recording.
  std::function<void(const Call&, std::string_view origin)> call;
  // What could not be used. Return false to stop.
  std::function<bool(const Error&)> bad;
  // How something was read that could be read otherwise, and files passed over.
  std::function<void(const std::string&)> note;
  // What a model file among the paths, or beside ONNX test data, declares; may be empty. A file may come twice.
  std::function<void(const Declared&, const std::string& file)> declared = {};
  // The id of the format of each file that could be read, before what is in it is grouped.
  std::function<void(const std::string& id)> format = {};
  // After each file; for progress.
  std::function<void(std::uint64_t files)> file = {};
};

// A path is a file, a folder (with the folders in it), a glob pattern, or "-" for standard input. A path that leads
// nowhere, and a file or folder that gives nothing, goes to bad. Passed over with a note are, in a folder: files that
// no reader knows and pipes, sockets and devices, unless their extension is one of a reader's; links to folders. A call
// of which a tensor is bad is left out, with a note. Returns false when stopped by `bad`.
bool ingest(const std::vector<std::string>& paths, const IngestOptions& options, const IngestHandlers& handlers);

}  // namespace tensorspec
