// SPDX-License-Identifier: Apache-2.0
//
// Contract: what a model's tensors look like, per variant: dims over symbols, their ranges, how sure each claim is, and
// what is not known yet. Immutable; safe to share between threads.
//
// File: *.contract.json, format version 1, described by docs/contract.schema.json. Unknown fields are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/dim.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

// A named varying size.
struct Symbol {
  // given: the batch size that came with calls; inferred: taken for the batch without being told; observed: an axis
  // that varied; declared: stated by a person or a model file; unknown: stands for an axis of which nothing is said.
  enum class Source : std::uint8_t { given, inferred, observed, declared, unknown };

  std::string name;
  std::optional<std::int64_t> min, max;  // in elements; nullopt: no limit known
  std::int64_t multiple_of = 1;          // claimed: every size is residue modulo multiple_of
  std::int64_t residue = 0;
  std::int64_t seen_multiple_of = 1;    // every size seen is seen_residue modulo this, which is not claimed: 1 when
  std::int64_t seen_residue = 0;        // nothing of the kind was seen, or it is claimed
  std::uint64_t seen = 0;               // distinct sizes seen
  std::optional<std::int64_t> typical;  // the size seen most often
  Source source = Source::declared;
  bool declared = false;  // the range was stated by a person and wins over sizes seen
  std::string at;         // the first axis that shows it: "x[3]"; empty when only the batch size of a call does
  std::string unknown;    // fields of the file that this version does not know, as a JSON object; may be empty
};

struct TensorContract {
  std::string name;
  std::vector<DType> dtypes;  // those seen, by name; empty: any
  std::vector<Dim> shape;
  bool optional = false;  // an output that calls of this variant do not always have
  std::string unknown;
};

// How sure. declared: a person said so; believed: worth its length on the evidence; weak: fits, but so do others; open:
// not known.
enum class Certainty : std::uint8_t { declared, believed, weak, open };

// Why an axis has its dim.
struct Claim {
  bool output = false;
  std::string tensor;
  std::size_t axis = 0;
  Dim dim;
  Certainty certainty = Certainty::believed;
  std::uint64_t witnesses = 0;              // distinct points that show it
  std::optional<std::int64_t> margin_bits;  // bits to spare; nullopt: not weighed
  std::vector<Dim> rivals;                  // other forms that fit every call
  std::string unknown;
};

// A symbol that was never above another, which may be a rule: breaking it warns.
struct Bound {
  std::string symbol, at_most;  // names: len <= frames
  std::uint64_t witnesses = 0;  // different pairs of their sizes
  std::string unknown;
};

// Something the calls do not settle, and what would.
struct Question {
  std::string text;                // "only batch size 1 was seen"
  std::string ask;                 // "record a call with another batch size"
  std::vector<std::string> about;  // axes "x[0]" and symbols
  std::string unknown;
};

struct Variant {
  std::vector<TensorContract> inputs, outputs;  // in display order
  std::vector<Symbol> symbols;                  // batch first, then in display order
  std::optional<Dim> batch_size;                // what a batch size given with a call must be
  std::vector<Claim> claims;
  std::vector<Bound> bounds;
  std::vector<Question> questions;
  std::uint64_t calls = 0, distinct = 0;
  std::string unknown;

  const Symbol* symbol(std::string_view name) const noexcept;
};

class Contract {
 public:
  struct Data {
    std::vector<Variant> variants;
    bool no_batch = false;             // declared: no axis is the batch
    std::optional<Evidence> evidence;  // what was learned from; lets learning go on and contracts be merged
    std::string unknown;
  };

  // Symbols that a dim uses and no list has are added, without limits, as declared. Errors: contract_conflict (min >
  // max, a stride below 1 or beyond the range, a symbol or tensor twice, two variants with the same inputs),
  // rank_too_large.
  static Result<Contract> make(Data data);

  const std::vector<Variant>& variants() const noexcept { return data_.variants; }
  bool no_batch() const noexcept { return data_.no_batch; }
  const std::optional<Evidence>& evidence() const noexcept { return data_.evidence; }
  const Data& data() const noexcept { return data_; }

  // Errors: json_*, contract_format, contract_version, dim_*, and those of make and Evidence::from_json.
  static Result<Contract> from_json(std::string_view text);
  std::string to_json(bool with_evidence = true) const;

  // Errors: file_open, file_read, and those of from_json with the file in `where`.
  static Result<Contract> load(const std::filesystem::path& path);
  // Written beside the target, synced and renamed over it: a crash leaves the old file or the new. Errors: file_write.
  Status save(const std::filesystem::path& path) const;

 private:
  Data data_;
};

// "x[3]"
std::string axis_name(std::string_view tensor, std::size_t axis);
std::string_view to_string(Certainty certainty) noexcept;
std::string_view to_string(Symbol::Source source) noexcept;

}  // namespace tensorspec
