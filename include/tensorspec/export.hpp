// SPDX-License-Identifier: Apache-2.0
//
// Exporting: a contract in the words of an engine or a server. No dialect says all that a contract says; what one keeps
// is data, and what is lost of the contract at hand comes with every export.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorspec/contract.hpp"
#include "tensorspec/profile.hpp"

namespace tensorspec {

// What a dialect can say of the inputs, as a set of bits.
enum class Keeps : std::uint16_t {
  nothing = 0,
  minimum = 1 << 0,    // the smallest size of an axis
  maximum = 1 << 1,    // the largest
  typical = 1 << 2,    // the size to tune for
  shared = 1 << 3,     // that axes have the same size
  multiples = 1 << 4,  // k*s+c
  sums = 1 << 5,       // past+seq
  products = 1 << 6,   // products, quotients, roundings
  strides = 1 << 7,    // sizes that are multiples
  profiles = 1 << 8,   // several boxes of sizes
  dtypes = 1 << 9,
  outputs = 1 << 10,   // the shapes of outputs, as far as the above goes
  variants = 1 << 11,  // several sets of inputs in one file
};
constexpr Keeps operator|(Keeps a, Keeps b) noexcept {
  return static_cast<Keeps>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Keeps set, Keeps one) noexcept {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}
// Every single bit with its word, in the order above.
const std::vector<std::pair<Keeps, std::string_view>>& keeps_words();

struct ExporterInfo {
  std::string_view id;      // the word for --to: "trtexec"
  std::string_view engine;  // whose dialect, and from which version on
  std::string_view file;    // name of the file it writes
  std::string_view form;    // what that is: "flags of trtexec"
  std::string_view proof;   // what holds it in the tests: an engine and what that was seen to refuse, or "format only"
  Keeps keeps = Keeps::nothing;
  bool needs_model = false;  // rewrites a model file
};
const std::vector<ExporterInfo>& all_exporters();

struct ExportOptions {
  std::optional<std::size_t> variant;  // of the contract; a dialect without variants needs one where there are several
  // Of the one variant; empty: one, with the ranges of the contract and, as opt, the call seen most often.
  std::vector<Profile> profiles;
  std::string name = "model";   // of the model, where the dialect has a place for it
  std::filesystem::path model;  // the file to rewrite
};

struct Exported {
  // A piece of text or, when that is empty, the bytes [begin, end) of the model file: weights are never in memory.
  struct Piece {
    std::string text;
    std::uint64_t begin = 0, end = 0;
  };
  ExporterInfo exporter;
  std::vector<Piece> pieces;
  std::filesystem::path model;     // where pieces without text come from
  std::vector<std::string> notes;  // what is lost, what was renamed: a line each
};

// Errors: export_unknown, export_refused (with what to do instead), export_name, export_unlimited, export_no_sizes,
// profile_mismatch, invalid_argument (no such variant, a model missing), and of those that rewrite a model
// export_model, onnx_model, protobuf_malformed and those of reading it. Pure but for reading the model. Thread-safe.
Result<Exported> export_contract(const Contract& contract, std::string_view exporter,
                                 const ExportOptions& options = {});

// Gives the file to `write`, piece by piece, in constant memory. Errors: those of `write`; file_open and file_read of
// the model.
Status write_export(const Exported& exported, const std::function<Status(std::string_view bytes)>& write);
// Beside the target and renamed over it, as Contract::save(). Errors: file_write, file_open, file_read, and
// invalid_argument when the target is the model that is read.
Status save_export(const Exported& exported, const std::filesystem::path& path);

}  // namespace tensorspec
