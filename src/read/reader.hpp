// SPDX-License-Identifier: Apache-2.0
//
// One entry of the family of readers. src/read/foo.cpp defines `constinit const Reader readers::foo`, and that file,
// its test and its golden folder are the whole of a new format; examples/skeleton_reader is one to copy.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "tensorspec/read.hpp"
#include "wire/json_sketch.hpp"
#include "wire/source.hpp"

namespace tensorspec {

// Tensors that one file may have: above what any model has.
inline constexpr std::size_t kMaxTensors = std::size_t{1} << 20;

// What tells a text may stand behind a long value: what no reader knows by its first page is shown to them once more
// with this much of it.
inline constexpr std::size_t kLongHead = std::size_t{256} << 10;

// What a format is recognised by.
struct Head {
  Head(std::string_view head, ByteSource& of, bool grows = false) : bytes(head), source(of), more(grows) {}

  std::string_view bytes;  // the first ByteSource::kHeadBytes or kLongHead, fewer when there are no more
  ByteSource& source;      // for a format whose mark is not in the head; a stream is then held in memory
  bool more;               // whoever is not sure is asked again with more bytes

  // The first value, when they are JSON; worked out once for all who ask.
  const std::optional<JsonSketch>& json() const {
    if (!asked_) json_ = sketch_json(bytes);
    asked_ = true;
    return json_;
  }

 private:
  mutable bool asked_ = false;
  mutable std::optional<JsonSketch> json_;
};

struct Reader {
  std::string_view id;  // the stem of the file, and the word for --from
  std::string_view title, specification, extensions;

  // Do the contents look like this format? The extension is never asked. Exactly one reader must say yes to a file, so
  // this says no to what another format's mark fits too.
  bool (*sniff)(const Head& head);
  // Gives what the source holds to the sink. An Error: nothing of it can be used. A bad part goes to sink.bad and the
  // rest is read, unless that says to stop; being stopped is no error. Every length is bounded before it is believed.
  Status (*open)(ByteSource& source, ReadSink& sink);
  // Of a format that can be told more than its name: what stands behind the colon of "lengths:prompt,answer".
  Status (*open_with)(ByteSource& source, ReadSink& sink, std::string_view argument) = nullptr;
  bool without_batch = false;  // as in FormatInfo
};

// Is `extension` (".npy") one of the words of `list` (".npy .np")?
bool lists_extension(std::string_view list, std::string_view extension) noexcept;
// The one of the readers that takes the source by its contents. All are asked, so the extension decides nothing; it
// only helps to say what was tried. Errors: file_read, unknown_format, ambiguous_format (names both).
Result<const Reader*> choose_reader(std::span<const Reader* const> readers, ByteSource& source,
                                    std::string_view extension);

// One definition per file of this folder; reader.cpp makes the table of them.
namespace readers {
#define TENSORSPEC_MEMBER(stem) extern const Reader stem;
#include "read_family.inc"
#undef TENSORSPEC_MEMBER
}  // namespace readers

}  // namespace tensorspec
