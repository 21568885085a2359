// SPDX-License-Identifier: Apache-2.0
//
// The fast path: does a call certainly conform to a variant, without a warning?
#pragma once

#include <cstring>
#include <optional>
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

// A tensor that stands where the contract has it, of a dtype with a kind.
inline bool in_place(const FlatTensor& contract, const TensorView& tensor) noexcept {
  return tensor.rank == contract.rank && contract.takes(tensor.dtype);
}
inline bool in_place(const FlatTensor& contract, const TensorInfo& tensor) noexcept {
  return tensor.shape.size() == contract.rank && contract.takes(tensor.dtype.kind()) &&
         same_name(tensor.name, contract.name);
}
inline const std::int64_t* extents_of(const TensorView& tensor) noexcept { return tensor.extents; }
inline const std::int64_t* extents_of(const TensorInfo& tensor) noexcept { return tensor.shape.data(); }

// Inputs in the order of the contract, to be held against a straight program, as most are. Calls nothing and is part of
// its caller, so that no call and no register costs anything. False: perhaps; then conforms() knows.
template <class Tensors>
[[gnu::always_inline]] inline bool inputs_conform(const FlatVariant& variant, const Tensors& inputs,
                                                  const std::optional<std::int64_t>& batch_size, bool ranges) noexcept {
  const std::span<const FlatTensor> contract = variant.group(false);
  const Program& program = variant.programs[batch_size.has_value()];
  if (!program.straight() || inputs.size() != contract.size()) return false;
  Sizes sizes;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    if (!in_place(contract[i], inputs[i])) return false;
    sizes.extents[i] = extents_of(inputs[i]);
  }
  return program.straight_holds(sizes, batch_size.value_or(0), ranges);
}

// Any order of the tensors of a Call, outputs, dtypes without a kind, expressions and the shapes seen. False: a
// violation, or a warning, or something that only the examination knows.
bool conforms(const FlatVariant& variant, const Call& call, Policy policy) noexcept;
bool conforms(const FlatVariant& variant, const CallView& call, Policy policy) noexcept;

}  // namespace tensorspec::flat
