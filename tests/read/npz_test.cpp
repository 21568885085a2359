// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "read/npy.hpp"
#include "wire/zip_builder.hpp"

namespace tensorspec {
namespace {

using tests::Collector;
using tests::deflated;
using tests::npy;
using tests::npy_of;
using tests::outcome;
using tests::ZipBuilder;
using tests::ZipEntry;

const std::string kFirst = npy_of("<f4", "(2, 3)"), kSecond = npy_of("<i8", "(4,)");

ZipEntry packed(std::string name, const std::string& data) {
  return {.name = std::move(name), .data = deflated(data), .method = 8, .size = data.size()};
}

TEST(Npz, Archives) {
  const struct {
    const char* what;
    ZipBuilder zip;
    std::string expected;
  } cases[] = {
      {"stored and deflated",
       {.entries = {{.name = "a.npy", .data = kFirst}, packed("b.npy", kSecond)}},
       "a float32[2,3]\nb int64[4]"},
      {"no members", {}, ""},
      {"no members, a comment", {.comment = "hello"}, ""},
      {"others are passed over",
       {.entries = {{.name = "readme.txt", .data = "hi"},
                    {.name = "d/", .data = ""},
                    {.name = "d/a.npy", .data = kFirst}}},
       "d/a float32[2,3]"},
      {"names without a flag",
       {.entries = {{.name = "\x82.npy", .data = kFirst}, {.name = "\xc3\xa8.npy", .data = kSecond}}},
       "é float32[2,3]\nè int64[4]"},
      {"arrays by their contents",
       {.entries = {{.name = "x", .data = kFirst}, packed("x.NPY", kSecond), {.name = "x.npy.txt", .data = "\x93NUM"}}},
       "x float32[2,3]\nx.NPY int64[4]"},
      {"none by its name, which cannot be read",
       {.entries = {{.name = "x", .data = kFirst, .flags = 1}, {.name = "y.npy", .data = kSecond}}},
       "y int64[4]"},
      {"a name is only a name",
       {.entries = {{.name = "../../x.npy", .data = kFirst}, {.name = ".npy", .data = kSecond}}},
       "../../x float32[2,3]\nint64[4]"},
      {"data of 10 MB in 10 KB",
       {.entries = {packed("a.npy", kFirst + std::string(10'000'000, '\0'))}},
       "a float32[2,3]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.zip.build()), c.expected) << c.what;
}

// One bad member; the one behind it is read.
TEST(Npz, BadMembers) {
  const std::string long_text(600, ' ');
  const struct {
    const char* what;
    ZipEntry entry;
    std::string expected;
  } cases[] = {
      {"no array", {.name = "m.npy", .data = "hello"}, "npy_bad_magic x:m.npy@0x00: "},
      {"empty", {.name = "m.npy", .data = ""}, "npy_truncated x:m.npy@0x00: 0 bytes in all"},
      {"cut",
       {.name = "m.npy", .data = npy(long_text, 1, 700)},
       "npy_truncated x:m.npy@0x262: the header takes 710 bytes, the file has 610"},
      {"cut, deflated", packed("m.npy", npy(long_text, 1, 700)),
       "npy_truncated x:m.npy@0x262: the header takes 710 bytes, the file has 610"},
      {"version", {.name = "m.npy", .data = npy("{}", 9)}, "npy_version x:m.npy@0x06: 9.0"},
      {"malformed", {.name = "m.npy", .data = npy("{]")}, "npy_header x:m.npy@0x0b: expected a string"},
      {"4 GiB",
       {.name = "m.npy", .data = npy("{}", 2, 0xFFFFFFFF)},
       "npy_header_too_large x:m.npy@0x08: it says 4294967295 bytes, the limit is 1048576"},
      {"negative", {.name = "m.npy", .data = npy_of("<f4", "(-1,)")}, "invalid_extent x:m.npy@0x3d: -1"},
      {"encrypted", {.name = "m.npy", .data = kFirst, .flags = 1}, "zip_member x:m.npy: it is encrypted"},
      {"NUL in the name",
       {.name = std::string("m\0.npy", 6), .data = kFirst},
       "zip_member " + std::string("x:m\0.npy", 8) + ": its name is not text in UTF-8"},
      {"not UTF-8",
       {.name = "\xff.npy", .data = kFirst, .flags = 0x800},
       "zip_member x:\xff.npy: its name is not text in UTF-8"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(outcome(ZipBuilder{.entries = {c.entry, {.name = "good.npy", .data = kSecond}}}.build()),
              "good int64[4]\nbad " + c.expected)
        << c.what;
}

TEST(Npz, ANameTwice) {
  EXPECT_EQ(
      outcome(ZipBuilder{.entries = {{.name = "a.npy", .data = kFirst}, {.name = "a.npy", .data = kSecond}}}.build()),
      "a float32[2,3]\nbad duplicate_tensor x:a.npy: 'a'");
  EXPECT_EQ(outcome(ZipBuilder{.entries = {{.name = "a", .data = kFirst}, {.name = "a.npy", .data = kSecond}}}.build()),
            "a float32[2,3]\nbad duplicate_tensor x:a.npy: 'a'");
}

TEST(Npz, BytesBehindTheArchive) {
  EXPECT_EQ(outcome(ZipBuilder{.entries = {{.name = "a.npy", .data = kFirst}}}.build() + std::string(10, '\0')),
            "a float32[2,3]");
}

TEST(Npz, OverlappingMembers) {
  EXPECT_EQ(outcome(ZipBuilder{.entries = {{.name = "a.npy", .data = kFirst, .size = 200, .compressed = 200},
                                           {.name = "b.npy", .data = kSecond}}}
                        .build()),
            "b int64[4]\nbad zip_member x:a.npy: its 200 bytes at 0x23 overlap what begins at 0x69");
}

TEST(Npz, StopsWhenTold) {
  ZipBuilder zip;
  for (const char* name : {"a.npy", "b.npy", "c.npy"}) zip.entries.push_back({.name = name, .data = "bad"});
  Collector sink;
  sink.stop_after = 2;
  EXPECT_TRUE(tests::read(zip.build(), sink).ok());
  EXPECT_EQ(sink.errors.size(), 2u);
}

// Very many headers that inflate to the limit: all of them together stay below a budget.
TEST(Npz, ABombOfHeaders) {
  const std::string header =
      "{'descr': [" + std::string(kMaxNpyHeader - 100, ' ') + "'<f4'], 'fortran_order': False, 'shape': ()}";
  ZipBuilder zip;
  ZipEntry entry = packed({}, npy(header, 2));
  for (int i = 0; i < 100; ++i) {
    entry.name = std::to_string(i) + ".npy";
    zip.entries.push_back(entry);
  }
  const std::string bytes = zip.build();
  EXPECT_LT(bytes.size(), 300'000u);
  Collector sink;
  ASSERT_TRUE(tests::read(bytes, sink).ok());
  EXPECT_EQ(sink.tensors.size(), 16u);
  ASSERT_EQ(sink.errors.size(), 84u);
  EXPECT_EQ(sink.errors[0].code, ErrorCode::npy_header_too_large);
}

TEST(Npz, DamagedArchives) {
  const std::string whole = ZipBuilder{.entries = {{.name = "a.npy", .data = kFirst}}}.build();
  for (std::size_t size = 40; size < whole.size(); ++size)
    EXPECT_TRUE(outcome(whole.substr(0, size)).starts_with("zip_malformed x@")) << size;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(outcome(whole.substr(0, size), "npz").starts_with("zip_malformed x@")) << size;
}

TEST(Npz, OtherArchivesAreNoNpz) {
  for (const ZipBuilder& zip : {ZipBuilder{.entries = {{.name = "archive/data.bin", .data = "x"}}},
                                ZipBuilder{.entries = {{.name = "npy", .data = "x"}, {.name = "b", .data = kFirst}}}})
    EXPECT_TRUE(outcome(zip.build()).starts_with("unknown_format x: "));
  const std::string torch = ZipBuilder{.entries = {{.name = "archive/data.pkl", .data = "x"}}}.build();
  EXPECT_TRUE(outcome(torch).starts_with("pickle_malformed x:archive/data.pkl@"));
  // Asked for by name, it is an archive without arrays.
  EXPECT_EQ(outcome(ZipBuilder{.entries = {{.name = "a.txt", .data = "x"}}}.build(), "npz"), "");
}

}  // namespace
}  // namespace tensorspec
