// SPDX-License-Identifier: Apache-2.0
#include "wire/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/try.hpp"

namespace tensorspec {

Result<std::string_view> ByteSource::head() {
  if (!head_read_) {
    TRY(head_size_, fetch_head(head_));
    head_read_ = true;
  }
  return std::string_view(head_.data(), head_size_);
}

Result<std::size_t> ByteSource::read_at(std::uint64_t offset, std::span<char> out) {
  if (!head_read_ || !fits(offset, out.size(), head_size_)) return fetch(offset, out);
  std::copy_n(head_.data() + offset, out.size(), out.data());
  return out.size();
}

Error ByteSource::read_error(std::uint64_t offset, std::string reason) const {
  if (reason.empty()) reason = std::generic_category().message(errno);
  return Error{.code = ErrorCode::file_read, .where = place().at(offset), .detail = std::move(reason)};
}

namespace {

// Owns a descriptor; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int fd) : ByteSource(std::move(name)), descriptor_(fd) {}

  Result<std::uint64_t> size() override {
    if (const auto known = known_size()) return *known;
    return read_error(0, {});
  }
  std::optional<std::uint64_t> known_size() const noexcept override {
    struct stat status = {};
    if (::fstat(descriptor_.get(), &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  }
  Descriptor release() && { return std::move(descriptor_); }

 protected:
  Result<std::size_t> fetch(std::uint64_t offset, std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      TRY(const std::size_t got, read_once(offset + done, out.subspan(done)));
      if (got == 0) break;
      done += got;
    }
    return done;
  }
  // Without the second read that would prove the end of a small file: it costs as much as the first.
  Result<std::size_t> fetch_head(std::span<char> out) override { return read_once(0, out); }

 private:
  Result<std::size_t> read_once(std::uint64_t offset, std::span<char> out) {
    if (offset > std::uint64_t{std::numeric_limits<off_t>::max()}) return std::size_t{0};
    ssize_t got = 0;
    do got = ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    while (got < 0 && errno == EINTR);
    if (got < 0) return read_error(offset, {});
    return static_cast<std::size_t>(got);
  }

  Descriptor descriptor_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes) : ByteSource(std::move(name)), bytes_(bytes) {}

  Result<std::uint64_t> size() override { return std::uint64_t{bytes_.size()}; }
  std::optional<std::uint64_t> known_size() const noexcept override { return bytes_.size(); }

 protected:
  Result<std::size_t> fetch(std::uint64_t offset, std::span<char> out) override {
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count = std::min(out.size(), bytes_.size() - static_cast<std::size_t>(offset));
    if (count > 0) std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
};

// Keeps what was read since the last forget_before: the window [begin_, begin_ + window_.size()).
class StreamSource final : public ByteSource {
 public:
  StreamSource(std::string name, int fd, Descriptor owned, std::size_t max_spooled)
      : ByteSource(std::move(name)), fd_(fd), owned_(std::move(owned)), max_spooled_(max_spooled) {}

  Result<std::uint64_t> size() override {
    TRY_VOID(read_until(std::numeric_limits<std::uint64_t>::max()));
    return begin_ + window_.size();
  }

  void forget_before(std::uint64_t offset) override {
    // The head stays readable, so it is taken before its bytes go.
    if (offset <= begin_ || !head().ok()) return;
    const std::uint64_t count = std::min<std::uint64_t>(offset - begin_, window_.size());
    window_.erase(0, static_cast<std::size_t>(count));
    begin_ += count;
  }

 protected:
  Result<std::size_t> fetch(std::uint64_t offset, std::span<char> out) override {
    const bool wraps = !fits(offset, out.size(), std::numeric_limits<std::uint64_t>::max());
    TRY_VOID(read_until(wraps ? std::numeric_limits<std::uint64_t>::max() : offset + out.size()));
    if (offset < begin_) return read_error(offset, "this part of the stream is gone");
    if (offset >= begin_ + window_.size()) return std::size_t{0};
    const auto from = static_cast<std::size_t>(offset - begin_);
    return window_.copy(out.data(), out.size(), from);
  }

 private:
  // Reads until the window ends at `end`, or the stream does.
  Status read_until(std::uint64_t end) {
    static constexpr std::uint64_t kPiece = 64 * 1024;
    while (!ended_ && begin_ + window_.size() < end) {
      const std::size_t held = window_.size();
      if (held > max_spooled_)
        return read_error(begin_ + held, "the stream has more than " + std::to_string(max_spooled_) +
                                             " bytes, the most that is held of one that cannot be sought");
      const std::uint64_t want = std::min({end - begin_ - held, kPiece, std::uint64_t{max_spooled_ - held} + 1});
      window_.resize(held + static_cast<std::size_t>(want));
      ssize_t n = 0;
      do n = ::read(fd_, window_.data() + held, static_cast<std::size_t>(want));
      while (n < 0 && errno == EINTR);
      const int reason = errno;
      window_.resize(held + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      if (n < 0) return read_error(begin_ + held, std::generic_category().message(reason));
      ended_ = n == 0;
    }
    return {};
  }

  int fd_;
  Descriptor owned_;
  std::size_t max_spooled_;
  std::string window_;
  std::uint64_t begin_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path) {
  int fd = -1;
  do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  if (fd < 0)
    return Error{
        .code = ErrorCode::file_open, .where = path.string(), .detail = std::generic_category().message(errno)};
  auto file = std::make_unique<FileSource>(path.string(), fd);
  // The one read that every format needs; it also tells what cannot be sought, without a further system call.
  if (auto head = file->head(); !head.ok()) {
    if (::lseek(fd, 0, SEEK_CUR) >= 0 || errno != ESPIPE) return std::move(head).error();
    return std::unique_ptr<ByteSource>(
        std::make_unique<StreamSource>(path.string(), fd, std::move(*file).release(), kMaxSpooledBytes));
  }
  return std::unique_ptr<ByteSource>(std::move(file));
}

std::unique_ptr<ByteSource> open_memory(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> open_stream(std::string name, int file_descriptor, std::size_t max_spooled) {
  return std::make_unique<StreamSource>(std::move(name), file_descriptor, Descriptor(-1), max_spooled);
}

}  // namespace tensorspec
