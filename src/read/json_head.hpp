// SPDX-License-Identifier: Apache-2.0
//
// Telling the formats in JSON apart: the first value of a file decides, so that no two of them take one file.
#pragma once

#include "read/reader.hpp"

namespace tensorspec {

// AITune's dictionaries have inputs, dtypes and shapes as others have; this is theirs alone.
inline bool is_aitune(const JsonSketch& sketch) { return sketch.holds("type", "TensorSpec"); }

// The first value of the head, unless it is none or AITune's.
inline const JsonSketch* first_value(const Head& head) {
  const auto& sketch = head.json();
  return sketch && !is_aitune(*sketch) ? &*sketch : nullptr;
}

}  // namespace tensorspec
