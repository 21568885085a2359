// SPDX-License-Identifier: Apache-2.0
//
// The states of one variant, seen as one table: states with and without outputs or batch size hold different columns of
// it. A fact about some columns holds when it holds in every state that has all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tensorspec/evidence.hpp"

namespace tensorspec {

class JoinedVariant {
 public:
  struct Tensor {
    TensorSlot slot;
    bool output = false;
    bool optional = false;  // an output that some recorded calls lack
    std::size_t first_column = 0;
    std::set<DType> dtypes;
  };

  // REQUIRES: at least one state, all with the same inputs. The states must outlive this.
  // with_batch_sizes: those that came with calls are a column too.
  explicit JoinedVariant(std::vector<std::pair<const Signature*, const State*>> states, bool with_batch_sizes = true);

  // In display order: inputs, then outputs.
  const std::vector<Tensor>& tensors() const noexcept { return tensors_; }
  std::size_t columns() const noexcept { return columns_; }
  // The column of the batch sizes that came with calls; nullopt when none did.
  std::optional<std::size_t> batch_column() const noexcept { return batch_column_; }

  std::uint64_t calls() const noexcept;
  std::uint64_t distinct() const noexcept;  // at least; exact while no sample is saturated

  std::optional<std::int64_t> constant(std::size_t column) const;

  std::int64_t minimum(std::size_t column) const;
  std::int64_t maximum(std::size_t column) const;
  // Sizes of a column and how often each was seen (a bin of a histogram counts as its lower bound).
  std::map<std::int64_t, std::uint64_t> sizes(std::size_t column) const;
  // The states, and where each has a column.
  std::size_t views() const noexcept { return views_.size(); }
  const State& state(std::size_t view) const { return *views_[view].state; }
  bool has(std::size_t view, std::size_t column) const { return views_[view].has(column); }
  // REQUIRES: has(view, column).
  std::size_t position(std::size_t view, std::size_t column) const { return views_[view].position[column]; }

 private:
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  struct View {
    const State* state;
    std::vector<std::size_t> position;  // of each column in the state, or kAbsent
    bool has(std::size_t column) const { return position[column] != kAbsent; }
  };

  void add_tensors(bool outputs, const std::vector<std::pair<const Signature*, const State*>>& states);
  void add_view(const Signature& signature, const State& state);

  std::vector<Tensor> tensors_;
  std::vector<View> views_;
  std::size_t columns_ = 0;
  std::optional<std::size_t> batch_column_;
};

}  // namespace tensorspec
