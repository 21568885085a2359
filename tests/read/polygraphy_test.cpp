// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"

#include "wire/zip_builder.hpp"

#include "support/places.hpp"

namespace tensorspec {
namespace {

using tests::calls_of;

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += at + i > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * i) & 63];
  }
  return out;
}

std::string array(const std::string& name, std::string_view bytes, const std::string& key = "array") {
  return "\"" + name + "\":{\"" + key + "\":\"" + base64(bytes) + "\",\"polygraphy_class\":\"ndarray\"}";
}

TEST(Polygraphy, Inputs) {
  std::string fields;
  for (int i = 0; i < 100; ++i) fields += "('f" + std::to_string(i) + "', '<f4'), ";
  const std::string x = array("x", tests::npy_of("<f4", "(2, 3)") + "data");
  const std::string wide =
      array("w", tests::npy("{'descr': [" + fields + "], 'fortran_order': False, 'shape': (5,)}\n"));
  EXPECT_EQ(calls_of("[{" + x + "," + array("y", tests::npy_of("<i8", "()")) + "},{" + x + "}]"),
            "x float32[2,3]; y int64[]; \nx float32[2,3]; ");
  // A header that is longer than what is decoded at first.
  EXPECT_TRUE(calls_of("[{" + wide + "}]").ends_with("[5]; "));
  tests::ZipBuilder zip;
  zip.entries.push_back({.name = "arr_0.npy", .data = tests::npy_of("<f2", "(7,)")});
  EXPECT_EQ(calls_of("[{" + array("old", zip.build()) + "}]"), "old float16[7]; ");
  const std::string torch = tests::file_text(tests::source_folder() + "/tests/golden/read/torch/tensor.pt");
  EXPECT_EQ(calls_of("[{" + array("t", torch, "tensor") + "}]"), "t float32[4,6]; ");
}

TEST(Polygraphy, OneBadCallCostsItself) {
  const std::string good = array("x", tests::npy_of("<f4", "(2,)"));
  const auto bad = [&](const std::string& members) {
    return calls_of("[{" + good + "},{" + members + "},{" + good + "}]", "polygraphy");
  };
  const std::string both = "x float32[2]; \nx float32[2]; \nbad ";
  EXPECT_EQ(bad(""), both + "polygraphy x:[1]: a call without inputs");
  EXPECT_EQ(bad("\"y\":{\"b\":1}"), both + "polygraphy x:[1]: [1] y has neither array nor tensor");
  EXPECT_EQ(bad("\"y\":3"), both + "json_type x:[1]: [1] y: expected an object");
  EXPECT_EQ(bad("\"y\":{\"array\":3}"), both + "json_type x:[1]: [1] y: expected text");
  EXPECT_EQ(calls_of("[{" + good + "},5,null,{" + good + "}]", "polygraphy"),
            "x float32[2]; \nx float32[2]; \nbad json_type x:[1]: expected an object\n"
            "bad json_type x:[2]: expected an object");
  EXPECT_EQ(bad(good + "," + good), both + "duplicate_tensor x:[1]: x: ");
  EXPECT_EQ(bad(array("y", "nothing")),
            both + "polygraphy x:[1]: [1] y: not an .npy file: it does not start with \\x93NUMPY: ");
  EXPECT_TRUE(
      bad(array("y", tests::npy_of("<f4", "(-1,)"))).starts_with(both + "polygraphy x:[1]: [1] y: an extent must be"));
  EXPECT_TRUE(bad(array("y", "PK\3\4")).starts_with(both + "polygraphy x:[1]: [1] y@0x04: not a readable zip"));
  EXPECT_TRUE(bad(array("y", "PK\3\4", "tensor")).starts_with(both + "polygraphy x:[1]: [1] y"));
}

TEST(Polygraphy, Errors) {
  EXPECT_EQ(calls_of("{}", "polygraphy"), "json_type x: expected a JSON array");
  EXPECT_EQ(calls_of("[7]", "polygraphy"), "bad json_type x:[0]: expected an object");
  EXPECT_TRUE(calls_of("[{\"x\":{\"array\":\"k05VTVBZ", "polygraphy").starts_with("json_syntax x: "));
}

}  // namespace
}  // namespace tensorspec
