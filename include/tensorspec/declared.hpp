// SPDX-License-Identifier: Apache-2.0
//
// What a model file says of its inputs and outputs before any call: first as it says it, then as a contract. Such names
// and sizes are hints: files say `?` of two unrelated axes, keep sizes of long ago, and name one size differently in
// each tensor. Evidence may overrule them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tensorspec/contract.hpp"

namespace tensorspec {

// A size in elements, a text as the file has it ("batch", "past + seq", "?"), or neither: nothing is said. Beside a
// text or nothing, the smallest and largest size that the file allows.
struct DeclaredDim {
  std::optional<std::int64_t> size = std::nullopt;
  std::string text = {};
  std::optional<std::int64_t> min = std::nullopt, max = std::nullopt;

  friend bool operator==(const DeclaredDim&, const DeclaredDim&) = default;
};

struct DeclaredTensor {
  std::string name;
  DType dtype;  // of what is no tensor: other, spelled "sequence(float32)", "optional(sequence(float32))", "map(..)"
  std::optional<std::vector<DeclaredDim>> shape;  // nullopt: not even the number of axes is said

  friend bool operator==(const DeclaredTensor&, const DeclaredTensor&) = default;
};

// In the order of the file. Weights are no inputs, whatever the file calls them.
struct Declared {
  std::vector<DeclaredTensor> inputs, outputs;
  std::vector<std::string> notes = {};  // what else the file says of them, a line each
  bool names_only = false;              // columns of a table: names of axes, no claim that they vary or differ

  friend bool operator==(const Declared&, const Declared&) = default;
};

struct DeclaredContract {
  Contract contract;               // one variant
  std::vector<std::string> notes;  // what the file says and the contract does not, a line each
};

// The contract that the declarations make. A text that is a name becomes that symbol; an expression becomes one when
// each of its names stands alone somewhere, else it is only a name; what a symbol cannot be called is changed ("a.b" to
// a_b). Axes of which nothing is said, or a word that says nothing (`?`, `*`, `None`, -1), are symbols s0, s1, .. of
// their own, of source `unknown`. A symbol has the range that all its axes allow; ranges that exclude one another say
// nothing. What has no shape is left out. Errors: contract_conflict (a name twice), rank_too_large. O(axes log axes).
Result<DeclaredContract> contract_of(const Declared& declared);

// The names that the file gives to axes: "x[1]" is seq. They are hints, for Declarations::axis_names. Left out are
// texts that say nothing, expressions, numbers, and names such as s0, which exporters count up.
std::map<std::string, std::string> axis_names_of(const Declared& declared);

// Where a learned contract and what a file declares disagree, a line each: calls decide, the file was a hint. Sizes
// declared that varied or were others, one name of sizes that differ, several names of one size, ranks, dtypes, and
// inputs that only one of the two has.
std::vector<std::string> overruled(const Contract& learned, const Declared& declared);

}  // namespace tensorspec
