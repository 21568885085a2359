// SPDX-License-Identifier: Apache-2.0
#include "read/npy.hpp"

#include <gtest/gtest.h>

#include "read/collector.hpp"

namespace tensorspec {
namespace {

using tests::npy;
using tests::npy_of;
using tests::outcome;

constexpr const char* kPlain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

std::string nested(int depth) { return std::string(depth, '[') + "'<f4'" + std::string(depth, ']'); }

std::string header(std::string_view descr, std::string_view shape) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': " + std::string(shape) + "}";
}

TEST(Npy, Headers) {
  const struct {
    std::string text, expected;
    int version = 1;
  } cases[] = {
      {kPlain, "float32[2,3]"},
      {kPlain, "float32[2,3]", 2},
      {kPlain, "float32[2,3]", 3},
      {"{'shape': (2, 3), 'fortran_order': True, 'descr': '>u2'}", "uint16[2,3]"},
      {"{\"descr\": \"|b1\", \"fortran_order\": False, \"shape\": ()}", "bool[]"},
      {" {  'descr' :'<f4' ,\n\t'fortran_order':False,'shape':( 2 ,3 , ) , } \f\r\n  \n", "float32[2,3]"},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (5L,), }", "int64[5]"},
      {"{u'descr': u'<i8', u'fortran_order': False, u'shape': (0L, 7L)}", "int64[0,7]"},
      {header("'<f4'", "(4611686018427387904,)"), "float32[4611686018427387904]"},
      {header("'<V2'", "(1,)"), "<V2[1]"},
      {header("'|O8'", "(1,)"), "|O8[1]"},
      {header("[('a', '<i4'), ('b', '>f8', (2, 2L))]", "(1,)"), "[('a', '<i4'), ('b', '>f8', (2, 2L))][1]"},
      {header("[(('it\\'s', u'b'), [('c', \"<f4\", (-1, True, None))])]", "(1,)"),
       "[(('it\\'s', u'b'), [('c', \"<f4\", (-1, True, None))])][1]"},
      {header("('<f4', (2,))", "(1,)"), "('<f4', (2,))[1]"},
      {header("[]", "()"), "[][]"},
      {header("[('\xe9', '<f4')]", "()"), "[('\xc3\xa9', '<f4')][]"},
      {header("[('\xc3\xa9', '<f4')]", "()"), "[('\xc3\xa9', '<f4')][]", 3},
      {header(nested(30), "()"), nested(30) + "[]"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(npy(c.text, c.version)), c.expected) << c.text;
}

TEST(Npy, SixtyFourAxesAreTheMost) {
  std::string ones;
  for (std::size_t i = 0; i < kMaxRank; ++i) ones += "1,";
  EXPECT_EQ(outcome(npy_of("<f4", "(" + ones + ")")).substr(0, 10), "float32[1,");
  EXPECT_EQ(outcome(npy_of("<f4", "(" + ones + "1)")).substr(0, 14), "rank_too_large");
}

// What follows the header is not asked for.
TEST(Npy, DataIsNotRead) {
  EXPECT_EQ(outcome(npy_of("<f4", "(1000000,)")), "float32[1000000]");
  EXPECT_EQ(outcome(npy_of("<f4", "(1,)") + std::string(100, '}')), "float32[1]");
}

TEST(Npy, HeadersLargerThanAPage) {
  std::string fields;
  for (int i = 0; fields.size() < 900000; ++i) fields += "('column" + std::to_string(i) + "', '<f4'), ";
  const std::string descr = "[" + fields + "]";
  EXPECT_EQ(outcome(npy(header(descr, "(7,)"), 2)), descr + "[7]");
  EXPECT_EQ(outcome(npy(std::string(kPlain) + std::string(65000, ' '))), "float32[2,3]");
}

TEST(Npy, HostileHeaders) {
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"empty", "", "npy_truncated x@0x00: 0 bytes in all"},
      {"half a magic", "\x93NUM", "npy_truncated x@0x04: 4 bytes in all"},
      {"another magic", "\x93NUMPX\1\0\4\0{}  ", "npy_bad_magic x@0x00: "},
      {"text", "hello", "npy_bad_magic x@0x00: "},
      {"version 0.0", npy(kPlain, 0), "npy_version x@0x06: 0.0"},
      {"version 4.0", npy(kPlain, 4), "npy_version x@0x06: 4.0"},
      {"version 255.0", npy(kPlain, 255), "npy_version x@0x06: 255.0"},
      {"version 1.1", std::string("\x93NUMPY\1\1\4\0{}  ", 14), "npy_version x@0x06: 1.1"},
      {"4 GiB", npy(kPlain, 2, 0xFFFFFFFF),
       "npy_header_too_large x@0x08: it says 4294967295 bytes, the limit is 1048576"},
      {"one above the limit", npy(kPlain, 3, kMaxNpyHeader + 1),
       "npy_header_too_large x@0x08: it says 1048577 bytes, the limit is 1048576"},
      {"longer than the file", npy(kPlain, 1, 65535),
       "npy_truncated x@0x45: the header takes 65545 bytes, the file has 69"},
      {"at the limit, not there", npy(kPlain, 2, kMaxNpyHeader),
       "npy_truncated x@0x47: the header takes 1048588 bytes, the file has 71"},
      {"no header", npy("", 1), "npy_header x@0x0a: expected '{', but the header ends"},
      {"ends early", npy(kPlain, 1, 20), "npy_header x@0x1e: a string that does not end, but the header ends"},
      {"not a dict", npy("[1, 2]"), "npy_header x@0x0a: expected '{'"},
      {"empty dict", npy("{}"), "npy_header x@0x0c: no 'descr', but the header ends"},
      {"no shape", npy("{'descr': '<f4', 'fortran_order': False}"),
       "npy_header x@0x32: no 'shape', but the header ends"},
      {"no order", npy("{'descr': '<f4', 'shape': ()}"), "npy_header x@0x27: no 'fortran_order', but the header ends"},
      {"unknown key", npy("{'x': 1}"),
       "npy_header x@0x0b: a key other than descr, fortran_order and shape, or the same one twice"},
      {"key twice", npy("{'shape': (), 'shape': ()}"),
       "npy_header x@0x18: a key other than descr, fortran_order and shape, or the same one twice"},
      {"key is a number", npy("{1: 2}"), "npy_header x@0x0b: expected a string"},
      {"key with escapes", npy("{'d\\x65scr': '<f4'}"), "npy_header x@0x15: a key or type string with escapes"},
      {"string without end", npy("{'descr"), "npy_header x@0x11: a string that does not end, but the header ends"},
      {"string over lines", npy("{'de\nscr': 1}"), "npy_header x@0x0e: a string that does not end"},
      {"escape at the end", npy("{'descr\\"), "npy_header x@0x12: a string that does not end, but the header ends"},
      {"only a prefix", npy("{u"), "npy_header x@0x0c: expected a string, but the header ends"},
      {"two commas", npy("{'shape': (),,}"), "npy_header x@0x17: expected a string"},
      {"text behind", npy(std::string(kPlain) + " x"), "npy_header x@0x46: text after the closing brace"},
      {"NUL behind", npy(kPlain + std::string(1, '\0')), "npy_header x@0x45: text after the closing brace"},
      {"code", npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': ()}"),
       "npy_header x@0x14: expected a string"},
      {"empty type", npy(header("''", "()")), "npy_header x@0x16: 'descr' is empty"},
      {"type is a number", npy(header("4", "()")), "npy_header x@0x14: expected a string"},
      {"list does not end", npy("{'descr': [('a'"), "npy_header x@0x19: expected ')', but the header ends"},
      {"code in a list", npy(header("[f()]", "()")), "npy_header x@0x15: expected a string"},
      {"nested too deep", npy(header(nested(40), "()")), "npy_header x@0x34: 'descr' is nested too deep"},
      {"nested far too deep", npy(header(std::string(60000, '['), "()")),
       "npy_header x@0x34: 'descr' is nested too deep"},
      {"order is a number", npy("{'fortran_order': 0}"),
       "npy_header x@0x1c: 'fortran_order' is neither True nor False"},
      {"shape is a list", npy(header("'<f4'", "[2, 3]")), "npy_header x@0x3c: 'shape' is not a tuple"},
      {"shape is a number", npy(header("'<f4'", "5")), "npy_header x@0x3c: 'shape' is not a tuple"},
      {"shape in parentheses", npy(header("'<f4'", "(5)")), "npy_header x@0x3f: 'shape' is a number, not a tuple"},
      {"extent is a float", npy(header("'<f4'", "(2.0,)")), "npy_header x@0x3e: expected ',' or ')' in 'shape'"},
      {"extent is a word", npy(header("'<f4'", "(True,)")), "npy_header x@0x3d: expected a whole number in 'shape'"},
      {"no comma", npy(header("'<f4'", "(2 3)")), "npy_header x@0x3f: expected ',' or ')' in 'shape'"},
      {"only a comma", npy(header("'<f4'", "(,)")), "npy_header x@0x3d: expected a whole number in 'shape'"},
      {"shape does not end", npy("{'shape': (2,"),
       "npy_header x@0x17: expected a whole number in 'shape', but the header ends"},
      {"negative", npy(header("'<f4'", "(2, -1)")), "invalid_extent x@0x40: -1"},
      {"2^62 + 1", npy(header("'<f4'", "(4611686018427387905,)")), "invalid_extent x@0x3d: 4611686018427387905"},
      {"2^64", npy(header("'<f4'", "(18446744073709551616,)")), "invalid_extent x@0x3d: 18446744073709551616"},
      {"60,000 digits", npy(header("'<f4'", "(" + std::string(60000, '9') + ",)")),
       "invalid_extent x@0x3d: " + std::string(40, '9')},
      {"not UTF-8", npy(header("[('\xe9', '<f4')]", "()"), 3), "npy_header x@0x0c: version 3.0, but not UTF-8"},
  };
  for (const auto& c : cases) EXPECT_EQ(outcome(c.bytes, "npy"), c.expected) << c.what;
}

TEST(Npy, CutAnywhere) {
  const std::string whole = npy(kPlain);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(outcome(whole.substr(0, size), "npy").starts_with("npy_truncated x@" + hex(size))) << size;
    // And the header's own length agrees with the cut: then its text is cut.
    if (size < 10) continue;
    EXPECT_TRUE(outcome(npy(whole.substr(10, size - 10)), "npy").starts_with("npy_header x@")) << size;
  }
}

TEST(Npy, TheMagicDecides) {
  EXPECT_EQ(outcome(npy(kPlain), {}, "a.npz"), "float32[2,3]");
  EXPECT_EQ(
      outcome("plain text", {}, "a.npy"), "unknown_format a.npy: its contents are none of " + [] {
        std::string ids;
        for (const FormatInfo& format : formats()) ids += (ids.empty() ? "" : ", ") + std::string(format.id);
        return ids;
      }() + "; naming the format 'npy' shows what is wrong with it as one");
}

}  // namespace
}  // namespace tensorspec
