// SPDX-License-Identifier: Apache-2.0
//
// TensorInfo, Call and Signature: what one invocation of a model showed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorspec/dtype.hpp"
#include "tensorspec/result.hpp"

namespace tensorspec {

// Extents in elements, one per axis. 0 is a size like any other.
using Shape = std::vector<std::int64_t>;

inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 62;
inline constexpr std::size_t kMaxRank = 64;

// One tensor as it was seen. The name is a path: "input_ids", "args[0]", "past_key_values[3].key"; only a name, never a
// file.
struct TensorInfo {
  std::string name;
  DType dtype;
  Shape shape;

  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

// One invocation.
struct Call {
  std::optional<std::int64_t> batch_size;   // as the caller knew it; nullopt: unknown
  std::vector<TensorInfo> inputs, outputs;  // in the order of the model; no outputs: they were not recorded
  bool ok = true;                           // did the model accept it
  std::uint64_t weight = 1;                 // how often it was seen

  friend bool operator==(const Call&, const Call&) = default;
};

// Errors: invalid_extent, rank_too_large, duplicate_tensor, invalid_batch_size, invalid_argument (weight 0).
// `where` names the tensor and axis. O(tensors log tensors).
Status validate(const TensorInfo& tensor);
Status validate(const Call& call);

// A tensor of a signature: its name and how many axes it has.
struct TensorSlot {
  std::string name;
  std::size_t rank = 0;

  // Natural order of names (layers[2] before layers[10]), then rank.
  std::strong_ordering operator<=>(const TensorSlot& other) const;
  bool operator==(const TensorSlot&) const = default;
};

// The set of tensors a call has, with ranks, each list in natural order of names. Calls whose inputs differ here are
// different variants; calls that differ anywhere here have different columns.
struct Signature {
  std::vector<TensorSlot> inputs, outputs;
  bool has_batch_size = false;

  static Signature of(const Call& call);

  // Number of columns: the axes of the inputs, of the outputs, then the batch size if given.
  std::size_t columns() const noexcept;

  auto operator<=>(const Signature&) const = default;
};

}  // namespace tensorspec
