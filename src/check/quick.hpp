// SPDX-License-Identifier: Apache-2.0
//
// The fast path: does a call certainly conform without a warning? Header only, so that a check is one function.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "check/flat.hpp"

namespace tensorspec::flat {

// In few instructions for names of a usual length; memcmp is a call.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const auto same = [&](auto word, std::size_t at) {
    auto other = word;
    std::memcpy(&word, a.data() + at, sizeof word);
    std::memcpy(&other, b.data() + at, sizeof other);
    return word == other;
  };
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8)
      if (!same(std::uint64_t{}, at)) return false;
    return same(std::uint64_t{}, size - 8);
  }
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t at = 0; at < size; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

// Puts down the extents of each tensor of the contract. False when the tensors are not exactly these, with their ranks
// and dtypes. The loops are for tensors that fit and come in the order of the contract; others are looked up.
bool lay_out_by_name(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
                     const std::int64_t** extents) noexcept;

inline bool lay_out(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
                    const std::int64_t** extents) noexcept {
  if (tensors.size() != contract.size()) return false;
  std::uint64_t taken = 1;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    if (!same_name(tensor.name, contract[i].name)) return lay_out_by_name(contract, tensors, extents);
    if (tensor.shape.size() != contract[i].rank) return false;
    taken &= contract[i].kinds >> static_cast<unsigned>(tensor.dtype.kind());
    extents[i] = tensor.shape.data();
  }
  return (taken & 1) != 0 || lay_out_by_name(contract, tensors, extents);
}

bool takes_all(std::span<const FlatTensor> contract, std::span<const TensorView> slots) noexcept;

[[gnu::always_inline]] inline bool lay_out(std::span<const FlatTensor> contract, std::span<const TensorView> slots,
                                           const std::int64_t** extents) noexcept {
  if (slots.size() != contract.size()) return false;
  std::uint64_t taken = 1;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    if (slots[i].rank != contract[i].rank) return false;
    taken &= contract[i].kinds >> static_cast<unsigned>(slots[i].dtype);
    extents[i] = slots[i].extents;
  }
  return (taken & 1) != 0 || takes_all(contract, slots);
}

bool was_seen(const FlatVariant& variant, Sizes& sizes, bool outputs,
              const std::optional<std::int64_t>& batch_size) noexcept;

// REQUIRES: variant.small. `inputs` and `outputs` are lists of TensorInfo or of slots.
template <class Tensors>
[[gnu::always_inline]] inline bool conforms(const FlatVariant& variant, const Tensors& inputs, const Tensors& outputs,
                                            const std::optional<std::int64_t>& batch_size, Policy policy) noexcept {
  Sizes sizes;
  if (!lay_out(variant.group(false), inputs, sizes.extents.data())) return false;
  const bool answered = !outputs.empty();
  if (answered && !(variant.plain_outputs && lay_out(variant.group(true), outputs, &sizes.extents[variant.inputs])))
    return false;
  const Program& program = variant.programs[2 * answered + batch_size.has_value()];
  if (!program.holds(variant.expressions, sizes, batch_size.value_or(0), policy != Policy::relations)) return false;
  return policy != Policy::seen || was_seen(variant, sizes, answered, batch_size);
}

}  // namespace tensorspec::flat
