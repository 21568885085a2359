// SPDX-License-Identifier: Apache-2.0
//
// What the beginning of a JSON text shows, for telling formats apart: the text may be cut anywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorspec {

struct JsonSketch {
  std::string_view key;             // in an object; as spelled, escapes included
  char kind = 0;                    // '{', '[', '"', '0' (a number), 't' (true, false, null); 0: cut before it began
  bool cut = false;                 // the text ends within the value, or before it
  std::string_view text;            // of a string, as spelled; cut strings have what is there
  std::vector<JsonSketch> members;  // as far as they are there; of an array the first kMostItems

  static constexpr std::size_t kMostItems = 64;

  // Is it the member of that key, however the key is spelled?
  bool is(std::string_view wanted) const;
  const JsonSketch* find(std::string_view wanted) const;
  // Has it, at whatever depth, a member of this key and text?
  bool holds(std::string_view wanted, std::string_view value) const;
  // The first member of an object or array, when it is of this kind; else nullptr.
  const JsonSketch* first(char wanted) const noexcept;
};

// The first value of the text, behind blanks; nullopt: it is no JSON as far as it goes, or nested deeper than 16. What
// follows the value is not looked at, nor what stands behind the first items of an array. O(n).
std::optional<JsonSketch> sketch_json(std::string_view text);
// The text that a string stands for; what is no escape stays as it is.
std::string unescaped_json(std::string_view spelled);

}  // namespace tensorspec
