// SPDX-License-Identifier: Apache-2.0
#include "learn/layout.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace tensorspec {

namespace {

bool same_name(const std::string& a, const std::string& b) noexcept {
  return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
}

// Ranks are small, and 4 is the usual one.
void copy_extents(const std::int64_t* from, std::size_t rank, std::int64_t* to) noexcept {
  constexpr std::size_t kUsual = 4;
  if (rank == kUsual) std::memcpy(to, from, kUsual * sizeof *to);
  else
    for (std::size_t axis = 0; axis < rank; ++axis) to[axis] = from[axis];
}

bool same_dtype(const DType& a, const DType& b) noexcept {
  return a.kind() == b.kind() && (a.kind() != DType::Kind::other || a == b);
}

}  // namespace

Learner::Layout::Layout(const Call& call)
    : signature(Signature::of(call)), inputs(call.inputs.size()), accepted(call.ok) {
  if (!accepted) signature.outputs.clear();
  stored = signature.columns();
  for (const bool outputs : {false, true}) {
    const auto& tensors = outputs ? call.outputs : call.inputs;
    const std::size_t first = slots.size();
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), first);
    for (const TensorInfo& tensor : tensors) slots.push_back({tensor.name, tensor.dtype, tensor.shape.size(), 0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return TensorSlot{slots[a].name, slots[a].rank} < TensorSlot{slots[b].name, slots[b].rank};
    });
    // What is not kept of a refused call comes behind what is.
    if (outputs && !accepted) size = stored;
    for (const std::size_t slot : order) {
      slots[slot].column = size;
      size += slots[slot].rank;
    }
  }
  if (call.batch_size) {
    batch_column = stored - 1;
    size = std::max(size, stored);
  }
  std::size_t given = 0;
  for (const Slot& slot : slots) {
    in_order = in_order && slot.column == given;
    given += slot.rank;
  }
  in_order = in_order && (!call.batch_size || batch_column == given);
}

bool Learner::Layout::read(const Call& call, std::int64_t* row) const noexcept {
  if (call.inputs.size() != inputs || call.outputs.size() != slots.size() - inputs || call.ok != accepted ||
      call.batch_size.has_value() != signature.has_batch_size)
    return false;
  const Slot* slot = slots.data();
  for (const std::vector<TensorInfo>* group : {&call.inputs, &call.outputs}) {
    for (const TensorInfo& tensor : *group) {
      if (tensor.shape.size() != slot->rank || !same_dtype(tensor.dtype, slot->dtype) ||
          !same_name(tensor.name, slot->name))
        return false;
      copy_extents(tensor.shape.data(), slot->rank, row + slot->column);
      ++slot;
    }
  }
  if (call.batch_size) row[batch_column] = *call.batch_size;
  return true;
}

void Learner::Layout::reorder(std::span<const std::int64_t> given, std::int64_t* row) const noexcept {
  const std::int64_t* from = given.data();
  for (const Slot& slot : slots) {
    copy_extents(from, slot.rank, row + slot.column);
    from += slot.rank;
  }
  if (signature.has_batch_size) row[batch_column] = *from;
}

Call Learner::Layout::call_of(const std::int64_t* row, std::uint64_t weight) const {
  Call call;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::int64_t* extents = row + slots[i].column;
    (i < inputs ? call.inputs : call.outputs)
        .push_back({slots[i].name, slots[i].dtype, Shape(extents, extents + slots[i].rank)});
  }
  if (signature.has_batch_size) call.batch_size = row[batch_column];
  call.ok = accepted;
  call.weight = weight;
  return call;
}

bool Learner::Layout::is_valid(const std::int64_t* row) const noexcept {
  bool valid = !signature.has_batch_size || row[batch_column] >= 1;
  for (std::size_t i = 0; i < size; ++i) valid &= row[i] >= 0 && row[i] <= kMaxExtent;
  return valid;
}

void Learner::Layout::bind(State& to) {
  std::vector<std::string> names[2];
  for (std::size_t i = 0; i < slots.size(); ++i) names[i < inputs ? 0 : 1].push_back(slots[i].name);
  // The columns of tensors without axes tell nothing, so the tensor is looked up by name.
  dtype_counts.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& group = i < inputs ? signature.inputs : signature.outputs;
    const auto at = std::lower_bound(group.begin(), group.end(), TensorSlot{slots[i].name, slots[i].rank});
    const std::size_t tensor =
        static_cast<std::size_t>(at - group.begin()) + (i < inputs ? 0 : signature.inputs.size());
    dtype_counts.push_back(&to.dtype_count(tensor, slots[i].dtype));
  }
  to.add_order(names[0], names[1]);
  state = &to;
}

void Learner::Layout::unbind() {
  state = nullptr;
  rejected = nullptr;
  dtype_counts.clear();
}

void Learner::Layout::settle() noexcept {
  for (std::uint64_t* count : dtype_counts) *count = saturating_add(*count, unsettled);
  unsettled = 0;
}

}  // namespace tensorspec
