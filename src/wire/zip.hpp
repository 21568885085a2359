// SPDX-License-Identifier: Apache-2.0
//
// A zip directory and the first bytes of its members: never more than asked for is inflated, and the rest is not read.
//
// Follows PKWARE APPNOTE 6.3.10: zip64, data descriptors, stored (0) and deflated (8) members; no encryption, no split
// archives. Checksums are not verified, since that means reading every byte. Where archives contradict themselves this
// agrees with Python's zipfile, which is what wrote and reads most of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/source.hpp"

namespace tensorspec {

// As the central directory says; nothing here is believed before the bytes are seen.
struct ZipMember {
  std::string name;  // never a path: "../x" is only a name
  std::uint64_t compressed = 0, size = 0;
  std::uint64_t offset = 0;  // of its local header
  std::uint64_t end = 0;     // where the next member or the directory begins
  std::uint16_t method = 0, flags = 0;
};

// The name as UTF-8. Where the archive does not say that names are UTF-8 they are CP437 by the specification, but many
// write UTF-8 all the same: only what cannot be that is decoded. What is neither comes as it is.
std::string zip_name_text(const ZipMember& member);

// The name in the local header that begins `head`; empty when none does or it is cut.
std::string_view zip_first_name(std::string_view head) noexcept;

// Not thread-safe.
class ZipArchive {
 public:
  static constexpr std::uint64_t kMaxMembers = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxDirectoryBytes = std::uint64_t{256} << 20;

  // Reads the directory. `source` must outlive the archive. Members are in the order of the directory. Errors:
  // zip_malformed, zip_too_many_members, file_read. Cost: three reads for an archive with a directory below 4 KiB.
  static Result<ZipArchive> open(ByteSource& source);
  ZipArchive(ZipArchive&&) noexcept;
  ~ZipArchive();

  const std::vector<ZipMember>& members() const noexcept { return members_; }

  // Fills `out` with the first bytes of a member; fewer only when the member is shorter. Usually one read. Errors:
  // zip_member (encrypted, an unknown method, past the end, overlapping, another name in its own header, damaged
  // data), file_read.
  Result<std::size_t> read_first(const ZipMember& member, std::span<char> out);

 private:
  struct Inflater;
  explicit ZipArchive(ByteSource& source);

  Status read_directory(std::uint64_t begin, std::uint64_t size, std::uint64_t count);
  void set_ends(std::uint64_t directory);
  Result<std::string_view> view(std::uint64_t offset, std::size_t count);
  Result<std::uint64_t> data_offset(const ZipMember& member, std::size_t ahead);
  Result<std::size_t> copy_stored(const ZipMember& member, std::uint64_t data, std::span<char> out);
  Result<std::size_t> inflate_first(const ZipMember& member, std::uint64_t data, std::span<char> out);
  Error bad_member(const ZipMember& member, std::string detail) const;

  ByteSource* source_;
  std::vector<ZipMember> members_;
  std::string window_;  // bytes of the source from window_begin_ on
  std::uint64_t window_begin_ = 0;
  std::unique_ptr<Inflater> inflater_;  // made once, reset for each member
};

}  // namespace tensorspec
