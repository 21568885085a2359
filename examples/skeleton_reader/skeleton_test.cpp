// SPDX-License-Identifier: Apache-2.0
//
// A test to copy. One of a registered reader calls tests::outcome(bytes) instead of `said`.
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/reader.hpp"

namespace tensorspec {
namespace readers {
extern const Reader skeleton;
}
namespace {

std::string said(std::string_view bytes) {
  const auto source = open_memory("x", std::as_bytes(std::span(bytes)));
  tests::Collector sink;
  if (!readers::skeleton.sniff(Head(*source->head(), *source))) return "not mine";
  const Status status = readers::skeleton.open(*source, sink);
  std::string out = status.ok() ? "" : tests::described(status.error());
  for (const TensorInfo& tensor : sink.tensors) out += tests::described(tensor) + "; ";
  for (const Error& error : sink.errors) out += "bad " + tests::described(error) + "; ";
  return out;
}

TEST(SkeletonReader, HonestAndHostileFiles) {
  const struct {
    const char *what, *bytes, *expected;
  } cases[] = {
      {"two tensors", "shapes 1\nx float32 2 3\ny int64\n", "x float32[2,3]; y int64[]; "},
      {"none", "shapes 1\n", ""},
      {"another format", "shapes 2\nx float32 2 3\n", "not mine"},
      {"cut", "shapes 1\nx fl", "x fl[]; "},
      {"no number", "shapes 1\nx float32 two\ny int64 1\n", "y int64[1]; bad invalid_extent x@0x09: two; "},
      {"negative", "shapes 1\nx float32 -2\n", "bad invalid_extent x@0x09: -2; "},
  };
  for (const auto& c : cases) EXPECT_EQ(said(c.bytes), c.expected) << c.what;
}

TEST(SkeletonReader, IsNoPartOfTheProduct) {
  for (const FormatInfo& format : formats()) EXPECT_NE(format.id, "skeleton");
}

}  // namespace
}  // namespace tensorspec
