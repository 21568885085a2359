// SPDX-License-Identifier: Apache-2.0
//
// The shapes of the recorded calls of a variant, for Policy::seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensorspec/evidence.hpp"

namespace tensorspec::flat {

struct FlatVariant;

class SeenShapes {
 public:
  enum class Answer : std::uint8_t { seen, not_seen, not_kept };  // not_kept: no evidence, or only a sample of it
  struct Found {
    Answer answer = Answer::not_kept;
    bool inputs = false;  // a recorded call has the same inputs
  };

  SeenShapes() = default;
  SeenShapes(const FlatVariant& variant, const Evidence& evidence);

  // By tensor of the variant: extents, nullptr without the tensor. Allocates nothing. O(axes * log calls), and O(calls
  // with the same inputs).
  Found find(const std::int64_t* const* extents, bool outputs,
             const std::optional<std::int64_t>& batch_size) const noexcept;

  // Distinct calls kept, and whether there were more.
  std::size_t size() const noexcept { return rows_.size(); }
  bool saturated() const noexcept { return saturated_; }
  // The inputs of the kept call that is most like this one: fewest other axes, then the smallest difference; their
  // extents one after another. REQUIRES: size() > 0 and every input.
  std::span<const std::int64_t> nearest(const std::int64_t* const* extents) const noexcept;

 private:
  // What the rows of one state hold: the inputs in the order of the variant, these outputs, the batch size.
  struct Layout {
    std::vector<std::uint32_t> outputs;  // tensors of the variant, ascending
    bool batch_size = false;
  };
  struct Row {
    std::uint32_t layout;
    std::size_t begin;  // in data_
  };
  void add_state(const FlatVariant& variant, const Signature& signature, const State& state);
  // Negative, zero or positive as the inputs of the row come before, with or after those of the call.
  int compare_inputs(const Row& row, const std::int64_t* const* extents) const noexcept;
  bool same_rest(const Row& row, const std::int64_t* const* extents, bool outputs,
                 const std::optional<std::int64_t>& batch_size) const noexcept;

  std::vector<std::uint32_t> ranks_;  // by tensor
  std::uint32_t inputs_ = 0;
  std::size_t input_axes_ = 0;
  bool saturated_ = false;
  std::vector<Layout> layouts_;
  std::vector<Row> rows_;  // by their inputs
  std::vector<std::int64_t> data_;
};

}  // namespace tensorspec::flat
