// SPDX-License-Identifier: Apache-2.0
//
// diff: what one contract accepts and another does not. By meaning, not by text: names of symbols play no part, and
// relations, ranges and steps all count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {

// What the new contract accepts beside the old one: as much; more; less; more here and less there.
enum class Change : std::uint8_t { equal, wider, narrower, broken };

// A call that one of two contracts accepts and the other refuses.
struct Witness {
  Call call;         // about an input: without outputs; about an output: with all of them. Unknown dtype: any
  std::string text;  // what it shows: "1201", "7 beside ids axis 1 = 4", "float16"
};

// Sizes of an axis, in elements, as far as they are min, min + multiple_of, ..., max; nullopt: no limit known.
struct SizeRange {
  std::optional<std::int64_t> min, max;
  std::int64_t multiple_of = 1, residue = 0;

  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

// One thing that two variants say, compared.
struct Difference {
  // presence: whether the tensor is there always, at times or never; batch_size: the batch size given with a call.
  enum class What : std::uint8_t { axis, batch_size, dtype, rank, presence };
  What what = What::axis;
  bool output = false;
  std::string tensor;    // empty for the batch size
  std::size_t axis = 0;  // of `axis` alone
  Change change = Change::equal;
  bool proved = true;        // false: there may be calls that make it narrower, wider or broken, but none was found
  std::string older, newer;  // "past+seq", "float16|float32", "absent"
  std::optional<SizeRange> older_sizes, newer_sizes;  // of `axis` and `batch_size`
  std::optional<Witness> lost;    // narrower, broken: a call that the old contract accepts and the new one refuses
  std::optional<Witness> gained;  // wider, broken: the other way round
};

struct VariantDifference {
  std::optional<std::size_t> older, newer;  // indices in the contracts; nullopt: that one has no such variant
  std::vector<std::string> inputs;          // names, those of the old variant if there is one
  Change change = Change::equal;
  bool proved = true;
  std::vector<Difference> differences;  // every axis that both have; of all else what is not equal
  std::optional<Witness> witness;       // of a variant that only one contract has
  std::vector<std::string> notes;       // what changes no verdict: certainty, what only one contract speaks of
};

struct ContractDifference {
  Change change = Change::equal;
  bool proved = true;
  std::vector<VariantDifference> variants;  // in the order of the old contract, then those it does not have

  // Something is accepted no longer.
  bool lost() const noexcept { return change == Change::narrower || change == Change::broken; }
};

// Variants are matched by their inputs. An axis is compared alone and beside the axes before it: inputs, the batch
// size, outputs, in the old contract's order. So a relation that is lost or new is told of its last axis. `lost` and
// `gained` are never guessed: a call shows them. Where both contracts list tensors in one order, diff(b, a) is the
// mirror image of diff(a, b). At worst some tenths of a second for each pair of dims that differ.
ContractDifference diff(const Contract& older, const Contract& newer);

std::string_view to_string(Change change) noexcept;
std::string_view to_string(Difference::What what) noexcept;

}  // namespace tensorspec
