// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/try.hpp"

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

// Where a link leads, which need not exist yet: a link stays a link, what it points to is replaced.
std::filesystem::path behind_links(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    path = path.parent_path() / next;
  }
  return path;
}

using Producer = std::function<Status(const FileWriter& write)>;

// Fills a file by a producer; an error of the system is that of errno at `path`.
class Filling {
 public:
  Filling(const std::filesystem::path& path, const Producer& produce) : path_(path), produce_(produce) {}

  Status into(int fd) {
    return produce_([&](std::string_view bytes) -> Status {
      if (!write_all(fd, bytes)) return failed(ErrorCode::file_write, path_);
      return {};
    });
  }
  // A new file, which is synced.
  Status into_new(int fd, mode_t mode) {
    if (fd < 0 || ::fchmod(fd, mode) != 0) return failed(ErrorCode::file_write, path_);
    if (Status status = into(fd); !status.ok()) return status;
    if (::fsync(fd) != 0) return failed(ErrorCode::file_write, path_);
    return {};
  }

 private:
  const std::filesystem::path& path_;
  const Producer& produce_;
};

// Gives a file without a name one that begins with `stem`; empty when it cannot have one.
std::string give_name(int fd, const std::string& stem) {
  const std::string file = "/proc/self/fd/" + std::to_string(fd);
  for (int number = 0; number < 100; ++number) {
    const std::string name = stem + std::to_string(::getpid()) + "-" + std::to_string(number);
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

// A new file in `folder`, filled and synced. Returns its name, which begins with `stem`.
Result<std::string> write_new(const std::filesystem::path& folder, const std::string& stem, mode_t mode,
                              Filling& filling) {
  {
    // Without a name until it is whole, so that a kill leaves nothing behind; not every file system can.
    const Descriptor nameless(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (nameless.get() >= 0) {
      if (Status status = filling.into_new(nameless.get(), mode); !status.ok()) return std::move(status).error();
      if (std::string name = give_name(nameless.get(), stem); !name.empty()) return name;
    }
  }
  std::string name = stem + "XXXXXX";
  Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  const bool made = named.get() >= 0;
  Status status = filling.into_new(named.get(), mode);
  if (status.ok() && !named.close()) status = failed(ErrorCode::file_write, name);
  if (status.ok()) return name;
  if (made) ::unlink(name.c_str());
  return std::move(status).error();
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

Status check_keeps(const std::filesystem::path& input, const std::filesystem::path& output,
                   std::string_view input_name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored) && std::filesystem::equivalent(input, output, ignored))
    return Error{ErrorCode::invalid_argument, output.string(),
                 std::string(input_name) + " is not replaced: name another file"};
  return {};
}

Status save_file(const std::filesystem::path& path, std::string_view bytes) {
  return save_file(path, [bytes](const FileWriter& write) { return write(bytes); });
}

Status save_file(const std::filesystem::path& path, const std::function<Status(const FileWriter& write)>& produce) {
  Filling filling(path, produce);
  struct stat known {};
  const bool exists = ::stat(path.c_str(), &known) == 0;
  if (!exists && errno != ENOENT) return failed(ErrorCode::file_write, path);
  if (exists && !S_ISREG(known.st_mode)) {
    // A pipe or a device (/dev/stdout) cannot be replaced, only written to.
    Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (out.get() < 0) return failed(ErrorCode::file_write, path);
    return filling.into(out.get());
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? known.st_mode & 07777 : 0666 & ~mask;
  const std::filesystem::path target = behind_links(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  TRY(const std::string name,
      write_new(folder, (folder / ("." + target.filename().string() + ".")).string(), mode, filling));
  if (::rename(name.c_str(), target.c_str()) != 0) {
    Error error = failed(ErrorCode::file_write, path);
    ::unlink(name.c_str());
    return error;
  }
  // The rename itself must survive a crash too; a file system that cannot sync a folder is no failure of the write.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
  return {};
}

}  // namespace tensorspec
