// SPDX-License-Identifier: Apache-2.0
#include "wire/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kLocal{"PK\3\4", 4}, kCentral{"PK\1\2", 4}, kEnd{"PK\5\6", 4}, kEnd64{"PK\6\6", 4},
    kLocator64{"PK\6\7", 4};
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
constexpr std::size_t kMaxComment = 65535;
constexpr std::uint16_t kMax16 = 0xFFFF;
constexpr std::uint32_t kMax32 = 0xFFFFFFFF;
constexpr std::uint16_t kEncrypted = 0x0001, kMasked = 0x2000;
constexpr std::uint16_t kUtf8 = 0x0800;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
// Room for the extra fields of a local header (zip64: 20 bytes), so that header and data come in one read.
constexpr std::size_t kUsualExtra = 64;

// Where the directory is, as the end record says.
struct Directory {
  std::uint64_t begin = 0, size = 0, count = 0, end_record = 0;
  bool count_is_16_bits = false;
};

Error malformed(const ByteSource& source, std::uint64_t offset, std::string detail) {
  return Error{.code = ErrorCode::zip_malformed, .where = source.place().at(offset), .detail = std::move(detail)};
}

// Bytes from `offset` on, fewer at the end of the source.
Result<std::string> bytes_at(ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  TRY(const std::size_t got, source.read_at(offset, bytes));
  bytes.resize(got);
  return bytes;
}

// The zip64 end record, when a locator stands before the plain one; nullopt: there is none.
Result<std::optional<Directory>> find_zip64(ByteSource& source, std::uint64_t end_record) {
  if (end_record < kLocator64Size) return std::optional<Directory>();
  const std::uint64_t locator = end_record - kLocator64Size;
  TRY(const std::string found, bytes_at(source, locator, kLocator64Size));
  if (found.size() < kLocator64Size || !found.starts_with(kLocator64)) return std::optional<Directory>();
  const auto at = load_le<std::uint64_t>(found, 8);
  if (!fits(at, kEnd64Size, locator)) return malformed(source, locator, "the zip64 end record lies at " + hex(at));
  TRY(const std::string record, bytes_at(source, at, kEnd64Size));
  if (record.size() < kEnd64Size || !record.starts_with(kEnd64))
    return malformed(source, at, "no zip64 end record here");
  if (load_le<std::uint32_t>(record, 16) != 0 || load_le<std::uint32_t>(record, 20) != 0)
    return malformed(source, at, "one part of a split archive");
  return std::optional(Directory{.begin = load_le<std::uint64_t>(record, 48),
                                 .size = load_le<std::uint64_t>(record, 40),
                                 .count = load_le<std::uint64_t>(record, 32),
                                 .end_record = at});
}

// The end record whose comment reaches exactly to the end of the tail: bytes in a comment that only look like one are
// passed over. `or_last`: otherwise the last there is, with whatever stands behind it, as others read it.
std::size_t find_end_record(std::string_view tail, bool or_last) {
  if (tail.size() < kEndSize) return std::string_view::npos;
  const std::size_t last = tail.rfind(kEnd, tail.size() - kEndSize);
  for (std::size_t place = last; place != std::string_view::npos;
       place = place == 0 ? std::string_view::npos : tail.rfind(kEnd, place - 1))
    if (place + kEndSize + load_le<std::uint16_t>(tail, place + 20) == tail.size()) return place;
  return or_last ? last : std::string_view::npos;
}

Result<Directory> find_directory(ByteSource& source) {
  TRY(const std::uint64_t size, source.size());
  std::string tail;
  std::size_t place = std::string::npos;
  // A comment is rare: look at the last page first, which mostly holds the whole directory too.
  for (const std::size_t reach : {std::size_t{4096}, kEndSize + kMaxComment}) {
    const std::uint64_t count = std::min<std::uint64_t>(size, reach);
    TRY(tail, bytes_at(source, size - count, static_cast<std::size_t>(count)));
    place = find_end_record(tail, count == size || reach > kMaxComment);
    if (place != std::string::npos || count == size) break;
  }
  if (place == std::string::npos) return malformed(source, size, "no end record: the archive is cut short or no zip");

  const std::uint64_t end_record = size - tail.size() + place;
  TRY(const auto zip64, find_zip64(source, end_record));
  if (zip64) return *zip64;
  if (load_le<std::uint16_t>(tail, place + 4) != 0 || load_le<std::uint16_t>(tail, place + 6) != 0)
    return malformed(source, end_record, "one part of a split archive");
  return Directory{.begin = load_le<std::uint32_t>(tail, place + 16),
                   .size = load_le<std::uint32_t>(tail, place + 12),
                   .count = load_le<std::uint16_t>(tail, place + 10),
                   .end_record = end_record,
                   .count_is_16_bits = true};
}

// Puts the 64-bit values of the extra field in place of those that are all ones. False: the field is too short.
bool apply_zip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = load_le<std::uint16_t>(extra, 0);
    const std::size_t size = load_le<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) return true;  // not a list of fields: others leave padding here
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* value : {&member.size, &member.compressed, &member.offset}) {
      if (*value != kMax32) continue;
      if (field.size() < 8) return false;
      *value = load_le<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return true;
}

}  // namespace

struct ZipArchive::Inflater {
  z_stream stream = {};
  bool ready = false;

  Inflater() { ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK; }  // negative: no zlib header
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

ZipArchive::ZipArchive(ByteSource& source) : source_(&source) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

std::string zip_name_text(const ZipMember& member) {
  // From 0x80 on.
  static constexpr std::u16string_view kCp437 =
      u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      u"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0";
  if ((member.flags & kUtf8) != 0 || is_utf8(member.name)) return member.name;
  std::string out;
  for (const char c : member.name) {
    const auto byte = static_cast<unsigned char>(c);
    append_code_point(out, byte < 0x80 ? byte : kCp437[byte - 0x80]);
  }
  return out;
}

std::string_view zip_first_name(std::string_view head) noexcept {
  if (!head.starts_with(kLocal) || head.size() < kLocalSize) return {};
  const std::size_t length = load_le<std::uint16_t>(head, 26);
  return length <= head.size() - kLocalSize ? head.substr(kLocalSize, length) : std::string_view();
}

Result<ZipArchive> ZipArchive::open(ByteSource& source) {
  TRY(const Directory directory, find_directory(source));
  if (!fits(directory.begin, directory.size, directory.end_record))
    return malformed(source, directory.end_record,
                     "the directory of " + std::to_string(directory.size) + " bytes at " + hex(directory.begin) +
                         " does not fit before its end record");
  if (directory.count > kMaxMembers || directory.size > kMaxDirectoryBytes)
    return Error{.code = ErrorCode::zip_too_many_members,
                 .where = source.place().at(directory.end_record),
                 .detail = std::to_string(directory.count) + " members in " + std::to_string(directory.size) +
                           " bytes; the limits are " + std::to_string(kMaxMembers) + " and " +
                           std::to_string(kMaxDirectoryBytes)};
  ZipArchive archive(source);
  TRY_VOID(archive.read_directory(directory.begin, directory.size, directory.count));
  const std::uint64_t found = archive.members_.size();
  // Writers without zip64 let the count wrap at 65536.
  if (found != directory.count && !(directory.count_is_16_bits && (found & kMax16) == directory.count))
    return malformed(source, directory.end_record,
                     "the end record says " + std::to_string(directory.count) + " members, the directory has " +
                         std::to_string(found));
  archive.set_ends(directory.begin);
  return archive;
}

Status ZipArchive::read_directory(std::uint64_t begin, std::uint64_t size, std::uint64_t count) {
  TRY(const std::string bytes, bytes_at(*source_, begin, static_cast<std::size_t>(size)));
  if (bytes.size() < size) return malformed(*source_, begin + bytes.size(), "the directory is cut short");
  members_.reserve(static_cast<std::size_t>(std::min(count, size / kCentralSize)));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view entry = std::string_view(bytes).substr(at);
    if (entry.size() < kCentralSize || !entry.starts_with(kCentral))
      return malformed(*source_, begin + at, "no directory entry here");
    if (members_.size() == kMaxMembers)
      return Error{.code = ErrorCode::zip_too_many_members,
                   .where = source_->place().at(begin + at),
                   .detail = "the limit is " + std::to_string(kMaxMembers)};
    const std::size_t name = load_le<std::uint16_t>(entry, 28), extra = load_le<std::uint16_t>(entry, 30),
                      comment = load_le<std::uint16_t>(entry, 32);
    if (name + extra + comment > entry.size() - kCentralSize)
      return malformed(*source_, begin + at, "the entry is longer than the directory");
    ZipMember member{.name = std::string(entry.substr(kCentralSize, name)),
                     .compressed = load_le<std::uint32_t>(entry, 20),
                     .size = load_le<std::uint32_t>(entry, 24),
                     .offset = load_le<std::uint32_t>(entry, 42),
                     .method = load_le<std::uint16_t>(entry, 10),
                     .flags = load_le<std::uint16_t>(entry, 8)};
    if (!apply_zip64(entry.substr(kCentralSize + name, extra), member))
      return malformed(*source_, begin + at, "the zip64 field of the entry is too short");
    members_.push_back(std::move(member));
    at += kCentralSize + name + extra + comment;
  }
  return {};
}

void ZipArchive::set_ends(std::uint64_t directory) {
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return members_[a].offset > members_[b].offset; });
  // Of two at one offset the second has no room left, so it is the one that is refused.
  for (const std::size_t index : order) {
    members_[index].end = directory;
    directory = std::min(directory, members_[index].offset);
  }
}

// The bytes at `offset`, valid until the next call; fewer than `count` only at the end of the source.
Result<std::string_view> ZipArchive::view(std::uint64_t offset, std::size_t count) {
  if (offset < window_begin_ || !fits(offset - window_begin_, count, window_.size())) {
    window_.resize(count);
    auto got = source_->read_at(offset, window_);
    window_.resize(got.ok() ? *got : 0);
    window_begin_ = offset;
    if (!got.ok()) return std::move(got).error();
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(offset - window_begin_), count);
}

// Where the member's data begins; reads its local header and `ahead` bytes more.
Result<std::uint64_t> ZipArchive::data_offset(const ZipMember& member, std::size_t ahead) {
  const auto header = [&](std::string_view fault) {
    return bad_member(member, "its header at " + hex(member.offset) + " " + std::string(fault));
  };
  if (!fits(member.offset, kLocalSize + member.name.size(), member.end))
    return header("overlaps what begins at " + hex(member.end));
  TRY(const std::string_view bytes, view(member.offset, kLocalSize + member.name.size() + kUsualExtra + ahead));
  if (bytes.size() < kLocalSize + member.name.size()) return header("is cut short");
  if (!bytes.starts_with(kLocal)) return header("is none");
  const std::size_t name = load_le<std::uint16_t>(bytes, 26), extra = load_le<std::uint16_t>(bytes, 28);
  if (name != member.name.size() || bytes.substr(kLocalSize, name) != member.name) return header("has another name");
  if (load_le<std::uint16_t>(bytes, 8) != member.method) return header("has another method");
  if ((load_le<std::uint16_t>(bytes, 6) | member.flags) & (kEncrypted | kMasked))
    return bad_member(member, "it is encrypted");
  const std::uint64_t data = member.offset + kLocalSize + name + extra;
  if (!fits(data, member.compressed, member.end))
    return bad_member(member, "its " + std::to_string(member.compressed) + " bytes at " + hex(data) +
                                  " overlap what begins at " + hex(member.end));
  return data;
}

Result<std::size_t> ZipArchive::read_first(const ZipMember& member, std::span<char> out) {
  if (member.method != kStored && member.method != kDeflated)
    return bad_member(member,
                      "compression method " + std::to_string(member.method) + " is neither stored nor deflated");
  if (member.method == kStored && member.compressed != member.size)
    return bad_member(member, "stored, but of " + std::to_string(member.compressed) + " and " +
                                  std::to_string(member.size) + " bytes at once");
  TRY(const std::uint64_t data, data_offset(member, out.size()));
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), member.size)));
  return member.method == kStored ? copy_stored(member, data, out) : inflate_first(member, data, out);
}

Result<std::size_t> ZipArchive::copy_stored(const ZipMember& member, std::uint64_t data, std::span<char> out) {
  TRY(const std::string_view bytes, view(data, out.size()));
  if (bytes.size() < out.size()) return bad_member(member, "its data is cut short");
  return bytes.copy(out.data(), out.size());
}

Result<std::size_t> ZipArchive::inflate_first(const ZipMember& member, std::uint64_t data, std::span<char> out) {
  if (!inflater_) inflater_ = std::make_unique<Inflater>();
  z_stream& stream = inflater_->stream;
  if (!inflater_->ready || inflateReset(&stream) != Z_OK) return bad_member(member, "no memory to inflate it");
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  // Deflate can go on for gigabytes and give nothing (empty blocks); honest data needs little more than it gives.
  const std::uint64_t most = std::min<std::uint64_t>(member.compressed, 2 * out.size() + 64 * 1024);
  const std::size_t piece = std::clamp<std::size_t>(out.size(), 512, 64 * 1024);
  for (std::uint64_t used = 0; stream.avail_out > 0;) {
    if (used == most)
      return bad_member(member, "its deflated data ends, or says nothing, after " + std::to_string(used) + " bytes");
    TRY(const std::string_view bytes,
        view(data + used, static_cast<std::size_t>(std::min<std::uint64_t>(most - used, piece))));
    if (bytes.empty()) return bad_member(member, "its data is cut short");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's older signature
    stream.avail_in = static_cast<uInt>(bytes.size());
    const int outcome = inflate(&stream, Z_SYNC_FLUSH);
    used += bytes.size() - stream.avail_in;
    if (outcome == Z_STREAM_END) break;
    if (outcome != Z_OK && outcome != Z_BUF_ERROR)
      return bad_member(member, "its deflated data is damaged near " + hex(data + used));
  }
  return out.size() - stream.avail_out;
}

Error ZipArchive::bad_member(const ZipMember& member, std::string detail) const {
  return Error{.code = ErrorCode::zip_member,
               .where = Place{.file = source_->name(), .member = member.name}.text(),
               .detail = std::move(detail)};
}

}  // namespace tensorspec
