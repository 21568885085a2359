// SPDX-License-Identifier: Apache-2.0
//
// The calls behind a variant of a contract, by their inputs alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tensorspec/contract.hpp"

namespace tensorspec {

using Sizes = std::map<std::string, std::int64_t>;  // of symbols, by name

// An axis of an input of a variant.
struct InputAxis {
  std::size_t tensor = 0, axis = 0;
  const Dim* dim = nullptr;
};
// In display order. The variant must outlive them.
std::vector<InputAxis> input_axes(const Variant& variant);

struct SeenCall {
  std::vector<std::int64_t> extents;  // in the order of input_axes
  std::optional<std::int64_t> batch_size;
  friend bool operator==(const SeenCall&, const SeenCall&) = default;
};

struct SeenCalls {
  std::vector<SeenCall> accepted, rejected;  // distinct, those that the samples hold
};
// Empty without evidence.
SeenCalls seen_calls(const Contract& contract, const Variant& variant);

// The sizes of symbols that the inputs and the batch size tell: where the dim is k*s+c.
Sizes sizes_in(const Variant& variant, const std::vector<InputAxis>& axes, const SeenCall& call);

std::optional<std::int64_t> evaluate(const Dim& dim, const Sizes& sizes);

}  // namespace tensorspec
