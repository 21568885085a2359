// SPDX-License-Identifier: Apache-2.0
//
// explain: from evidence to a contract. A pure function: the same evidence gives the same contract, whatever the order
// of the calls; renaming or reordering tensors changes names and order only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tensorspec/contract.hpp"

namespace tensorspec {

// What a person states; it wins over what was learned.
struct Declarations {
  // The batch is the size of this axis: "name:axis". Of an input or, failing that, an output.
  struct Axis {
    std::string tensor;
    std::size_t axis = 0;
    bool kept = false;  // from an earlier contract: no error when the axis is gone
  };
  std::optional<Axis> batch;
  // No axis is the batch: none is inferred or asked for, and batch sizes that came with the calls say nothing.
  bool no_batch = false;
  std::map<std::string, std::string> names;  // learned name of a symbol to the wanted one: s0 -> seq
  struct Range {
    std::optional<std::int64_t> min, max;
    bool kept = false;  // from an earlier contract: no error when the symbol is gone
    // The size to do best at, instead of the one seen most often.
    std::optional<std::int64_t> typical = std::nullopt;
  };
  std::map<std::string, Range> ranges;  // by symbol, after renaming
  struct Step {
    std::int64_t multiple_of = 1, residue = 0;
  };
  std::map<std::string, Step> steps;  // by symbol, after renaming
  std::map<std::string, Dim> dims;    // by axis: "mask[1]" is past+seq
  // Axes ("mask[1]") whose size is a symbol of its own, whatever forms fit. One that never varied stays fixed.
  std::set<std::string> free_axes;
  // Symbols of steps, and axes of dims, that come from an earlier contract: no error when they are gone.
  std::set<std::string> kept;
  // Names kept from an earlier contract, by axis ("x[3]"); one that no longer fits an axis is dropped.
  std::map<std::string, std::string> axis_names;
};

// What a contract holds of a person's statements: names other than the learned kind, a declared batch or none, claims
// that are declared, ranges and steps that are declared or that its evidence does not have, since a person edited them.
// Of a contract that was learned from no call, all it says.
Declarations declarations_of(const Contract& contract);

// The contract of all variants in the evidence; it holds the evidence. Errors: nothing_found (no accepted call),
// invalid_argument (a declaration names what is not there, or not a name), contract_conflict.
Result<Contract> explain(const Evidence& evidence, const Declarations& declarations = {});

}  // namespace tensorspec
