// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/recording.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "read/collector.hpp"

namespace tensorspec {
namespace {

using tests::Collector;

constexpr const char* kLine = R"({"inputs": {"x": {"dtype": "float32", "shape": [2]}}})";

// "recording: 2 calls, 1 bad" or the word of the error.
std::string said(std::string_view bytes, std::string_view from = {}) {
  Collector sink;
  const auto format = tests::read(bytes, sink, from);
  if (!format.ok()) return std::string(error_name(format.error().code));
  return *format + ": " + std::to_string(sink.calls.size()) + " calls, " + std::to_string(sink.errors.size()) + " bad";
}

TEST(RecordingReader, ContentsDecide) {
  const std::string line = kLine;
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"a call", line, "recording: 1 calls, 0 bad"},
      {"byte-order mark and blanks", "\xEF\xBB\xBF\n \n" + line + "\n", "recording: 1 calls, 0 bad"},
      {"broken first line", "{oops\n" + line, "recording: 1 calls, 1 bad"},
      {"inputs far behind", R"({"batch_size": 1, "outputs": {}, "inputs" : {}})", "recording: 1 calls, 0 bad"},
      {"a long key first", R"({"note": ")" + std::string(5000, 'x') + R"(", "inputs": {}})",
       "recording: 1 calls, 0 bad"},
      {"a key with escapes", R"({"\u0069nputs": {}})", "recording: 1 calls, 0 bad"},
      {"inputs are null", R"({"inputs": null})", "recording: 1 calls, 0 bad"},
      {"not an object", "[" + line + "]", "unknown_format"},
      {"a request with an array", R"({"inputs": [{"name": "x"}]})", "unknown_format"},
      {"an indented document", "{\n  \"inputs\": {}\n}\n", "unknown_format"},
      {"only the word", R"({"a": "inputs"})", "unknown_format"},
      {"no key", "{}", "unknown_format"},
  };
  for (const auto& c : cases) EXPECT_EQ(said(c.bytes), c.expected) << c.what;
  EXPECT_EQ(said("{}\n" + line, "recording"), "recording: 1 calls, 1 bad");
  EXPECT_EQ(said("", "recording"), "recording: 0 calls, 0 bad");
}

TEST(RecordingReader, ErrorsNameFileAndLine) {
  Collector sink;
  ASSERT_TRUE(tests::read(std::string(kLine) + "\n\nnonsense\n", sink, {}, "calls.jsonl").ok());
  ASSERT_EQ(sink.errors.size(), 1u);
  EXPECT_TRUE(sink.errors[0].where.starts_with("calls.jsonl:line 3")) << sink.errors[0].where;
}

TEST(RecordingReader, StopsWhenTold) {
  Collector sink;
  sink.stop_after = 1;
  EXPECT_TRUE(tests::read("x\ny\n" + std::string(kLine), sink, "recording").ok());
  EXPECT_EQ(sink.errors.size(), 1u);
  EXPECT_TRUE(sink.calls.empty());
}

// Lines fall on every border of pieces; a pipe gives pieces of its own.
TEST(RecordingReader, LongRecordingThroughAPipe) {
  std::string bytes;
  for (int i = 1; i <= 20000; ++i)
    bytes += R"({"inputs": {"x": {"dtype": "float32", "shape": [)" + std::to_string(i) + "]}}}\n";
  Collector whole, piped;
  ASSERT_TRUE(tests::read(bytes, whole).ok());
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::write(ends[1], bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  });
  const auto format = read_stream("-", ends[0], piped);
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(format.ok()) << format.error().message();
  ASSERT_EQ(whole.calls.size(), 20000u);
  EXPECT_EQ(whole.calls.back().inputs[0].shape, Shape{20000});
  EXPECT_EQ(whole.calls, piped.calls);
}

}  // namespace
}  // namespace tensorspec
