// SPDX-License-Identifier: Apache-2.0
//
// Telling the formats in JSON apart: the first value of a file decides, so that no two of them take one file.
#pragma once

#include <optional>

#include "read/reader.hpp"
#include "wire/json_sketch.hpp"

namespace tensorspec {

// AITune's dictionaries have inputs, dtypes and shapes as others have; this is theirs alone.
inline bool is_aitune(const JsonSketch& sketch) { return sketch.holds("type", "TensorSpec"); }

// The first value of the head, unless it is AITune's.
inline std::optional<JsonSketch> sketch_head(std::string_view head) {
  auto sketch = sketch_json(head);
  return sketch && !is_aitune(*sketch) ? std::move(sketch) : std::nullopt;
}

}  // namespace tensorspec
