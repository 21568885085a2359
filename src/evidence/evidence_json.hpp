// SPDX-License-Identifier: Apache-2.0
//
// Evidence as a JSON value, for files that hold it beside other things.
#pragma once

#include "base/json.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

Json evidence_to_json(const Evidence& evidence);
Result<Evidence> evidence_from_json(const Json& root);

}  // namespace tensorspec
