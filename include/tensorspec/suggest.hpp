// SPDX-License-Identifier: Apache-2.0
//
// suggest: the next calls worth making, so that what a contract leaves weak or open is decided.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tensorspec/contract.hpp"

namespace tensorspec {

struct SuggestedCall {
  std::size_t variant = 0;           // index in the contract
  Call call;                         // inputs only, in display order; with a batch size where the calls seen had one
  std::vector<std::string> decides;  // "y[1] = 2*s0"; never empty
};

// Sizes that a suggestion keeps to, by symbol, beside the declared ranges of the contract.
struct SizeLimit {
  std::optional<std::int64_t> min, max;
};
using SizeLimits = std::map<std::string, SizeLimit>;

// Few calls, the most telling first; each can be made without the others. Sizes are unlike all seen, pairwise coprime
// where steps allow, at least 2 for a batch, within the limits; and such as the model is likely to accept: a step that
// every size kept is left by a call of its own, and so is an equality that may be chance. Refused calls (ok: false) in
// the evidence are learned from: what they tried is not tried again. Empty: nothing is left to decide. Deterministic.
// Errors: invalid_argument (a limit names no symbol, or min > max).
Result<std::vector<SuggestedCall>> suggest(const Contract& contract, const SizeLimits& limits = {});

}  // namespace tensorspec
