// SPDX-License-Identifier: Apache-2.0
#include "check/quick.hpp"

#include <algorithm>

namespace tensorspec::flat {
namespace {

// Puts down the extents of each tensor of the contract. False when the tensors are not exactly these, with their ranks
// and dtypes.
bool lay_out(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
             const std::int64_t** extents) noexcept {
  if (tensors.size() != contract.size()) return false;
  std::fill_n(extents, contract.size(), nullptr);
  std::size_t guess = 0;
  for (const TensorInfo& tensor : tensors) {
    if (guess == contract.size() || !same_name(contract[guess].name, tensor.name))
      for (guess = 0; guess < contract.size() && !same_name(contract[guess].name, tensor.name);) ++guess;
    if (guess == contract.size() || extents[guess] || tensor.shape.size() != contract[guess].rank ||
        !contract[guess].takes(TensorView(tensor)))
      return false;
    extents[guess++] = pointer_to(tensor.shape.data());
  }
  return true;
}

bool lay_out(std::span<const FlatTensor> contract, std::span<const TensorView> slots,
             const std::int64_t** extents) noexcept {
  if (slots.size() != contract.size()) return false;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    if (slots[i].rank != contract[i].rank || !contract[i].takes(slots[i])) return false;
    extents[i] = pointer_to(slots[i].extents);
  }
  return true;
}

template <class AnyCall>
bool laid_out_conforms(const FlatVariant& variant, const AnyCall& call, Policy policy) noexcept {
  if (!variant.small) return false;
  Sizes sizes;
  if (!lay_out(variant.group(false), call.inputs, sizes.extents.data())) return false;
  const bool outputs = !call.outputs.empty();
  if (outputs && !(variant.plain_outputs && lay_out(variant.group(true), call.outputs, &sizes.extents[variant.inputs])))
    return false;
  const Program& program = variant.programs[2 * outputs + call.batch_size.has_value()];
  return program.holds(variant.expressions, sizes, call.batch_size.value_or(0), policy != Policy::relations) &&
         (policy != Policy::seen ||
          variant.seen.find(sizes.extents.data(), outputs, call.batch_size).answer == SeenShapes::Answer::seen);
}

}  // namespace

bool conforms(const FlatVariant& variant, const Call& call, Policy policy) noexcept {
  return laid_out_conforms(variant, call, policy);
}
bool conforms(const FlatVariant& variant, const CallView& call, Policy policy) noexcept {
  return laid_out_conforms(variant, call, policy);
}

}  // namespace tensorspec::flat
