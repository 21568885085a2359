// SPDX-License-Identifier: Apache-2.0
#include "read/reader.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

constexpr const Reader* kReaders[] = {
#define TENSORSPEC_MEMBER(stem) &readers::stem,
#include "read_family.inc"
#undef TENSORSPEC_MEMBER
};

std::string_view extension_of(std::string_view path) noexcept {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || path.find('/', dot) != std::string_view::npos) return {};
  return path.substr(dot);
}

// Is `extension` (".npy") one of the words of `list` (".npy .np")?
bool lists(std::string_view list, std::string_view extension) noexcept {
  while (!list.empty() && !extension.empty()) {
    const std::size_t space = std::min(list.find(' '), list.size());
    if (list.substr(0, space) == extension) return true;
    list.remove_prefix(std::min(space + 1, list.size()));
  }
  return false;
}

std::string all_ids() {
  std::vector<std::string> ids;
  for (const Reader* reader : kReaders) ids.emplace_back(reader->id);
  return join(ids, ", ");
}

Result<const Reader*> reader_named(const ByteSource& source, std::string_view id) {
  for (const Reader* reader : kReaders)
    if (reader->id == id) return reader;
  return Error{.code = ErrorCode::unknown_format,
               .where = source.name(),
               .detail = "no format is called '" + std::string(id) + "'; there are " + all_ids()};
}

Error unknown(const ByteSource& source, std::string_view head, std::string_view extension) {
  Error error{.code = ErrorCode::unknown_format, .where = source.name(), .detail = {}};
  error.detail = head.empty() ? "it is empty" : "its contents are none of " + all_ids();
  for (const Reader* reader : kReaders)
    if (!head.empty() && lists(reader->extensions, extension))
      error.detail += "; naming the format '" + std::string(reader->id) + "' shows what is wrong with it as one";
  return error;
}

Result<std::string> read_source(ByteSource& source, ReadSink& sink, std::string_view from, std::string_view extension) {
  TRY(const Reader* reader, from.empty() ? choose_reader(kReaders, source, extension) : reader_named(source, from));
  TRY_VOID(reader->open(source, sink));
  return std::string(reader->id);
}

}  // namespace

Result<const Reader*> choose_reader(std::span<const Reader* const> readers, ByteSource& source,
                                    std::string_view extension) {
  TRY(const std::string_view bytes, source.head());
  const Head head{.bytes = bytes, .source = source};
  const Reader* found = nullptr;
  for (const Reader* reader : readers) {
    if (!reader->sniff(head)) continue;
    if (found)
      return Error{.code = ErrorCode::ambiguous_format,
                   .where = source.name(),
                   .detail = std::string(found->id) + " and " + std::string(reader->id)};
    found = reader;
  }
  if (!found) return unknown(source, bytes, extension);
  return found;
}

const std::vector<FormatInfo>& formats() {
  static const std::vector<FormatInfo> all = [] {
    std::vector<FormatInfo> list;
    for (const Reader* reader : kReaders)
      list.push_back({reader->id, reader->title, reader->specification, reader->extensions});
    return list;
  }();
  return all;
}

Result<std::string> read_file(const std::filesystem::path& path, ReadSink& sink, std::string_view from) {
  TRY(const auto source, open_file(path));
  return read_source(*source, sink, from, extension_of(path.native()));
}

Result<std::string> read_bytes(std::string_view name, std::span<const std::byte> bytes, ReadSink& sink,
                               std::string_view from) {
  const auto source = open_memory(std::string(name), bytes);
  return read_source(*source, sink, from, extension_of(name));
}

Result<std::string> read_stream(std::string_view name, int file_descriptor, ReadSink& sink, std::string_view from) {
  const auto source = open_stream(std::string(name), file_descriptor);
  return read_source(*source, sink, from, {});
}

}  // namespace tensorspec
