// SPDX-License-Identifier: Apache-2.0
#include "explain/joined.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/checked.hpp"

namespace tensorspec {

namespace {
using States = std::vector<std::pair<const Signature*, const State*>>;

// Tensors of one group over all states, in display order: the smallest order seen that has the tensor decides.
std::vector<TensorSlot> display_order(bool outputs, const States& states) {
  std::vector<std::pair<const std::vector<std::string>*, const std::vector<TensorSlot>*>> orders;
  for (const auto& [signature, state] : states)
    orders.emplace_back(outputs ? &state->output_order() : &state->input_order(),
                        outputs ? &signature->outputs : &signature->inputs);
  // The fullest order leads, so that a call with few outputs does not reorder the others.
  std::sort(orders.begin(), orders.end(), [](const auto& a, const auto& b) {
    return a.first->size() != b.first->size() ? a.first->size() > b.first->size() : *a.first < *b.first;
  });
  std::vector<TensorSlot> out;
  std::set<TensorSlot> taken;
  for (const auto& [names, slots] : orders) {
    std::multimap<std::string_view, const TensorSlot*> by_name;
    for (const TensorSlot& slot : *slots) by_name.emplace(slot.name, &slot);
    for (const std::string& name : *names)
      for (auto [at, end] = by_name.equal_range(name); at != end; ++at)
        if (taken.insert(*at->second).second) out.push_back(*at->second);
  }
  return out;
}
}  // namespace

JoinedVariant::JoinedVariant(States states, bool with_batch_sizes) {
  for (const bool outputs : {false, true}) add_tensors(outputs, states);
  for (const auto& [signature, state] : states)
    if (with_batch_sizes && signature->has_batch_size) batch_column_ = columns_;
  if (batch_column_) ++columns_;
  for (const auto& [signature, state] : states) add_view(*signature, *state);
}

void JoinedVariant::add_tensors(bool outputs, const States& states) {
  for (TensorSlot& slot : display_order(outputs, states)) {
    Tensor tensor{std::move(slot), outputs, false, columns_, {}};
    columns_ += tensor.slot.rank;
    for (const auto& [signature, state] : states) {
      const auto& group = outputs ? signature->outputs : signature->inputs;
      const auto at = std::lower_bound(group.begin(), group.end(), tensor.slot);
      if (at == group.end() || *at != tensor.slot) {
        if (outputs && !group.empty()) tensor.optional = true;
        continue;
      }
      const std::size_t index = static_cast<std::size_t>(at - group.begin()) + (outputs ? signature->inputs.size() : 0);
      for (const auto& [dtype, count] : state->dtypes()[index])
        if (dtype.is_known()) tensor.dtypes.insert(dtype);
    }
    tensors_.push_back(std::move(tensor));
  }
}

void JoinedVariant::add_view(const Signature& signature, const State& state) {
  View view{&state, std::vector<std::size_t>(columns_, kAbsent)};
  std::size_t column = 0;
  for (const bool outputs : {false, true}) {
    std::map<TensorSlot, std::size_t> first_columns;
    for (const Tensor& tensor : tensors_)
      if (tensor.output == outputs) first_columns.emplace(tensor.slot, tensor.first_column);
    for (const TensorSlot& slot : outputs ? signature.outputs : signature.inputs) {
      const std::size_t first = first_columns.at(slot);
      for (std::size_t axis = 0; axis < slot.rank; ++axis) view.position[first + axis] = column + axis;
      column += slot.rank;
    }
  }
  if (batch_column_ && signature.has_batch_size) view.position[*batch_column_] = column;
  views_.push_back(std::move(view));
}

std::uint64_t JoinedVariant::calls() const noexcept {
  std::uint64_t count = 0;
  for (const View& view : views_) count = saturating_add(count, view.state->calls());
  return count;
}

std::uint64_t JoinedVariant::distinct() const noexcept {
  std::uint64_t count = 0;
  for (const View& view : views_) count += view.state->sample().entries().size();
  return count;
}

std::optional<std::int64_t> JoinedVariant::constant(std::size_t column) const {
  std::optional<std::int64_t> value;
  for (const View& view : views_) {
    if (!view.has(column)) continue;
    const auto progression = view.state->lattice().column(view.position[column]);
    if (!progression || progression->modulus != 0 || (value && *value != progression->residue)) return std::nullopt;
    value = progression->residue;
  }
  return value;
}

std::int64_t JoinedVariant::minimum(std::size_t column) const {
  std::int64_t least = kMaxExtent;
  for (const View& view : views_)
    if (view.has(column)) least = std::min(least, view.state->minimum()[view.position[column]]);
  return least;
}

std::int64_t JoinedVariant::maximum(std::size_t column) const {
  std::int64_t most = 0;
  for (const View& view : views_)
    if (view.has(column)) most = std::max(most, view.state->maximum()[view.position[column]]);
  return most;
}

std::map<std::int64_t, std::uint64_t> JoinedVariant::sizes(std::size_t column) const {
  std::map<std::int64_t, std::uint64_t> out;
  for (const View& view : views_) {
    if (!view.has(column)) continue;
    const std::size_t at = view.position[column];
    for (const auto& [key, count] : view.state->sample().entries())
      out[key.extents[at]] = saturating_add(out[key.extents[at]], count);
    const SizeHistogram tail = view.state->tail(at);
    for (const auto& [size, count] : tail.counts()) out[size] = saturating_add(out[size], count);
  }
  return out;
}

}  // namespace tensorspec
