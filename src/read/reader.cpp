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
  if (head.find("\"tensorspec-contract\"") != std::string_view::npos) {
    error.detail = "it is a contract, which show, check, merge and learn --resume take";
    return error;
  }
  error.detail = head.empty() ? "it is empty" : "its contents are none of " + all_ids();
  for (const Reader* reader : kReaders)
    if (!head.empty() && lists_extension(reader->extensions, extension))
      error.detail += "; naming the format '" + std::string(reader->id) + "' shows what is wrong with it as one";
  return error;
}

Result<std::string> read_source(ByteSource& source, ReadSink& sink, std::string_view from, std::string_view extension) {
  const std::size_t colon = from.find(':');
  TRY(const Reader* reader,
      from.empty() ? choose_reader(kReaders, source, extension) : reader_named(source, from.substr(0, colon)));
  if (colon == std::string_view::npos) {
    TRY_VOID(reader->open(source, sink));
  } else if (reader->open_with) {
    TRY_VOID(reader->open_with(source, sink, from.substr(colon + 1)));
  } else {
    return Error{.code = ErrorCode::invalid_argument,
                 .where = source.name(),
                 .detail = "the format '" + std::string(reader->id) + "' takes no columns"};
  }
  return std::string(reader->id);
}

// Keeps what is declared and nothing else.
class DeclaredSink final : public ReadSink {
 public:
  void tensor(TensorInfo) override {}
  void call(const Call&, std::uint64_t) override {}
  void declared(const Declared& found) override { declared_ = found; }
  bool bad(const Error& error) override {
    if (!error_) error_ = error;
    return false;
  }
  Result<Declared> take(const std::filesystem::path& path, std::string_view format) && {
    if (error_) return *std::move(error_);
    if (declared_) return *std::move(declared_);
    return Error{
        .code = ErrorCode::nothing_declared, .where = path.string(), .detail = "its format is " + std::string(format)};
  }

 private:
  std::optional<Declared> declared_;
  std::optional<Error> error_;
};

// Is it a file whose text begins as JSON does? What cannot be read twice counts as one.
Result<bool> looks_like_json(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return true;
  TRY(const auto source, open_file(path));
  TRY(std::string_view head, source->head());
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

}  // namespace

bool lists_extension(std::string_view list, std::string_view extension) noexcept {
  while (!list.empty() && !extension.empty()) {
    const std::size_t space = std::min(list.find(' '), list.size());
    if (list.substr(0, space) == extension) return true;
    list.remove_prefix(std::min(space + 1, list.size()));
  }
  return false;
}

Result<const Reader*> choose_reader(std::span<const Reader* const> readers, ByteSource& source,
                                    std::string_view extension) {
  TRY(const std::string_view bytes, source.head());
  const Head head(bytes, source);
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
      list.push_back({reader->id, reader->title, reader->specification, reader->extensions, reader->without_batch});
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

Result<Declared> read_declared(const std::filesystem::path& path, std::string_view from) {
  DeclaredSink sink;
  TRY(const std::string format, read_file(path, sink, from));
  return std::move(sink).take(path, format);
}

Result<DeclaredContract> read_contract(const std::filesystem::path& path) {
  TRY(const bool json, looks_like_json(path));
  auto own = json ? Contract::load(path) : Result<Contract>(Error{});
  if (own.ok()) return DeclaredContract{std::move(own).value(), {}};
  const auto declared = read_declared(path);
  // Of JSON that nobody else knows either, what is wrong with it as a contract.
  if (!declared.ok()) return json ? std::move(own).error() : declared.error();
  auto contract = contract_of(*declared);
  if (!contract.ok()) return within(std::move(contract).error(), path.string(), ": ");
  return contract;
}

Result<std::string> read_stream(std::string_view name, int file_descriptor, ReadSink& sink, std::string_view from) {
  const auto source = open_stream(std::string(name), file_descriptor);
  return read_source(*source, sink, from, {});
}

}  // namespace tensorspec
