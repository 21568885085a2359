// SPDX-License-Identifier: Apache-2.0
//
// Learner: takes calls, keeps evidence. explain() turns the evidence into a contract.
#pragma once

#include "tensorspec/evidence.hpp"

namespace tensorspec {

// Mutable and mergeable. Not synchronised: give each thread its own and merge them.
class Learner {
 public:
  explicit Learner(std::size_t sample_size = Evidence::kDefaultSampleSize) : evidence_(sample_size) {}
  // Goes on from what was learned before.
  explicit Learner(Evidence evidence) : evidence_(std::move(evidence)) {}

  // Errors: those of validate(Call); nothing is learned from such a call.
  Status observe(const Call& call) { return evidence_.add(call); }
  // Errors: evidence_mismatch.
  Status merge(const Learner& other);

  const Evidence& evidence() const noexcept { return evidence_; }

 private:
  Evidence evidence_;
};

}  // namespace tensorspec
