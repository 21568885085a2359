// SPDX-License-Identifier: Apache-2.0
#include "check/quick.hpp"

namespace tensorspec::flat {

bool lay_out_by_name(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
                     const std::int64_t** extents) noexcept {
  std::fill_n(extents, contract.size(), nullptr);
  std::size_t guess = 0;
  for (const TensorInfo& tensor : tensors) {
    if (guess == contract.size() || contract[guess].name != tensor.name)
      for (guess = 0; guess < contract.size() && contract[guess].name != tensor.name;) ++guess;
    if (guess == contract.size() || extents[guess] || tensor.shape.size() != contract[guess].rank ||
        !contract[guess].takes(TensorView(tensor)))
      return false;
    extents[guess++] = pointer_to(tensor.shape.data());
  }
  return true;
}

bool takes_all(std::span<const FlatTensor> contract, std::span<const TensorView> slots) noexcept {
  for (std::size_t i = 0; i < contract.size(); ++i)
    if (!contract[i].takes(slots[i])) return false;
  return true;
}

bool was_seen(const FlatVariant& variant, Sizes& sizes, bool outputs,
              const std::optional<std::int64_t>& batch_size) noexcept {
  for (std::size_t t = 0; t < (outputs ? variant.tensors.size() : variant.inputs); ++t)
    sizes.extents[t] = pointer_to(sizes.extents[t]);
  return variant.seen.find(sizes.extents.data(), outputs, batch_size).answer == SeenShapes::Answer::seen;
}

}  // namespace tensorspec::flat
