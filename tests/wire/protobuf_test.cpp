// SPDX-License-Identifier: Apache-2.0
#include "wire/protobuf.hpp"

#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "wire/proto_builder.hpp"

namespace tensorspec {
namespace {

using tests::bytes;
using tests::fixed32;
using tests::fixed64;
using tests::le;
using tests::tag;
using tests::varint;

// "1=5 8:3" is varint 5 in field 1 and three bytes in field 8; then the error, if any.
std::string walk(ProtoMessage message) {
  std::string out;
  for (ProtoField field;;) {
    const auto more = message.next(field);
    if (!more.ok()) return out + tests::described(more.error());
    if (!*more) return out;
    out += std::to_string(field.number) + (field.wire == ProtoField::Wire::bytes ? ":" : "=") +
           std::to_string(field.value) + " ";
  }
}
std::string walk(const std::string& text) {
  const auto source = open_memory("x", std::as_bytes(std::span(text)));
  ProtoWindow window(*source);
  return walk(ProtoMessage::whole(window).value());
}

TEST(Protobuf, FieldsOfAMessage) {
  const std::string minus_one = le(~std::uint64_t{0}, 8);
  const struct {
    const char* what;
    std::string message, expected;
  } cases[] = {
      {"none", "", ""},
      {"of each kind", varint(1, 5) + bytes(8, "abc") + fixed64(2, 7) + fixed32(3, 9), "1=5 8:3 2=7 3=9 "},
      {"largest values", varint(1, ~std::uint64_t{0}) + fixed64(2, ~std::uint64_t{0}),
       "1=18446744073709551615 2=18446744073709551615 "},
      {"largest number", varint(536870911, 1), "536870911=1 "},
      {"a number in more bytes than it needs", std::string("\x88\x80\x00\x81\x80\x00", 6), "1=1 "},
      {"no bytes", bytes(9, ""), "9:0 "},
      {"number 0", std::string("\0\0", 2), "protobuf_malformed x@0x00: no field has such a number"},
      {"number above the largest", tag(536870912, 0) + "a", "protobuf_malformed x@0x00: no field has such a number"},
      {"a group", varint(1, 5) + tag(2, 3) + tag(2, 4), "1=5 protobuf_malformed x@0x02: a group, which is not read"},
      {"the end of a group", tag(2, 4), "protobuf_malformed x@0x00: a group, which is not read"},
      {"kind 6", tag(2, 6), "protobuf_malformed x@0x00: no field is stored in such a way"},
      {"kind 7", tag(2, 7), "protobuf_malformed x@0x00: no field is stored in such a way"},
      {"cut in a tag", "\x80", "protobuf_malformed x@0x00: the message ends within a field"},
      {"cut in a number", varint(1, 5) + "\x08\x80", "1=5 protobuf_malformed x@0x02: the message ends within a field"},
      {"no number", "\x08", "protobuf_malformed x@0x00: the message ends within a field"},
      {"cut in 64 bits", fixed64(2, 7).substr(0, 8), "protobuf_malformed x@0x00: the message ends within a field"},
      {"cut in 32 bits", fixed32(2, 7).substr(0, 4), "protobuf_malformed x@0x00: the message ends within a field"},
      {"eleven bytes", "\x08" + std::string(10, '\x80') + "\1",
       "protobuf_malformed x@0x00: a number of more than ten bytes"},
      {"one byte too many", bytes(9, "ab", 3), "protobuf_malformed x@0x00: field 9 says 3 bytes, 2 remain"},
      {"a length that wraps", bytes(9, "ab", ~std::uint64_t{0}),
       "protobuf_malformed x@0x00: field 9 says 18446744073709551615 bytes, 2 remain"},
  };
  for (const auto& c : cases) EXPECT_EQ(walk(c.message), c.expected) << c.what;
}

// Payloads of many sizes, so that fields lie on every edge of the window.
TEST(Protobuf, ManyFieldsAndLargePayloads) {
  std::string text, expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t size = i % 7 == 0 ? i * 5 : i % 50;
    text += bytes(i % 15 + 1, std::string(size, static_cast<char>(i)));
    expected += std::to_string(i % 15 + 1) + ":" + std::to_string(size) + " ";
  }
  EXPECT_EQ(walk(text), expected);
}

TEST(Protobuf, MessagesWithinMessages) {
  const std::string inner = varint(1, 5) + bytes(2, "abc"), text = bytes(3, inner) + varint(4, 6);
  const auto source = open_memory("x", std::as_bytes(std::span(text)));
  ProtoWindow window(*source);
  ProtoMessage outer = ProtoMessage::whole(window).value();
  ProtoField field;
  ASSERT_TRUE(outer.next(field).value());
  EXPECT_EQ(walk(outer.message(field)), "1=5 2:3 ");
  ProtoMessage within = outer.message(field);
  ProtoField deeper;
  ASSERT_TRUE(within.next(deeper).value() && within.next(deeper).value());
  EXPECT_EQ(within.bytes(deeper, 3).value(), "abc");
  EXPECT_EQ(tests::described(within.bytes(deeper, 2).error()),
            "protobuf_malformed x@0x04: field 2 has 3 bytes, the limit is 2");
  EXPECT_EQ(walk(outer), "4=6 ");
  // A field of an inner message may not reach beyond it, although the file goes on.
  EXPECT_EQ(walk(bytes(3, bytes(2, "abc", 4)) + varint(4, 6)), "3:5 4=6 ");
  const std::string broken = bytes(3, bytes(2, "abc", 4)) + varint(4, 6);
  const auto second = open_memory("x", std::as_bytes(std::span(broken)));
  ProtoWindow again(*second);
  ProtoMessage whole = ProtoMessage::whole(again).value();
  ASSERT_TRUE(whole.next(field).value());
  EXPECT_EQ(walk(whole.message(field)), "protobuf_malformed x@0x02: field 2 says 4 bytes, 3 remain");
}

// Reads nothing of what it seeks over.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string bytes, std::uint64_t size)
      : ByteSource("x"), bytes_(std::move(bytes)), size_(size) {}
  Result<std::uint64_t> size() override { return size_; }
  std::uint64_t read = 0;

 protected:
  Result<std::size_t> fetch(std::uint64_t offset, std::span<char> out) override {
    const std::uint64_t count = offset < size_ ? std::min<std::uint64_t>(out.size(), size_ - offset) : 0;
    for (std::size_t i = 0; i < count; ++i) out[i] = offset + i < bytes_.size() ? bytes_[offset + i] : '\x08';
    read += count;
    return static_cast<std::size_t>(count);
  }

 private:
  std::string bytes_;
  std::uint64_t size_;
};

TEST(Protobuf, PayloadsAreSeekedOver) {
  const std::string front = bytes(9, "", std::uint64_t{1} << 50);
  CountingSource source(front, front.size() + (std::uint64_t{1} << 50) + 2);
  ProtoWindow window(source);
  EXPECT_EQ(walk(ProtoMessage::whole(window).value()), "9:1125899906842624 1=8 ");
  EXPECT_LT(source.read, 10000u);
}

}  // namespace
}  // namespace tensorspec
