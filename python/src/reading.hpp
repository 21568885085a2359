// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "tensorspec/ingest.hpp"

namespace tensorspec::python {

// The arguments of everything that reads calls from paths.
struct ReadOptions {
  // Raises TypeError and tensorspec.Error (invalid_argument).
  ReadOptions(nb::handle paths, nb::handle format, const std::string& files, nb::handle bad);

  std::vector<std::string> paths;
  IngestOptions ingest;
  nb::object bad;  // a callable, or None: the first error is raised
  std::vector<std::string> notes;
};

// Hands over every call, without the interpreter's lock; what `use` refuses is bad input too. Ctrl-C is heard between
// files and calls. Returns how many calls there were.
std::uint64_t read_calls(ReadOptions& options, const std::function<Status(const Call&, std::string_view origin)>& use);

}  // namespace tensorspec::python
