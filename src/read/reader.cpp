// SPDX-License-Identifier: Apache-2.0
#include "read/reader.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/text.hpp"
#include "base/try.hpp"
#include "wire/document.hpp"

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

// The one that takes what begins so; nullptr: none.
Result<const Reader*> taker_of(std::span<const Reader* const> readers, const Head& head) {
  const Reader* found = nullptr;
  for (const Reader* reader : readers) {
    if (!reader->sniff(head)) continue;
    if (found)
      return Error{.code = ErrorCode::ambiguous_format,
                   .where = head.source.name(),
                   .detail = std::string(found->id) + " and " + std::string(reader->id)};
    found = reader;
  }
  return found;
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

// Lets through names that the limit allows, whichever format they come from.
class BoundedSink final : public ReadSink {
 public:
  BoundedSink(const std::string& file, ReadSink& sink) : file_(file), sink_(sink) {}

  void tensor(TensorInfo tensor) override {
    if (!fits(tensor)) bad(too_long(tensor, 0));
    else if (!stopped_) sink_.tensor(std::move(tensor));
  }
  void call(const Call& call, std::uint64_t line) override {
    for (const auto* side : {&call.inputs, &call.outputs})
      for (const TensorInfo& tensor : *side)
        if (!fits(tensor)) {
          bad(too_long(tensor, line));
          return;
        }
    if (!stopped_) sink_.call(call, line);
  }
  void declared(const Declared& found) override {
    for (const auto* side : {&found.inputs, &found.outputs})
      for (const DeclaredTensor& tensor : *side)
        if (!fits(tensor)) {
          failed_ = too_long(tensor, 0);
          return;
        }
    sink_.declared(found);
  }
  bool bad(const Error& error) override {
    stopped_ = stopped_ || !sink_.bad(error);
    return !stopped_;
  }
  // A declaration is used whole or not at all.
  const Status& failed() const noexcept { return failed_; }

 private:
  template <class Tensor>
  static bool fits(const Tensor& tensor) noexcept {
    return tensor.name.size() <= kMaxNameBytes;
  }
  template <class Tensor>
  Error too_long(const Tensor& tensor, std::uint64_t line) const {
    return {
        ErrorCode::invalid_name, file_ + (line > 0 ? ":line " + std::to_string(line) : ""),
        "a name of " + std::to_string(tensor.name.size()) + " bytes, the limit is " + std::to_string(kMaxNameBytes)};
  }

  const std::string& file_;
  ReadSink& sink_;
  Status failed_;
  bool stopped_ = false;
};

Result<std::string> read_with(ByteSource& source, ReadSink& sink, std::string_view from, std::string_view extension) {
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

// Memory ran out while a file was read: says which.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& file) : message_(file + ": there is not enough memory to read it") {}
  const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  // whose copies do not throw
};

Result<std::string> read_source(ByteSource& source, ReadSink& sink, std::string_view from, std::string_view extension) {
  BoundedSink bounded(source.name(), sink);
  try {
    TRY(std::string format, read_with(source, bounded, from, extension));
    TRY_VOID(bounded.failed());
    return format;
  } catch (const std::bad_alloc&) { throw OutOfMemory(source.name()); }
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
  // Formats that are no text show at once what they are.
  const bool more = bytes.size() == ByteSource::kHeadBytes && bytes.find('\0') == std::string_view::npos;
  TRY(const Reader* found, taker_of(readers, {bytes, source, more}));
  if (!found && more) {
    std::string longer;
    TRY_VOID(read_further(source, 0, longer, kLongHead));
    TRY(found, taker_of(readers, {longer, source}));
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
