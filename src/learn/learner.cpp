// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/learner.hpp"

#include "base/try.hpp"

namespace tensorspec {

Status Learner::merge(const Learner& other) {
  TRY(evidence_, Evidence::merge(evidence_, other.evidence_));
  return {};
}

}  // namespace tensorspec
