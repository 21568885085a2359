// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/call.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {

Status validate(const TensorInfo& tensor) {
  if (tensor.shape.size() > kMaxRank)
    return Error{ErrorCode::rank_too_large, tensor.name, std::to_string(tensor.shape.size()) + " axes"};
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
    if (tensor.shape[axis] < 0 || tensor.shape[axis] > kMaxExtent)
      return Error{ErrorCode::invalid_extent,
                   (tensor.name.empty() ? "" : tensor.name + " ") + "axis " + std::to_string(axis),
                   std::to_string(tensor.shape[axis])};
  return {};
}

namespace {
Status validate_group(const std::vector<TensorInfo>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) {
    TRY_VOID(validate(tensor));
    names.push_back(tensor.name);
  }
  if (const auto twice = repeated(std::move(names))) return Error{ErrorCode::duplicate_tensor, std::string(*twice), ""};
  return {};
}

std::vector<TensorSlot> slots_of(const std::vector<TensorInfo>& tensors) {
  std::vector<TensorSlot> slots;
  slots.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) slots.push_back({tensor.name, tensor.shape.size()});
  std::sort(slots.begin(), slots.end());
  return slots;
}
}  // namespace

Status validate(const Call& call) {
  if (call.batch_size && (*call.batch_size < 1 || *call.batch_size > kMaxExtent))
    return Error{ErrorCode::invalid_batch_size, "batch_size", std::to_string(*call.batch_size)};
  if (call.weight == 0) return Error{ErrorCode::invalid_argument, "count", "a call that was seen 0 times"};
  TRY_VOID(validate_group(call.inputs));
  return validate_group(call.outputs);
}

std::strong_ordering TensorSlot::operator<=>(const TensorSlot& other) const {
  const int names = natural_compare(name, other.name);
  return names != 0 ? names <=> 0 : rank <=> other.rank;
}

Signature Signature::of(const Call& call) {
  return {slots_of(call.inputs), slots_of(call.outputs), call.batch_size.has_value()};
}

std::size_t Signature::columns() const noexcept {
  std::size_t count = has_batch_size ? 1 : 0;
  for (const auto* group : {&inputs, &outputs})
    for (const TensorSlot& slot : *group) count += slot.rank;
  return count;
}

}  // namespace tensorspec
