// SPDX-License-Identifier: Apache-2.0
//
// Recordings: calls as JSON Lines (tensorspec/recording.hpp). Read in pieces, so a recording of any length is read in
// the memory of its longest line, from a pipe too.
#include "tensorspec/recording.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "read/json_head.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Has the text a key "inputs" whose value is no array? (Requests of the Open Inference Protocol have an array there.)
bool has_inputs(std::string_view text) {
  static constexpr std::string_view kKey = "\"inputs\"";
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    std::string_view rest = without_blanks(text.substr(at + kKey.size()));
    if (rest.starts_with(':') && !without_blanks(rest.substr(1)).starts_with('[')) return true;
  }
  return false;
}

// May the tensors of a value that is cut still turn out to be those of another format?
bool is_open(const JsonSketch& inputs) {
  if (!inputs.cut) return false;
  const JsonSketch* tensor = inputs.members.empty() ? nullptr : &inputs.members[0];
  return !tensor || tensor->kind == 0 || (tensor->kind == '{' && (tensor->members.empty() || tensor->members[0].cut));
}

// The first value decides, as for every format in JSON. Where that is broken: some line is an object with inputs. Line
// by line, so that a recording whose first line is broken still is one.
bool sniff(const Head& head) {
  std::string_view rest = head.bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  rest = without_blanks(rest);
  if (!rest.starts_with('{')) return false;
  if (const auto& sketch = head.json()) {
    const JsonSketch* inputs = sketch->find("inputs");
    if (!inputs || inputs->kind == '[' || is_aitune(*sketch) || (head.more && is_open(*inputs))) return false;
    return inputs->key.data() < rest.data() + std::min(rest.find('\n'), rest.size());
  }
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (rest.starts_with('{') && has_inputs(rest.substr(0, end))) return true;
    rest = without_blanks(rest.substr(end));
  }
  return false;
}

Status open(ByteSource& source, ReadSink& sink) {
  RecordingParser parser({.call = [&](const Call& call, std::uint64_t line) { sink.call(call, line); },
                          .bad =
                              [&](const Error& error) {
                                return sink.bad(Error{.code = error.code,
                                                      .where = source.name() + ":" + error.where,
                                                      .detail = error.detail});
                              }});
  std::string piece(kPiece, '\0');
  for (std::uint64_t offset = 0;;) {
    TRY(const std::size_t got, source.read_at(offset, piece));
    if (!parser.feed(std::string_view(piece).substr(0, got))) return {};
    if (got < piece.size()) break;
    offset += got;
    source.forget_before(offset);
  }
  parser.finish();
  return {};
}

}  // namespace

constinit const Reader readers::recording{.id = "recording",
                                          .title = "Recording of calls, JSON Lines",
                                          .specification = "docs/formats.md, version 1",
                                          .extensions = ".jsonl .ndjson",
                                          .sniff = sniff,
                                          .open = open};

}  // namespace tensorspec
