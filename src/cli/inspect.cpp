// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/paths.hpp"
#include "report/table.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  FormatArguments format;
  bool json = false, quiet = false;
};

// What a file holds: its tensors; of a recording the tensors of the first call; of a model its inputs and outputs.
class Inspection final : public ReadSink {
 public:
  void tensor(TensorInfo tensor) override { add("", tensor); }
  void call(const Call& call, std::uint64_t) override {
    if (calls++ > 0) return;
    tensors.clear();  // what was declared of them
    for (const TensorInfo& tensor : call.inputs) add("input", tensor);
    for (const TensorInfo& tensor : call.outputs) add("output", tensor);
  }
  void declared(const Declared& found) override {
    for (const DeclaredTensor& tensor : found.inputs) tensors.push_back({"input", tensor});
    for (const DeclaredTensor& tensor : found.outputs) tensors.push_back({"output", tensor});
  }
  bool bad(const Error& error) override {
    errors.push_back(error);
    return true;
  }

  struct Found {
    std::string side;
    DeclaredTensor tensor;
  };
  std::vector<Found> tensors;
  std::vector<Error> errors;
  std::uint64_t calls = 0;

 private:
  void add(const char* side, const TensorInfo& tensor) {
    DeclaredTensor found{.name = tensor.name, .dtype = tensor.dtype, .shape = std::vector<DeclaredDim>()};
    for (const std::int64_t extent : tensor.shape) found.shape->push_back({.size = extent, .text = {}});
    tensors.push_back({side, std::move(found)});
  }
};

// A number, the text of the file, or null where nothing is said.
Json dim_json(const DeclaredDim& dim) {
  if (dim.size) return *dim.size;
  return dim.text.empty() ? Json() : Json(dim.text);
}

std::string shape_text(const DeclaredTensor& tensor) {
  if (!tensor.shape) return "";
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : *tensor.shape)
    dims.push_back(dim.size ? std::to_string(*dim.size) : dim.text.empty() ? "?" : printable(dim.text));
  return "[" + join(dims, ", ") + "]";
}

void print_json(const std::string& file, const std::string& format, const Inspection& found) {
  Json line = Json().add("file", file).add("format", format);
  if (found.calls > 0) line.add("calls", found.calls);
  Json::Array tensors, errors;
  for (const auto& [side, tensor] : found.tensors) {
    Json entry = Json().add("name", tensor.name).add("dtype", tensor.dtype.name());
    Json::Array shape;
    if (tensor.shape)
      for (const DeclaredDim& dim : *tensor.shape) shape.push_back(dim_json(dim));
    entry.add("shape", tensor.shape ? Json(std::move(shape)) : Json());
    if (!side.empty()) entry.add("side", side);
    tensors.push_back(std::move(entry));
  }
  line.add("tensors", std::move(tensors));
  for (const Error& error : found.errors) errors.push_back(error_json(error));
  if (!errors.empty()) line.add("errors", std::move(errors));
  print(line.dump() + "\n");
}

void print_table(const std::string& file, const std::string& format, const Inspection& found) {
  std::string title = printable(file) + ": " + format;
  if (found.calls > 0)
    title += ", " + std::to_string(found.calls) + (found.calls == 1 ? " call" : " calls, the first:");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [side, tensor] : found.tensors) {
    rows.push_back({side, printable(tensor.name), printable(tensor.dtype.name()), shape_text(tensor)});
    if (side.empty()) rows.back().erase(rows.back().begin());
  }
  print(title + "\n" + align(rows, "  "));
}

int run(const Arguments& arguments) {
  int code = kDone;
  const std::string from = arguments.format.from();
  for (const std::string& file : arguments.files) {
    Inspection found;
    const auto format = file == "-" ? read_stream("standard input", 0, found, from) : read_file(file, found, from);
    if (!format.ok()) {
      code = kNo;
      if (arguments.json) print(Json().add("file", file).add("error", error_json(format.error())).dump() + "\n");
      else print_error(format.error());
      continue;
    }
    if (arguments.json) print_json(file, *format, found);
    else if (!arguments.quiet) print_table(file, *format, found);
    for (const Error& error : found.errors) {
      code = kNo;
      if (!arguments.json) print_error(error);
    }
  }
  return code;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positionals("FILE", arguments->files, "Files of any format a reader knows, or - for standard input");
  arguments->format.define(options);
  options.flag("--json", arguments->json, "One JSON line a file");
  options.flag("-q,--quiet", arguments->quiet, "Only errors");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::inspect{
    .id = "inspect",
    .summary = "List the tensors of files",
    .example = "  tensorspec inspect examples/vad_npz/call_00.npz",
    .define = define,
};

}  // namespace tensorspec::cli
