// SPDX-License-Identifier: Apache-2.0
//
// Telling the messages of onnx.proto (ONNX 1.23) by their fields: protobuf has no mark of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/protobuf.hpp"

namespace tensorspec {

// A field that a message may have, and how it may be stored there.
struct ProtoRule {
  std::uint32_t number;
  ProtoField::Wire wire;
};

// Fields seen, by number up to 63.
struct ProtoSeen {
  std::uint64_t varints = 0, bytes = 0;  // bit N: field N was seen so
  std::uint64_t value1 = 0, value2 = 0;  // of varints 1 and 2
  std::string_view text1, text2;         // of bytes 1 and 2, as far as they are there

  void add(const ProtoField& field) noexcept;
  bool has_varint(unsigned number) const noexcept { return varints >> number & 1; }
  bool has_bytes(unsigned number) const noexcept { return bytes >> number & 1; }
};

bool has_rule(const ProtoField& field, std::span<const ProtoRule> rules) noexcept;

// The fields at the beginning of a file, all of which have a rule; nullopt: one has none, or these are the contents of
// another format. The last field may reach beyond the head.
std::optional<ProtoSeen> see_head(std::string_view head, std::span<const ProtoRule> rules) noexcept;

// Is this a name as people write them: UTF-8 without control characters?
bool is_name_text(std::string_view text) noexcept;

}  // namespace tensorspec
