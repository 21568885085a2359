// SPDX-License-Identifier: Apache-2.0
#include "read/onnx_proto.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {
namespace {

// The marks of formats that could pass for protobuf: JSON text behind blanks, or behind the length of a safetensors
// header.
bool is_another_format(std::string_view head) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (head.starts_with("\xEF\xBB\xBF")) return true;
  if (const auto first = head.find_first_not_of(kBlanks); first != std::string_view::npos && head[first] == '{')
    return true;
  return head.size() > 8 && head[8] == '{' && load_le<std::uint32_t>(head, 4) == 0;
}

}  // namespace

void ProtoSeen::add(const ProtoField& field) noexcept {
  if (field.number > 63) return;
  (field.wire == ProtoField::Wire::varint ? varints : bytes) |= std::uint64_t{1} << field.number;
  if (field.is_varint(1)) value1 = field.value;
  if (field.is_varint(2)) value2 = field.value;
}

bool has_rule(const ProtoField& field, std::span<const ProtoRule> rules) noexcept {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const ProtoRule& rule) { return rule.number == field.number && rule.wire == field.wire; });
}

std::optional<ProtoSeen> see_head(std::string_view head, std::span<const ProtoRule> rules) noexcept {
  if (is_another_format(head)) return std::nullopt;
  ProtoSeen seen;
  while (!head.empty()) {
    ProtoField field;
    const std::string_view fault = decode_field(head, field);
    if (fault == "cut" && head.size() < 20) break;
    if (!fault.empty() || !has_rule(field, rules)) return std::nullopt;
    seen.add(field);
    head.remove_prefix(static_cast<std::size_t>(field.begin));
    if (field.wire != ProtoField::Wire::bytes) continue;
    const std::string_view payload =
        head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(field.value, head.size())));
    if (field.number == 1) seen.text1 = payload;
    if (field.number == 2) seen.text2 = payload;
    head.remove_prefix(payload.size());
  }
  return seen;
}

bool is_name_text(std::string_view text) noexcept {
  return is_utf8(text) && std::all_of(text.begin(), text.end(),
                                      [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
}

}  // namespace tensorspec
