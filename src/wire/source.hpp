// SPDX-License-Identifier: Apache-2.0
//
// Where bytes come from: a file, memory, or a stream that cannot be sought. Random access by offset; a length is never
// believed, so a read past the end is short and no error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensorspec/result.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {

// Not thread-safe; one source per reading thread.
class ByteSource {
 public:
  // One page: enough for every magic and for nearly every .npy header, so such a file costs one read in all.
  static constexpr std::size_t kHeadBytes = 4096;

  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const noexcept { return name_; }
  Place place() const noexcept { return {.file = name_}; }

  // The first kHeadBytes, fewer when one read gave no more; read once and kept. Errors: file_read.
  Result<std::string_view> head();
  // Fills `out` from `offset` and returns how many bytes there were: fewer than asked only at the end. Errors:
  // file_read.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> out);
  // Length in bytes. A stream is read to its end for this. Errors: file_read.
  virtual Result<std::uint64_t> size() = 0;
  // The length where it costs nothing to know; nullopt: a stream, or what has none.
  virtual std::optional<std::uint64_t> known_size() const noexcept { return std::nullopt; }
  // Nothing before `offset` is read again (the head may be): a stream need not keep it.
  virtual void forget_before(std::uint64_t /*offset*/) {}

 protected:
  virtual Result<std::size_t> fetch(std::uint64_t offset, std::span<char> out) = 0;
  // The head in one go: may be short although more follows.
  virtual Result<std::size_t> fetch_head(std::span<char> out) { return fetch(0, out); }
  // A file_read error at `offset`; the reason is that of errno when `reason` is empty.
  Error read_error(std::uint64_t offset, std::string reason) const;

 private:
  std::string name_;
  std::array<char, kHeadBytes> head_;
  std::size_t head_size_ = 0;
  bool head_read_ = false;
};

// Bytes that a stream holds at most for formats that seek.
inline constexpr std::size_t kMaxSpooledBytes = std::size_t{1} << 30;

// Opens a file; a pipe or a terminal at that path becomes a stream. Errors: file_open, file_read (a directory).
Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path);
// The bytes must outlive the source.
std::unique_ptr<ByteSource> open_memory(std::string name, std::span<const std::byte> bytes);
// A stream from its present place on. The descriptor stays open and must outlive the source.
std::unique_ptr<ByteSource> open_stream(std::string name, int file_descriptor,
                                        std::size_t max_spooled = kMaxSpooledBytes);

}  // namespace tensorspec
