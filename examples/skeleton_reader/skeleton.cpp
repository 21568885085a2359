// SPDX-License-Identifier: Apache-2.0
//
// A reader to copy. It reads a toy format, one tensor a line below a first line that is its mark:
//
//     shapes 1
//     x float32 2 3
//     y int64
//
// To add a format called `foo`:
//   1. Copy this file to src/read/foo.cpp and rename `skeleton` to `foo`, in the id too. The build finds the file: it
//      is in the table, in --from, in the list of formats and under the fuzz target with no other edit. A library that
//      the format needs is found in src/read/foo.cmake beside it.
//   2. Copy skeleton_reader_test.cpp to tests/read/foo_test.cpp: honest files, hostile files, each error code raised.
//   3. Put real files into tests/golden/read/foo/ and run the tests once with TENSORSPEC_REGOLD=1; read what they
//   wrote.
//
// The rules a reader keeps: contents decide, so sniff says no to every other format; only headers are read; every
// length is bounded before it is believed; one bad part goes to sink.bad and the rest is still read; an Error says
// where (source.place().at(offset)) and why, with the numbers; nothing is printed and nothing is thrown on purpose.
#include <array>

#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"

namespace tensorspec {

namespace readers {
extern const Reader skeleton;  // a member of the family is declared by read/reader.hpp, from the generated list
}

namespace {

constexpr std::string_view kMark = "shapes 1\n";
// A limit has a name and a reason: a list of shapes is short, and the file is held whole.
constexpr std::size_t kMaxBytes = 64 * 1024;

bool sniff(const Head& head) { return head.bytes.starts_with(kMark); }

// The word at the start of `line`, which loses it and the blanks around it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

Result<TensorInfo> parse_line(std::string_view line, const std::string& where) {
  TensorInfo tensor;
  tensor.name = take_word(line);
  tensor.dtype = DType::from_text(take_word(line));
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    const auto extent = parse_int64(word);
    if (!extent) return Error{.code = ErrorCode::invalid_extent, .where = where, .detail = std::string(word)};
    tensor.shape.push_back(*extent);
  }
  TRY_VOID(validate(tensor));  // extents from 0 to 2^62, 64 axes at most
  return tensor;
}

Status open(ByteSource& source, ReadSink& sink) {
  std::string bytes(kMaxBytes, '\0');
  TRY(const std::size_t size, source.read_at(0, bytes));
  bytes.resize(size);
  for (std::size_t at = std::min(kMark.size(), size); at < size;) {
    const std::size_t end = std::min(bytes.find('\n', at), size);
    const auto tensor = parse_line(std::string_view(bytes).substr(at, end - at), source.place().at(at));
    if (tensor.ok()) sink.tensor(*tensor);
    else if (!sink.bad(
                 Error{.code = tensor.error().code, .where = source.place().at(at), .detail = tensor.error().detail}))
      break;
    at = end + 1;
  }
  return {};
}

}  // namespace

constinit const Reader readers::skeleton{.id = "skeleton",
                                         .title = "List of shapes",
                                         .specification = "the document and version that this follows",
                                         .extensions = ".shapes",
                                         .sniff = sniff,
                                         .open = open};

}  // namespace tensorspec
