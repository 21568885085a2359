// SPDX-License-Identifier: Apache-2.0
//
// Recordings as files: observe/ takes the stream apart, this gives it the bytes.
#include "tensorspec/recording.hpp"

#include <vector>

#include "base/try.hpp"
#include "read/reader.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

bool sniff(const Head& head) {
  std::string_view bytes = head.bytes;
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{' && bytes.find("\"inputs\"") != std::string_view::npos;
}

Status open(ByteSource& source, ReadSink& sink) {
  RecordingParser parser({[&](const Call& call, std::uint64_t line) { sink.call(call, line); },
                          [&](const Error& error) {
                            Error in_file = error;
                            in_file.where = source.name() + ":" + error.where;
                            return sink.bad(in_file);
                          }});
  std::vector<char> piece(kPiece);
  for (std::uint64_t offset = 0;;) {
    TRY(const std::size_t count, source.read_at(offset, piece));
    if (!parser.feed({piece.data(), count})) return {};
    if (count < piece.size()) break;
    offset += count;
    source.forget_before(offset);
  }
  parser.finish();
  return {};
}

}  // namespace

constinit const Reader readers::recording{
    .id = "recording",
    .title = "Recording of calls, JSON Lines",
    .specification = "docs/formats.md, version 1",
    .extensions = ".jsonl .ndjson",
    .sniff = sniff,
    .open = open,
};

}  // namespace tensorspec
