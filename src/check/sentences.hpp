// SPDX-License-Identifier: Apache-2.0
//
// Findings as sentences that a person understands without the manual.
#pragma once

#include <string>

#include "check/examine.hpp"

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
  Violation of_symbol(const Finding& finding) const;
  Violation of_shapes(const Finding& finding) const;
  std::string doubt_of(const Finding& finding) const;

  const TensorContract& contract(std::uint32_t tensor) const;
  const Dim& dim_of(const Finding& finding) const;
  std::string because(const Dim& dim) const;
  std::string stride_text(const FlatSymbol& symbol) const;

  const FlatVariant& variant_;
  const CallTensors& call_;
  Policy policy_;
  const Scratch& scratch_;
  Verdict& verdict_;
};

Violation unknown_variant(const TensorList& inputs);

}  // namespace tensorspec::flat
