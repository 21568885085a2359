// SPDX-License-Identifier: Apache-2.0
//
// Writes zip archives byte by byte, honest or not: each field of a member can be made to lie.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorspec::tests {

inline std::string le(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) & 255 : 0);
  return out;
}

// Raw deflate, as zip has it.
inline std::string deflated(std::string_view data) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipEntry {
  std::string name, data;  // data as it stands in the archive
  std::uint16_t method = 0, flags = 0;
  bool zip64 = false;       // sizes and offset stand in the zip64 field of the directory
  bool descriptor = false;  // sizes stand behind the data, the local header has none
  std::string local_extra = {};
  std::optional<std::uint64_t> size = {}, compressed = {}, offset = {};  // what the directory says instead
  std::optional<std::string> local_name = {};
  std::optional<std::uint16_t> local_method = {};
};

struct ZipBuilder {
  std::string prefix = {}, comment = {};
  std::vector<ZipEntry> entries = {};
  bool end64 = false;
  // What the end record says instead.
  std::optional<std::uint64_t> count = {}, directory_size = {}, directory_offset = {}, end64_offset = {};

  std::string build() const {
    std::string out = prefix, directory;
    for (const ZipEntry& e : entries) {
      const std::uint64_t here = e.offset.value_or(out.size()), size = e.size.value_or(e.data.size()),
                          compressed = e.compressed.value_or(e.data.size());
      const std::uint16_t flags = static_cast<std::uint16_t>(e.flags | (e.descriptor ? 8 : 0));
      const std::string name = e.local_name.value_or(e.name);
      const std::string sizes = e.descriptor ? le(0, 12) : le(0, 4) + le(compressed, 4) + le(size, 4);
      out += "PK\3\4" + le(20, 2) + le(flags, 2) + le(e.local_method.value_or(e.method), 2) + le(0, 4) + sizes +
             le(name.size(), 2) + le(e.local_extra.size(), 2) + name + e.local_extra + e.data;
      if (e.descriptor) out += "PK\7\10" + le(0, 4) + le(compressed, 4) + le(size, 4);

      const std::string extra = e.zip64 ? le(0x9999, 2) + le(2, 2) + "ab" + le(1, 2) + le(24, 2) + le(size, 8) +
                                              le(compressed, 8) + le(here, 8)
                                        : "";
      constexpr std::uint32_t kOnes = 0xFFFFFFFF;
      directory += "PK\1\2" + le(20, 2) + le(20, 2) + le(flags, 2) + le(e.method, 2) + le(0, 8) +
                   le(e.zip64 ? kOnes : compressed, 4) + le(e.zip64 ? kOnes : size, 4) + le(e.name.size(), 2) +
                   le(extra.size(), 2) + le(0, 10) + le(e.zip64 ? kOnes : here, 4) + e.name + extra;
    }
    const std::uint64_t begin = directory_offset.value_or(out.size()),
                        bytes = directory_size.value_or(directory.size()), members = count.value_or(entries.size());
    out += directory;
    if (end64) {
      const std::uint64_t record = end64_offset.value_or(out.size());
      out += "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 8) + le(members, 8) + le(members, 8) + le(bytes, 8) +
             le(begin, 8);
      out += "PK\6\7" + le(0, 4) + le(record, 8) + le(1, 4);
      return out + "PK\5\6" + le(0, 4) + le(0xFFFFFFFFFFFFFFFF, 8) + le(0xFFFFFFFF, 4) + le(comment.size(), 2) +
             comment;
    }
    return out + "PK\5\6" + le(0, 4) + le(members, 2) + le(members, 2) + le(bytes, 4) + le(begin, 4) +
           le(comment.size(), 2) + comment;
  }
};

}  // namespace tensorspec::tests
