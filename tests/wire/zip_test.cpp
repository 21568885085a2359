// SPDX-License-Identifier: Apache-2.0
#include "wire/zip.hpp"

#include <gtest/gtest.h>

#include "wire/zip_builder.hpp"

namespace tensorspec {
namespace {

using tests::deflated;
using tests::le;
using tests::ZipBuilder;
using tests::ZipEntry;

// An archive in memory with its source.
struct Opened {
  explicit Opened(std::string content)
      : bytes(std::move(content)),
        source(open_memory("a.zip", std::as_bytes(std::span(bytes)))),
        archive(ZipArchive::open(*source)) {}

  // The first bytes of member `index`, or the word of the error, its place and its reason.
  std::string first(std::size_t index, std::size_t count = 100) {
    if (!archive.ok()) return describe(archive.error());
    if (index >= archive->members().size()) return "no such member";
    std::string out(count, '?');
    const auto got = archive->read_first(archive->members()[index], out);
    if (!got.ok()) return describe(got.error());
    return out.substr(0, *got);
  }
  static std::string describe(const Error& error) {
    return std::string(error_name(error.code)) + " " + error.where + " " + error.detail;
  }

  std::string bytes;
  std::unique_ptr<ByteSource> source;
  Result<ZipArchive> archive;
};

bool is_error(std::string_view text) { return text.starts_with("zip_") || text.starts_with("file_"); }

TEST(Zip, HonestArchives) {
  const std::string text = "hello, archive", longer(100000, 'x');
  const ZipEntry stored{.name = "a", .data = text};
  const ZipEntry packed{.name = "dir/b", .data = deflated(longer), .method = 8, .size = longer.size()};
  ZipEntry described = packed, wide = stored, roomy = stored;
  described.descriptor = true;
  wide.zip64 = true;
  roomy.local_extra = std::string(65535, 'e');
  const std::pair<const char*, ZipBuilder> cases[] = {
      {"stored and deflated", {.entries = {stored, packed}}},
      {"data descriptor", {.entries = {stored, described}}},
      {"zip64 fields", {.entries = {wide, packed}}},
      {"zip64 end record", {.entries = {stored, packed}, .end64 = true}},
      {"long extra field", {.entries = {roomy, packed}}},
      {"comment", {.comment = "a comment", .entries = {stored, packed}}},
      {"longest comment", {.comment = std::string(65535, 'c'), .entries = {stored, packed}}},
      {"end record in the comment", {.comment = "PK\5\6" + std::string(30, '\0'), .entries = {stored, packed}}},
      {"only a signature at the end", {.comment = "PK\5\6", .entries = {stored, packed}}},
      {"an end record in the comment, and none behind it", {.comment = "PK\5\6x", .entries = {stored, packed}}},
      {"something in front", {.prefix = std::string(5000, 'p'), .entries = {stored, packed}}},
  };
  for (const auto& [what, builder] : cases) {
    Opened opened(builder.build());
    ASSERT_TRUE(opened.archive.ok()) << what << ": " << opened.archive.error().message();
    ASSERT_EQ(opened.archive->members().size(), 2u) << what;
    EXPECT_EQ(opened.archive->members()[1].name, "dir/b");
    EXPECT_EQ(opened.first(0), text) << what;
    EXPECT_EQ(opened.first(0, 5), "hello") << what;
    EXPECT_EQ(opened.first(1), longer.substr(0, 100)) << what;
    EXPECT_EQ(opened.first(1, 99999), longer.substr(0, 99999)) << what;
    EXPECT_EQ(opened.first(1, 200000), longer) << what;
    EXPECT_EQ(opened.first(0, 0), "") << what;
  }
}

// As others read it, and never before an end record that fits the file.
TEST(Zip, BytesBehindTheEndRecord) {
  const std::string whole = ZipBuilder{.entries = {{.name = "a", .data = "data"}}}.build(),
                    noted = ZipBuilder{.comment = "comment", .entries = {{.name = "a", .data = "data"}}}.build(),
                    wide = ZipBuilder{.entries = {{.name = "a", .data = "data"}}, .end64 = true}.build();
  for (const std::string& bytes : {whole, noted, wide})
    for (const std::size_t count : {1, 10, 5000, 65000})
      EXPECT_EQ(Opened(bytes + std::string(count, '\0')).first(0), "data") << count;
  EXPECT_EQ(Opened(noted.substr(0, noted.size() - 3)).first(0), "data");
  EXPECT_TRUE(is_error(Opened(whole + std::string(65536, '\0')).first(0)));
  const std::string comment = ZipBuilder{}.build() + std::string(5000, 'c');
  EXPECT_EQ(Opened(ZipBuilder{.comment = comment, .entries = {{.name = "a", .data = "data"}}}.build()).first(0),
            "data");
}

TEST(Zip, NamesAsText) {
  const auto text = [](std::string name, std::uint16_t flags) {
    return zip_name_text({.name = std::move(name), .flags = flags});
  };
  EXPECT_EQ(text("plain", 0), "plain");
  EXPECT_EQ(text("\x82", 0), "é");
  EXPECT_EQ(text("a\x80\xb0\xfe\xff", 0), "aÇ░■\u00A0");
  EXPECT_EQ(text("é", 0), "é");
  EXPECT_EQ(text("é", 0x800), "é");
  EXPECT_EQ(text("\x82", 0x800), "\x82");
}

TEST(Zip, NoMembers) {
  Opened opened(ZipBuilder{}.build());
  ASSERT_TRUE(opened.archive.ok());
  EXPECT_TRUE(opened.archive->members().empty());
}

TEST(Zip, NamesAreOnlyNames) {
  const std::string names[] = {"../../etc/passwd", "/abs", "a\\b", std::string(65535, 'n'), std::string("a\0b", 3), ""};
  ZipBuilder builder;
  for (const std::string& name : names) builder.entries.push_back({.name = name, .data = "d"});
  Opened opened(builder.build());
  ASSERT_TRUE(opened.archive.ok()) << opened.archive.error().message();
  for (std::size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(opened.archive->members()[i].name, names[i]);
    EXPECT_EQ(opened.first(i), "d");
  }
}

TEST(Zip, MoreMembersThanTheCountCanSay) {
  ZipBuilder builder;
  for (int i = 0; i < 65537; ++i) builder.entries.push_back({.name = std::to_string(i), .data = ""});
  Opened opened(builder.build());
  ASSERT_TRUE(opened.archive.ok()) << opened.archive.error().message();
  EXPECT_EQ(opened.archive->members().size(), 65537u);
}

// Each of these lies in the end record or the directory: nothing of the archive can be used.
TEST(Zip, HostileDirectories) {
  const ZipEntry plain{.name = "a", .data = "data"};
  ZipEntry wide = plain;
  wide.zip64 = true;
  const std::string honest = ZipBuilder{.entries = {plain}}.build();
  const auto patched = [&](std::size_t from_end, std::string_view bytes) {
    std::string out = honest;
    return out.replace(out.size() - from_end, bytes.size(), bytes);
  };
  std::string short_field = ZipBuilder{.entries = {wide}}.build();
  const std::size_t field = short_field.find(le(1, 2) + le(24, 2));
  short_field.replace(field + 2, 2, le(16, 2));
  std::string split64 = ZipBuilder{.entries = {plain}, .end64 = true}.build();
  split64[split64.find("PK\6\6") + 16] = 1;
  std::string long_name = honest;
  long_name.replace(honest.find("PK\1\2") + 28, 2, le(65535, 2));
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"nothing", "", "zip_malformed a.zip@0x00"},
      {"no archive", "PK, or not", "zip_malformed a.zip@0x0a"},
      {"count too large", ZipBuilder{.entries = {plain}, .count = 2}.build(), "zip_malformed a.zip@0x52"},
      {"count too small", ZipBuilder{.entries = {plain, plain}, .count = 1}.build(), "zip_malformed"},
      {"directory past the end", ZipBuilder{.entries = {plain}, .directory_offset = 0xFFFFFFF0}.build(),
       "zip_malformed"},
      {"directory too long", ZipBuilder{.entries = {plain}, .directory_size = 0xFFFFFFFF}.build(), "zip_malformed"},
      {"directory of nothing", ZipBuilder{.entries = {plain}, .directory_size = 0}.build(), "zip_malformed"},
      {"directory ends within an entry", ZipBuilder{.entries = {plain}, .directory_size = 46}.build(), "zip_malformed"},
      {"directory elsewhere", ZipBuilder{.entries = {plain}, .directory_offset = 0}.build(),
       "zip_malformed a.zip@0x00"},
      {"split archive", patched(18, le(1, 2)), "zip_malformed"},
      {"directory on another part", patched(16, le(1, 2)), "zip_malformed"},
      {"split archive, zip64", split64, "zip_malformed"},
      {"zip64 record wraps", ZipBuilder{.entries = {plain}, .end64 = true, .end64_offset = UINT64_MAX - 8}.build(),
       "zip_malformed"},
      {"zip64 record elsewhere", ZipBuilder{.entries = {plain}, .end64 = true, .end64_offset = 0}.build(),
       "zip_malformed a.zip@0x00"},
      {"zip64 directory wraps",
       ZipBuilder{.entries = {plain}, .end64 = true, .directory_size = UINT64_MAX, .directory_offset = 2}.build(),
       "zip_malformed"},
      {"zip64 count of 2^64-1", ZipBuilder{.entries = {plain}, .end64 = true, .count = UINT64_MAX}.build(),
       "zip_too_many_members"},
      {"zip64 field too short", short_field, "zip_malformed"},
      {"name longer than the directory", long_name, "zip_malformed"},
  };
  for (const auto& c : cases) {
    const Opened opened(c.bytes);
    ASSERT_FALSE(opened.archive.ok()) << c.what;
    EXPECT_TRUE(Opened::describe(opened.archive.error()).starts_with(c.expected))
        << c.what << ": " << Opened::describe(opened.archive.error());
  }
}

// Entries of a directory that says less than it has.
TEST(Zip, TooManyEntries) {
  std::string entry = "PK\1\2" + std::string(42, '\0'), out;
  for (std::uint64_t i = 0; i <= ZipArchive::kMaxMembers; ++i) out += entry;
  const std::uint64_t size = out.size();
  out += "PK\5\6" + le(0, 8) + le(size, 4) + le(0, 4) + le(0, 2);
  Opened opened(std::move(out));
  ASSERT_FALSE(opened.archive.ok());
  EXPECT_EQ(opened.archive.error().code, ErrorCode::zip_too_many_members);
}

// Each of these lies about one member: that one is refused and the one behind it is read.
TEST(Zip, HostileMembers) {
  const std::string packed = deflated(std::string(1000, 'y'));
  std::string damaged = packed;
  damaged[0] = '\x07';  // a block of a kind that does not exist
  std::string empty_blocks;
  for (int i = 0; i < 100000; ++i) empty_blocks += std::string("\0\0\0\xff\xff", 5);
  const ZipEntry good{.name = "good", .data = "fine"};
  const struct {
    const char* what;
    ZipEntry entry;
    std::string expected;
  } cases[] = {
      {"encrypted", {.name = "m", .data = "d", .flags = 1}, "it is encrypted"},
      {"masked header", {.name = "m", .data = "d", .flags = 0x2000}, "it is encrypted"},
      {"bzip2", {.name = "m", .data = "d", .method = 12}, "compression method 12"},
      {"offset past the end", {.name = "m", .data = "d", .offset = 0x7FFFFFFF}, "its header at 0x7fffffff overlaps"},
      {"offset of 2^64-1", {.name = "m", .data = "d", .zip64 = true, .offset = UINT64_MAX}, "its header at 0xff"},
      {"offset of the directory", {.name = "m", .data = "d", .offset = 75}, "its header at 0x4b overlaps"},
      {"offset within", {.name = "m", .data = std::string(60, 'd'), .offset = 3}, "its header at 0x03 is none"},
      {"quotes the next", {.name = "m", .data = "d", .size = 40, .compressed = 40}, "its 40 bytes at 0x1f overlap"},
      {"length wraps",
       {.name = "m", .data = "d", .zip64 = true, .size = UINT64_MAX, .compressed = UINT64_MAX},
       "its 18446744073709551615 bytes"},
      {"two sizes", {.name = "m", .data = "d", .size = 9}, "stored, but of 1 and 9 bytes at once"},
      {"another name", {.name = "m", .data = "d", .local_name = "n"}, "its header at 0x00 has another name"},
      {"longer name", {.name = "m", .data = "d", .local_name = "mm"}, "its header at 0x00 has another name"},
      {"another method", {.name = "m", .data = "d", .local_method = 8}, "its header at 0x00 has another method"},
      {"damaged", {.name = "m", .data = damaged, .method = 8, .size = 1000}, "its deflated data is damaged"},
      {"deflated, cut",
       {.name = "m", .data = packed.substr(0, 3), .method = 8, .size = 1000},
       "its deflated data ends"},
      {"deflated, empty", {.name = "m", .data = "", .method = 8, .size = 1000}, "its deflated data ends"},
      {"says nothing for long",
       {.name = "m", .data = empty_blocks, .method = 8, .size = 1000},
       "its deflated data ends"},
  };
  for (const auto& c : cases) {
    Opened opened(ZipBuilder{.entries = {c.entry, good}}.build());
    const std::string got = opened.first(0);
    EXPECT_TRUE(got.starts_with("zip_member a.zip:m " + c.expected)) << c.what << ": " << got;
    EXPECT_EQ(opened.first(1), "fine") << c.what;
  }
}

TEST(Zip, OfTwoMembersAtOnePlaceOneIsRefused) {
  ZipBuilder builder{.entries = {{.name = "a", .data = "data"}, {.name = "a", .data = "more", .offset = 0}}};
  Opened opened(builder.build());
  EXPECT_EQ(opened.first(0), "data");
  EXPECT_TRUE(is_error(opened.first(1)));
}

// More inflates than the directory says: no more than that is given.
TEST(Zip, TheStatedSizeIsTheMost) {
  Opened opened(
      ZipBuilder{.entries = {{.name = "a", .data = deflated(std::string(1000, 'y')), .method = 8, .size = 10}}}
          .build());
  EXPECT_EQ(opened.first(0), std::string(10, 'y'));
}

TEST(Zip, CutAnywhere) {
  const std::string whole = ZipBuilder{.entries = {{.name = "a", .data = "data"},
                                                   {.name = "b", .data = deflated("data"), .method = 8, .size = 4}},
                                       .end64 = true}
                                .build();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_TRUE(is_error(Opened(whole.substr(0, size)).first(0)));
}

// Every byte replaced by each of a few values: an answer or an error, and under the sanitizers nothing else.
TEST(Zip, OneByteWrong) {
  const std::string whole =
      ZipBuilder{.entries = {{.name = "a", .data = "data"},
                             {.name = "b", .data = deflated("data"), .method = 8, .zip64 = true, .size = 4}},
                 .end64 = true}
          .build();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = value;
      Opened opened(bytes);
      for (std::size_t member = 0; member < 2; ++member) EXPECT_LE(opened.first(member).size(), 300u);
    }
}

TEST(Zip, FirstNameOfAHead) {
  const std::string bytes = ZipBuilder{.entries = {{.name = "x.npy", .data = "data"}}}.build();
  EXPECT_EQ(zip_first_name(bytes), "x.npy");
  EXPECT_EQ(zip_first_name(std::string_view(bytes).substr(0, 34)), "");
  EXPECT_EQ(zip_first_name(std::string_view(bytes).substr(0, 20)), "");
  EXPECT_EQ(zip_first_name(ZipBuilder{}.build()), "");
}

}  // namespace
}  // namespace tensorspec
