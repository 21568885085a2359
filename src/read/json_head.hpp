// SPDX-License-Identifier: Apache-2.0
//
// Telling the formats in JSON apart: the first value of a file decides, so that no two of them take one file.
#pragma once

#include "read/reader.hpp"

namespace tensorspec {

// AITune's dictionaries have inputs, dtypes and shapes as others have; this is theirs alone.
inline bool is_aitune(const JsonSketch& sketch) { return sketch.holds("type", "TensorSpec"); }

// The value, unless it is none or AITune's.
inline const JsonSketch* first_value(const std::optional<JsonSketch>& sketch) {
  return sketch && !is_aitune(*sketch) ? &*sketch : nullptr;
}
inline const JsonSketch* first_value(const Head& head) { return first_value(head.json()); }

}  // namespace tensorspec
