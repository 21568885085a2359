// SPDX-License-Identifier: Apache-2.0
#include "check/seen.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/checked.hpp"
#include "check/flat.hpp"

namespace tensorspec::flat {

namespace {

// Where the columns of each tensor of a variant begin in the rows of a state; tensors that the state lacks are absent.
std::map<std::uint32_t, std::size_t> columns_of(const FlatVariant& variant, const Signature& signature) {
  std::map<std::uint32_t, std::size_t> columns;
  std::size_t column = 0;
  for (const bool output : {false, true})
    for (const TensorSlot& slot : output ? signature.outputs : signature.inputs) {
      for (std::uint32_t t = 0; t < variant.tensors.size(); ++t) {
        const FlatTensor& tensor = variant.tensors[t];
        if (tensor.output == output && tensor.rank == slot.rank && tensor.name == slot.name) columns.emplace(t, column);
      }
      column += slot.rank;
    }
  return columns;
}

bool same_inputs(const FlatVariant& variant, const Signature& signature) {
  std::vector<TensorSlot> slots;
  for (const FlatTensor& tensor : variant.group(false)) slots.push_back({std::string(tensor.name), tensor.rank});
  std::sort(slots.begin(), slots.end());
  return slots == signature.inputs;
}

}  // namespace

SeenShapes::SeenShapes(const FlatVariant& variant, const Evidence& evidence) : inputs_(variant.inputs) {
  for (const FlatTensor& tensor : variant.tensors) {
    ranks_.push_back(tensor.rank);
    if (!tensor.output) input_axes_ += tensor.rank;
  }
  for (const auto& [signature, state] : evidence.states())
    if (same_inputs(variant, signature)) add_state(variant, signature, state);
  std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
    return std::lexicographical_compare(data_.data() + a.begin, data_.data() + a.begin + input_axes_,
                                        data_.data() + b.begin, data_.data() + b.begin + input_axes_);
  });
}

void SeenShapes::add_state(const FlatVariant& variant, const Signature& signature, const State& state) {
  const auto columns = columns_of(variant, signature);
  Layout layout;
  layout.batch_size = signature.has_batch_size;
  for (const auto& [tensor, column] : columns)
    if (tensor >= inputs_) layout.outputs.push_back(tensor);
  layouts_.push_back(std::move(layout));
  saturated_ = saturated_ || state.sample().saturated();
  for (const auto& [key, count] : state.sample().entries()) {
    rows_.push_back({static_cast<std::uint32_t>(layouts_.size() - 1), data_.size()});
    for (const auto& [tensor, column] : columns) {
      const auto first = key.extents.begin() + static_cast<std::ptrdiff_t>(column);
      data_.insert(data_.end(), first, first + ranks_[tensor]);
    }
    if (signature.has_batch_size) data_.push_back(key.extents.back());
    // A row is never empty, so that its first place can be named.
    if (columns.empty()) data_.push_back(0);
  }
}

int SeenShapes::compare_inputs(const Row& row, const std::int64_t* const* extents) const noexcept {
  const std::int64_t* kept = data_.data() + row.begin;
  for (std::uint32_t t = 0; t < inputs_; ++t)
    for (std::uint32_t axis = 0; axis < ranks_[t]; ++axis, ++kept)
      if (*kept != extents[t][axis]) return *kept < extents[t][axis] ? -1 : 1;
  return 0;
}

bool SeenShapes::same_rest(const Row& row, const std::int64_t* const* extents, bool outputs,
                           const std::optional<std::int64_t>& batch_size) const noexcept {
  const Layout& layout = layouts_[row.layout];
  const std::int64_t* kept = data_.data() + row.begin + input_axes_;
  std::size_t given = 0;
  if (outputs)
    for (std::size_t t = inputs_; t < ranks_.size(); ++t) given += extents[t] ? 1 : 0;
  const bool both = outputs && !layout.outputs.empty();
  if (both && given != layout.outputs.size()) return false;
  for (const std::uint32_t t : layout.outputs) {
    if (both && !(extents[t] && std::equal(kept, kept + ranks_[t], extents[t]))) return false;
    kept += ranks_[t];
  }
  return !layout.batch_size || !batch_size || *kept == *batch_size;
}

SeenShapes::Found SeenShapes::find(const std::int64_t* const* extents, bool outputs,
                                   const std::optional<std::int64_t>& batch_size) const noexcept {
  if (rows_.empty()) return {};
  // Every recorded call has every input.
  if (!std::all_of(extents, extents + inputs_, [](const std::int64_t* tensor) { return tensor; }))
    return {Answer::not_seen, false};
  auto row = std::partition_point(rows_.begin(), rows_.end(),
                                  [&](const Row& kept) { return compare_inputs(kept, extents) < 0; });
  Found found{saturated_ ? Answer::not_kept : Answer::not_seen, false};
  for (; row != rows_.end() && compare_inputs(*row, extents) == 0; ++row) {
    found.inputs = true;
    if (same_rest(*row, extents, outputs, batch_size)) return {Answer::seen, true};
  }
  return found;
}

std::span<const std::int64_t> SeenShapes::nearest(const std::int64_t* const* extents) const noexcept {
  const auto distance = [&](const Row& row) {
    const std::int64_t* kept = data_.data() + row.begin;
    std::size_t differ = 0;
    std::uint64_t sum = 0;
    for (std::uint32_t t = 0; t < inputs_; ++t)
      for (std::uint32_t axis = 0; axis < ranks_[t]; ++axis, ++kept) {
        const std::int64_t given = extents[t][axis];
        if (*kept == given) continue;
        ++differ;
        sum = saturating_add(sum, static_cast<std::uint64_t>(std::max(*kept, given)) -
                                      static_cast<std::uint64_t>(std::min(*kept, given)));
      }
    return std::tuple(differ, sum);
  };
  const auto best = std::min_element(rows_.begin(), rows_.end(),
                                     [&](const Row& a, const Row& b) { return distance(a) < distance(b); });
  return {&data_[best->begin], input_axes_};
}

}  // namespace tensorspec::flat
