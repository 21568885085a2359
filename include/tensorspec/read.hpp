// SPDX-License-Identifier: Apache-2.0
//
// Reading files: which tensors, or which calls, a file holds. Only headers are read, never the elements; the cost does
// not grow with the tensors' bytes. Contents decide the format, not the extension.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/declared.hpp"

namespace tensorspec {

// Receives what a reader finds. Called from the reading thread, in file order.
class ReadSink {
 public:
  virtual ~ReadSink() = default;
  // One tensor of the file: the array of an .npy file (its name is empty), a member of an archive.
  virtual void tensor(TensorInfo tensor) = 0;
  // One whole call and its line or number, from 1 (0: the file is one); the reference is valid during the call only.
  virtual void call(const Call& call, std::uint64_t line) = 0;
  // The inputs and outputs that a model file declares; it holds no call. Whoever looks for calls may pass it over.
  virtual void declared(const Declared& /*declared*/) {}
  // A part of the file is bad; `where` begins with the file's name. Return true to go on with the rest, false to stop.
  virtual bool bad(const Error& error) = 0;
};

// What is known of a format before it is opened.
struct FormatInfo {
  std::string_view id;             // the word for --from: "npy"
  std::string_view title;          // "NumPy array file"
  std::string_view specification;  // document and version the reader follows
  std::string_view extensions;     // space-separated, with dots; contents decide, these only help messages
  bool without_batch = false;      // its shapes are those of one request: no axis is the batch
};
const std::vector<FormatInfo>& formats();

// Reads `path` (or the bytes, called `name` in messages). `from` names the format and leaves out the guess; empty: by
// content; "lengths:a,b" names columns too. Returns the id of the format. Errors: file_open, file_read, unknown_format,
// ambiguous_format (both say what was tried), and the reader's own when nothing is of use. A file with bad parts
// is no error here: those parts went to sink.bad.
Result<std::string> read_file(const std::filesystem::path& path, ReadSink& sink, std::string_view from = {});
Result<std::string> read_bytes(std::string_view name, std::span<const std::byte> bytes, ReadSink& sink,
                               std::string_view from = {});
// Reads a stream that cannot be sought (a pipe, standard input) from its start; formats that need to seek are held in
// memory, 1 GiB at most.
Result<std::string> read_stream(std::string_view name, int file_descriptor, ReadSink& sink, std::string_view from = {});

// What a model file declares. Errors: those of read_file, and nothing_declared (a file of another kind).
Result<Declared> read_declared(const std::filesystem::path& path, std::string_view from = {});
// A contract file, or the contract that a model file declares. Errors: those of Contract::load, read_declared and
// contract_of.
Result<DeclaredContract> read_contract(const std::filesystem::path& path);

}  // namespace tensorspec
