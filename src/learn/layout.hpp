// SPDX-License-Identifier: Apache-2.0
//
// Layout: what calls with the same tensors have in common, so that a call like the last ones is told by comparing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorspec/learner.hpp"

namespace tensorspec {

struct Learner::Layout {
  struct Slot {
    std::string name;
    DType dtype;
    std::size_t rank = 0;
    std::size_t column = 0;  // of its first axis in a stored row
  };

  // REQUIRES: a valid call.
  explicit Layout(const Call& call);

  // Is the call of this layout? Then its sizes are in `row`, stored order; else `row` may hold anything. Not validated.
  bool read(const Call& call, std::int64_t* row) const noexcept;
  // From the order of Columns to that in which rows are stored.
  void reorder(std::span<const std::int64_t> given, std::int64_t* row) const noexcept;
  // The way back, for messages.
  Call call_of(const std::int64_t* row, std::uint64_t weight) const;
  bool is_valid(const std::int64_t* row) const noexcept;

  void bind(State& to);
  void unbind();
  // Counts the dtypes of the calls since the last time.
  void settle() noexcept;

  // Where its calls are filed: of a call that was refused, the inputs alone.
  Signature signature;
  std::vector<Slot> slots;  // in the order of the call: inputs, then outputs
  std::size_t inputs = 0;
  bool accepted = true;
  // A stored row is that of the signature: `stored` numbers; then what is not kept of a refused call. `size` in all.
  std::size_t stored = 0, size = 0, batch_column = 0;
  bool in_order = true;   // both orders are the same
  bool promised = false;  // there are Columns of it

  // Null until its first call: a layout alone is no evidence.
  State* state = nullptr;
  RejectedCalls* rejected = nullptr;
  std::vector<std::uint64_t*> dtype_counts;  // in the state
  std::uint64_t unsettled = 0;               // weight of the calls whose dtypes are not counted there yet
};

}  // namespace tensorspec
