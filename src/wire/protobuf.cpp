// SPDX-License-Identifier: Apache-2.0
#include "wire/protobuf.hpp"

#include <algorithm>
#include <limits>

#include "base/try.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxVarint = 10;
constexpr std::string_view kCut = "cut";

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

void append_proto_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  append_varint(out, std::uint64_t{field} << 3);
  append_varint(out, value);
}

void append_proto_length(std::string& out, std::uint32_t field, std::uint64_t bytes) {
  append_varint(out, std::uint64_t{field} << 3 | 2);
  append_varint(out, bytes);
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), kMaxVarint); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i);  // of the tenth byte one bit counts, as elsewhere
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::string_view decode_field(std::string_view bytes, ProtoField& field) noexcept {
  const std::size_t size = bytes.size();
  const auto broken = [&] { return bytes.size() < kMaxVarint ? kCut : "a number of more than ten bytes"; };
  const auto tag = take_varint(bytes);
  if (!tag) return broken();
  if (*tag >> 3 == 0 || *tag > std::numeric_limits<std::uint32_t>::max()) return "no field has such a number";
  field.number = static_cast<std::uint32_t>(*tag >> 3);
  std::size_t fixed = 0;
  switch (*tag & 7) {
    case 0:
    case 2: break;
    case 1: fixed = 8; break;
    case 5: fixed = 4; break;
    case 3:
    case 4: return "a group, which is not read";
    default: return "no field is stored in such a way";
  }
  field.wire = static_cast<ProtoField::Wire>(*tag & 7);
  field.place = 0;
  if (fixed > 0) {
    if (bytes.size() < fixed) return kCut;
    field.value = fixed == 8 ? load_le<std::uint64_t>(bytes, 0) : load_le<std::uint32_t>(bytes, 0);
    bytes.remove_prefix(fixed);
  } else {
    const auto value = take_varint(bytes);
    if (!value) return broken();
    field.value = *value;
  }
  field.begin = size - bytes.size();
  return {};
}

Result<std::string_view> ProtoWindow::view(std::uint64_t offset, std::size_t count) {
  if (window_.empty() && begin_ == 0) { TRY(window_, source_.head()); }
  if (offset < begin_ || !fits(offset - begin_, count, window_.size())) {
    const bool in_order = offset >= begin_ && offset - begin_ <= window_.size();
    next_ = in_order ? std::min(next_ * 2, kLargest) : kSmallest;
    buffer_.resize(std::max(count, next_));
    window_ = {};
    begin_ = offset;
    TRY(const std::size_t got, source_.read_at(offset, buffer_));
    window_ = std::string_view(buffer_).substr(0, got);
  }
  return window_.substr(static_cast<std::size_t>(offset - begin_), count);
}

Result<ProtoMessage> ProtoMessage::whole(ProtoWindow& window) {
  TRY(const std::uint64_t size, window.source().size());
  return ProtoMessage(window, 0, size);
}

Result<bool> ProtoMessage::next(ProtoField& field) {
  if (at_ == end_) return false;
  const std::uint64_t left = end_ - at_;
  TRY(const std::string_view view,
      window_->view(at_, static_cast<std::size_t>(std::min<std::uint64_t>(left, 2 * kMaxVarint))));
  if (const std::string_view fault = decode_field(view, field); !fault.empty())
    return malformed(at_, fault == kCut ? "the message ends within a field" : std::string(fault));
  field.place = at_;
  field.begin += at_;
  if (field.wire == ProtoField::Wire::bytes && !fits(field.begin, field.value, end_))
    return malformed(at_, "field " + std::to_string(field.number) + " says " + std::to_string(field.value) +
                              " bytes, " + std::to_string(end_ - field.begin) + " remain");
  at_ = field.begin + (field.wire == ProtoField::Wire::bytes ? field.value : 0);
  return true;
}

Result<std::string_view> ProtoMessage::bytes(const ProtoField& field, std::size_t limit) const {
  if (field.value > limit)
    return malformed(field.place, "field " + std::to_string(field.number) + " has " + std::to_string(field.value) +
                                      " bytes, the limit is " + std::to_string(limit));
  TRY(const std::string_view bytes, window_->view(field.begin, static_cast<std::size_t>(field.value)));
  if (bytes.size() < field.value) return malformed(field.begin + bytes.size(), "the file ends within a field");
  return bytes;
}

Error ProtoMessage::malformed(std::uint64_t offset, std::string detail) const {
  return Error{.code = ErrorCode::protobuf_malformed,
               .where = window_->source().place().at(offset),
               .detail = std::move(detail)};
}

}  // namespace tensorspec
