// SPDX-License-Identifier: Apache-2.0
//
// The careful examination of a call: chooses the variant, solves the symbols and reports everything that does not fit.
// It allocates nothing; who listens may.
#pragma once

#include <cstdint>
#include <optional>

#include "check/flat.hpp"
#include "check/tensors.hpp"

namespace tensorspec::flat {

// Something that does not fit.
struct Finding {
  enum class About : std::uint8_t {
    missing,
    unexpected,
    rank,
    dtype,
    fixed,     // not the size of a fixed axis
    value,     // not the value of the dim
    no_value,  // the dim has no value that is a size
    same,      // not the size of another axis of the same weak dim
    batch,
    stride,
    seen_stride,
    range,
    above,  // a symbol above another that it never was
    unseen,
  };
  // Why it is let through with a warning.
  enum class Doubt : std::uint8_t {
    none,
    rival,        // another form that fits every call gives this size
    weak_claim,   // the claim may be wrong
    weak_source,  // the symbol is read through a weak claim
    not_claimed,
    not_kept,  // the evidence may have more than is known
  };

  About about = About::missing;
  Doubt doubt = Doubt::none;
  bool output = false;
  std::uint32_t tensor = kNone;  // of the variant; of an unexpected tensor, of the call; kNone: the call as a whole
  std::uint32_t axis = kNone;
  TensorView given;  // of rank and dtype
  std::int64_t actual = 0, wanted = 0;
  Place leader;                  // of `same`: the axis that has the size wanted
  std::uint32_t symbol = kNone;  // of stride and range
  std::uint32_t other = kNone;   // of `above`: the symbol below
  std::uint32_t rival = 0;       // of Doubt::rival: its number in the claim
  bool inputs_seen = false;      // of `unseen`
};
Violation::Code code_of(Finding::About about) noexcept;

class Findings {
 public:
  virtual void add(const Finding& finding) = 0;

 protected:
  ~Findings() = default;
};

// The variant whose inputs, by name and rank, are exactly those of the call, else the nearest; nullopt when no variant
// shares an input. O(variants * tensors) when tensors come in a usual order.
std::optional<std::uint32_t> choose_variant(const FlatContract& contract, const TensorList& inputs) noexcept;

// Holds the call against one variant. Allocates and throws only what `out` does. What it bound is in `scratch`.
void examine(const FlatVariant& variant, const CallTensors& call, Policy policy, const Scratch& scratch, Findings& out);

}  // namespace tensorspec::flat
