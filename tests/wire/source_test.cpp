// SPDX-License-Identifier: Apache-2.0
#include "wire/source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace tensorspec {
namespace {

std::string counted(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  return bytes;
}

// A pipe that a thread fills, so that more than the pipe's buffer can pass.
class Pipe {
 public:
  explicit Pipe(std::string bytes) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([fd = ends_[1], bytes = std::move(bytes)] {
      for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
      }
      ::close(fd);
    });
  }
  ~Pipe() {
    char sink[4096];
    while (::read(ends_[0], sink, sizeof sink) > 0) {}
    writer_.join();
    ::close(ends_[0]);
  }
  int fd() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

std::string read(ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string out(count, '?');
  const auto got = source.read_at(offset, out);
  EXPECT_TRUE(got.ok());
  out.resize(got.ok() ? *got : 0);
  return out;
}

std::filesystem::path scratch(std::string_view name) {
  return std::filesystem::temp_directory_path() /
         ("tensorspec_" + std::to_string(::getpid()) + "_" + std::string(name));
}

TEST(Bytes, PlacesAndRanges) {
  EXPECT_EQ(hex(0), "0x00");
  EXPECT_EQ(hex(10), "0x0a");
  EXPECT_EQ(hex(0x1F40), "0x1f40");
  EXPECT_EQ((Place{.file = "w.npz", .member = "conv1.npy"}).at(10), "w.npz:conv1.npy@0x0a");
  EXPECT_EQ((Place{.file = "w.npy"}).text(), "w.npy");
  EXPECT_EQ(load_le<std::uint32_t>("\1\2\3\xff", 0), 0xFF030201u);
  EXPECT_TRUE(fits(3, 4, 7));
  EXPECT_FALSE(fits(3, 5, 7));
  EXPECT_FALSE(fits(8, 0, 7));
  EXPECT_FALSE(fits(2, UINT64_MAX, 7));
}

// Whatever the kind of source, each read gives the same bytes; sizes around the head and the pieces of a stream.
TEST(Source, AllKindsAgree) {
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 65536u, 200000u}) {
    const std::string bytes = counted(size);
    const auto path = scratch("agree");
    std::ofstream(path, std::ios::binary) << bytes;
    const Pipe pipe(bytes);
    auto file = open_file(path);
    ASSERT_TRUE(file.ok());
    const auto memory = open_memory("m", std::as_bytes(std::span(bytes)));
    const auto stream = open_stream("s", pipe.fd());
    for (ByteSource* source : {file->get(), memory.get(), stream.get()}) {
      EXPECT_EQ(*source->head(), std::string_view(bytes).substr(0, ByteSource::kHeadBytes));
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4090}, std::uint64_t{4096},
                                         std::uint64_t{70000}, std::uint64_t{199990}})
        for (const std::size_t count : {0u, 1u, 100u, 5000u})
          EXPECT_EQ(read(*source, offset, count),
                    offset < size ? bytes.substr(static_cast<std::size_t>(offset), count) : "")
              << size << " " << offset << " " << count;
      EXPECT_EQ(read(*source, UINT64_MAX - 3, 100), "");
      EXPECT_EQ(*source->size(), size);
    }
    std::filesystem::remove(path);
  }
}

TEST(Source, AStreamForgetsWhatIsBehind) {
  const std::string bytes = counted(100000);
  const Pipe pipe(bytes);
  // The limit is on what is held, not on what passes.
  const auto stream = open_stream("s", pipe.fd(), 8192);
  std::string all;
  for (std::string piece; !(piece = read(*stream, all.size(), 4096)).empty();) {
    all += piece;
    stream->forget_before(all.size());
  }
  EXPECT_EQ(all, bytes);
  EXPECT_EQ(stream->head()->size(), ByteSource::kHeadBytes);
  char one = 0;
  const auto gone = stream->read_at(5000, {&one, 1});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::file_read);
}

TEST(Source, AStreamIsHeldUpToALimit) {
  for (const std::size_t size : {10000u, 10001u}) {
    const Pipe pipe(counted(size));
    const auto stream = open_stream("s", pipe.fd(), 10000);
    const auto held = stream->size();
    EXPECT_EQ(held.ok(), size == 10000);
    EXPECT_TRUE(held.ok() || held.error().code == ErrorCode::file_read);
  }
}

TEST(Source, ErrorsNameThePath) {
  const auto none = open_file("/nonexistent/a.npy");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::file_open);
  EXPECT_EQ(none.error().message(), "/nonexistent/a.npy: cannot open: No such file or directory");
  const auto folder = open_file("/tmp");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::file_read);
  const auto stream = open_stream("s", -1);
  EXPECT_EQ(stream->head().error().code, ErrorCode::file_read);
  EXPECT_EQ(stream->size().error().code, ErrorCode::file_read);
}

TEST(Source, APipeThatHasAPathIsAStream) {
  const std::string bytes = counted(100000);
  const Pipe pipe(bytes);
  auto source = open_file("/dev/fd/" + std::to_string(pipe.fd()));
  ASSERT_TRUE(source.ok()) << source.error().message();
  EXPECT_EQ(*(*source)->size(), bytes.size());
  EXPECT_EQ(read(**source, 99990, 20), bytes.substr(99990));
}

}  // namespace
}  // namespace tensorspec
