// SPDX-License-Identifier: Apache-2.0
//
// Writes pickles instruction by instruction: kProto + tuple(integer(1) + text("a")) + "." is the pickle of (1, "a").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/zip_builder.hpp"

namespace tensorspec::tests::pickle {

inline const std::string kProto = "\x80\2";

inline std::string text(std::string_view value) { return "X" + le(value.size(), 4) + std::string(value); }
inline std::string integer(std::int64_t value) {
  return std::string("\x8a\x08") + le(static_cast<std::uint64_t>(value), 8);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::string& items) { return "(" + items + "t"; }
inline std::string list(const std::string& items) { return "](" + items + "e"; }
inline std::string dict(const std::string& entries) { return "}(" + entries + "u"; }
inline std::string object(const std::string& callable, const std::string& arguments) {
  return callable + tuple(arguments) + "R";
}
inline std::string put(std::uint32_t index) { return "r" + le(index, 4); }
inline std::string get(std::uint32_t index) { return "j" + le(index, 4); }

// A tensor over a storage of `count` elements, as torch.save writes it.
inline std::string tensor(const std::string& size, const std::string& stride, const std::string& type = "Float",
                          std::int64_t count = 1000, std::int64_t offset = 0) {
  const std::string id =
      tuple(text("storage") + global("torch", type + "Storage") + text("0") + text("cpu") + integer(count)) + "Q";
  return object(
      global("torch._utils", "_rebuild_tensor_v2"),
      id + integer(offset) + tuple(size) + tuple(stride) + "\x89" + object(global("collections", "OrderedDict"), ""));
}

}  // namespace tensorspec::tests::pickle
