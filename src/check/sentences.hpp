// SPDX-License-Identifier: Apache-2.0
//
// Findings as sentences that a person understands without the manual.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/examine.hpp"
#include "check/nearest.hpp"

namespace tensorspec::flat {

// Writes what it is told into a verdict. The scratch is that of the examination.
class Sentences final : public Findings {
 public:
  Sentences(const FlatVariant& variant, const CallTensors& call, Policy policy, const Scratch& scratch,
            Verdict& verdict)
      : variant_(variant), call_(call), policy_(policy), scratch_(scratch), verdict_(verdict) {}

  void add(const Finding& finding) override;

 private:
  Violation violation_of(const Finding& finding) const;
  Violation of_tensor(const Finding& finding) const;
  Violation of_dim(const Finding& finding) const;
  Violation of_no_value(const Finding& finding) const;
  Violation of_symbol(const Finding& finding) const;
  Violation of_bound(const Finding& finding) const;
  Violation of_shapes(const Finding& finding) const;
  std::string doubt_of(const Finding& finding) const;

  const TensorContract& contract(std::uint32_t tensor) const;
  const Dim& dim_of(const Finding& finding) const;
  std::string because(const Dim& dim) const;
  // What a symbol may be: its claimed stride and, unless only relations count, its range.
  Progression allowed(std::uint32_t symbol) const;
  // The value of a dim when one symbol has another value than it was bound to.
  std::optional<std::int64_t> value_with(const FlatDim& dim, std::uint32_t symbol, std::int64_t value) const;
  // Sizes of the axis that a symbol was read from, or would be.
  Nearest as_sizes(const FlatDim& dim, std::uint32_t symbol, const Nearest& values) const;
  std::string shapes_text(const std::vector<std::uint32_t>& tensors, std::span<const std::int64_t> extents) const;

  const FlatVariant& variant_;
  const CallTensors& call_;
  Policy policy_;
  const Scratch& scratch_;
  Verdict& verdict_;
};

Violation unknown_variant(const TensorList& inputs);

}  // namespace tensorspec::flat
