// SPDX-License-Identifier: Apache-2.0
//
// A walk over protobuf messages of any size: field by field, payloads seeked over unless asked for, every length held
// against the message that contains it. No schema, no knowledge of tensors.
//
// Follows "Encoding" of the Protocol Buffers documentation. Groups, deprecated before proto3, are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/source.hpp"

namespace tensorspec {

struct ProtoField {
  enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;  // of a varint or a fixed field; of bytes their count
  std::uint64_t place = 0;  // where the field begins
  std::uint64_t begin = 0;  // where its payload begins: bytes [begin, begin + value)

  bool is_varint(std::uint32_t wanted) const noexcept { return number == wanted && wire == Wire::varint; }
  bool is_bytes(std::uint32_t wanted) const noexcept { return number == wanted && wire == Wire::bytes; }
  // A varint of int32, int64 or an enumeration: negative numbers are stored as 64 bits.
  std::int64_t as_int64() const noexcept { return static_cast<std::int64_t>(value); }
};

// The field at the front of `bytes`; field.begin counts from there, place is 0. A payload of bytes may reach beyond.
// Returns what is wrong: empty when nothing is, "cut" when the bytes end within it.
std::string_view decode_field(std::string_view bytes, ProtoField& field) noexcept;
// The varint at the front of `bytes`, which lose it; nullopt: cut, or longer than ten bytes.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) noexcept;

// Appends a field: its tag, and the number or the count of bytes that follow.
void append_proto_number(std::string& out, std::uint32_t field, std::uint64_t value);
void append_proto_length(std::string& out, std::uint32_t field, std::uint64_t bytes);
inline void append_proto_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_proto_length(out, field, bytes.size());
  out += bytes;
}

// Bytes of a source through one window, which grows while it is read in order and shrinks after a jump: a walk over
// many small fields reads large pieces, one that seeks over payloads reads a page each. Not thread-safe.
class ProtoWindow {
 public:
  // The source must outlive the window.
  explicit ProtoWindow(ByteSource& source) : source_(source) {}
  ProtoWindow(const ProtoWindow&) = delete;
  ProtoWindow& operator=(const ProtoWindow&) = delete;

  ByteSource& source() noexcept { return source_; }
  // The bytes at `offset`, valid until the next call; fewer only at the end of the source. Errors: file_read.
  Result<std::string_view> view(std::uint64_t offset, std::size_t count);

 private:
  static constexpr std::size_t kSmallest = 4096, kLargest = 256 * 1024;

  ByteSource& source_;
  std::string buffer_;
  std::string_view window_;  // of the buffer, or the head of the source
  std::uint64_t begin_ = 0;
  std::size_t next_ = kSmallest;
};

// One message: the bytes [begin, end) of a source. A cheap value; messages within it share its window.
class ProtoMessage {
 public:
  ProtoMessage(ProtoWindow& window, std::uint64_t begin, std::uint64_t end) : window_(&window), at_(begin), end_(end) {}
  // The whole source as a message. Errors: file_read.
  static Result<ProtoMessage> whole(ProtoWindow& window);

  // The next field; false at the end. Errors: protobuf_malformed, file_read.
  Result<bool> next(ProtoField& field);
  // The payload of a field of bytes as a message, or as bytes of at most `limit`. Errors: protobuf_malformed (too
  // long, or the source ends within), file_read.
  ProtoMessage message(const ProtoField& field) const { return {*window_, field.begin, field.begin + field.value}; }
  Result<std::string_view> bytes(const ProtoField& field, std::size_t limit) const;

  // An error at an offset of the source.
  Error malformed(std::uint64_t offset, std::string detail) const;

 private:
  ProtoWindow* window_;
  std::uint64_t at_, end_;
};

}  // namespace tensorspec
