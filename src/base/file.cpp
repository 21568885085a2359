// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tensorspec {
namespace {

Error failed(ErrorCode code, const std::filesystem::path& path) {
  return Error{code, path.string(), std::strerror(errno)};  // NOLINT: the text is copied at once
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Close and say whether the system took everything.
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::string> load_file(const std::filesystem::path& path, std::uint64_t limit) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed(ErrorCode::file_open, path);
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 16);
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(ErrorCode::file_read, path);
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    if (bytes.size() > limit)
      return Error{ErrorCode::file_read, path.string(), "larger than the limit of " + std::to_string(limit) + " bytes"};
  }
}

Status save_file(const std::filesystem::path& path, std::string_view bytes) {
  // A link stays a link: what it points to is replaced.
  std::error_code ignored;
  const std::filesystem::path target =
      std::filesystem::is_symlink(path, ignored) ? std::filesystem::weakly_canonical(path, ignored) : path;
  struct stat known {};
  const bool exists = ::stat(target.c_str(), &known) == 0;
  if (exists && !S_ISREG(known.st_mode)) {
    // A pipe or a device (/dev/stdout) cannot be replaced, only written to.
    Descriptor out(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (out.get() < 0 || !write_all(out.get(), bytes)) return failed(ErrorCode::file_write, path);
    return {};
  }
  std::filesystem::path folder = target.parent_path();
  if (folder.empty()) folder = ".";
  std::string name = (folder / ("." + target.filename().string() + ".XXXXXX")).string();
  Descriptor out(::mkstemp(name.data()));
  if (out.get() < 0) return failed(ErrorCode::file_write, path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? known.st_mode & 07777 : 0666 & ~mask;
  const bool written = ::fchmod(out.get(), mode) == 0 && write_all(out.get(), bytes) && ::fsync(out.get()) == 0 &&
                       out.close() && ::rename(name.c_str(), target.c_str()) == 0;
  if (!written) {
    Error error = failed(ErrorCode::file_write, path);
    ::unlink(name.c_str());
    return error;
  }
  // The rename itself must survive a crash too; a file system that cannot sync a folder is no failure of the write.
  Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
  return {};
}

}  // namespace tensorspec
