// SPDX-License-Identifier: Apache-2.0
//
// A sink that keeps what a reader gives.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/read.hpp"

namespace tensorspec::tests {

struct Collector final : ReadSink {
  std::vector<TensorInfo> tensors;
  std::vector<Call> calls;
  std::vector<Declared> declarations;
  std::vector<Error> errors;
  std::size_t stop_after = SIZE_MAX;  // bad parts

  void tensor(TensorInfo tensor) override { tensors.push_back(std::move(tensor)); }
  void call(const Call& call, std::uint64_t /*line*/) override { calls.push_back(call); }
  void declared(const Declared& found) override { declarations.push_back(found); }
  bool bad(const Error& error) override {
    errors.push_back(error);
    return errors.size() < stop_after;
  }
};

inline Result<std::string> read(std::string_view bytes, ReadSink& sink, std::string_view from = {},
                                std::string_view name = "x") {
  return read_bytes(name, std::as_bytes(std::span(bytes)), sink, from);
}

// "npy_header x@0x0a: detail", the form in which tests name an error.
inline std::string described(const Error& error) {
  return std::string(error_name(error.code)) + " " + error.where + ": " + error.detail;
}

// "name float32[2,3]"
inline std::string described(const TensorInfo& tensor) {
  std::string out = tensor.name + (tensor.name.empty() ? "" : " ") + std::string(tensor.dtype.name()) + "[";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) out += (i ? "," : "") + std::to_string(tensor.shape[i]);
  return out + "]";
}

// "name float32[batch,3,?]", with a range "batch 1..8", or "name sequence(float32)" of what has no shape
inline std::string described(const DeclaredTensor& tensor) {
  std::string out = tensor.name + " " + std::string(tensor.dtype.name());
  if (!tensor.shape) return out;
  out += "[";
  for (std::size_t i = 0; i < tensor.shape->size(); ++i) {
    const DeclaredDim& dim = (*tensor.shape)[i];
    out += (i ? "," : "") + (dim.size ? std::to_string(*dim.size) : dim.text.empty() ? "?" : dim.text);
    if (dim.min || dim.max)
      out += " " + (dim.min ? std::to_string(*dim.min) : "") + ".." + (dim.max ? std::to_string(*dim.max) : "");
  }
  return out + "]";
}

// What a reader says of the bytes, one item a line: tensors, what is declared, bad parts after "bad ", or one error.
inline std::string outcome(std::string_view bytes, std::string_view from = {}, std::string_view name = "x") {
  Collector sink;
  const auto format = read(bytes, sink, from, name);
  if (!format.ok()) return described(format.error());
  std::string out;
  for (const TensorInfo& tensor : sink.tensors) out += (out.empty() ? "" : "\n") + described(tensor);
  for (const Declared& found : sink.declarations) {
    for (const DeclaredTensor& tensor : found.inputs) out += (out.empty() ? "in " : "\nin ") + described(tensor);
    for (const DeclaredTensor& tensor : found.outputs) out += (out.empty() ? "out " : "\nout ") + described(tensor);
    for (const std::string& note : found.notes) out += (out.empty() ? "note " : "\nnote ") + note;
  }
  for (const Error& error : sink.errors) out += (out.empty() ? "bad " : "\nbad ") + described(error);
  return out;
}

// "x float32[2]; y int64[]; -> z float32[2]; ": inputs, then outputs if there are any.
inline std::string described(const Call& call) {
  std::string out;
  for (const TensorInfo& tensor : call.inputs) out += described(tensor) + "; ";
  if (!call.outputs.empty()) out += "-> ";
  for (const TensorInfo& tensor : call.outputs) out += described(tensor) + "; ";
  return out;
}

// What a reader of calls says of the bytes: a call a line, bad parts after "bad ", or one error.
inline std::string calls_of(std::string_view bytes, std::string_view from = {}) {
  Collector sink;
  const auto format = read(bytes, sink, from);
  if (!format.ok()) return described(format.error());
  std::string out;
  for (const Call& call : sink.calls) out += (out.empty() ? "" : "\n") + described(call);
  for (const Error& error : sink.errors) out += (out.empty() ? "bad " : "\nbad ") + described(error);
  return out;
}

// An .npy file with this header text; version 1.0, 2.0 or 3.0, and the header's own length unless another is given.
inline std::string npy(std::string_view header, int version = 1, std::int64_t length = -1) {
  const auto size = static_cast<std::uint64_t>(length < 0 ? static_cast<std::int64_t>(header.size()) : length);
  std::string out("\x93NUMPY", 6);
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(size >> (8 * i) & 255);
  return out.append(header);
}

inline std::string npy_of(std::string_view descr, std::string_view shape) {
  return npy("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + std::string(shape) +
             ", }\n");
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace tensorspec::tests
