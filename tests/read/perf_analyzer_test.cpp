// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"

namespace tensorspec {
namespace {

using tests::calls_of;

TEST(PerfAnalyzer, Requests) {
  const std::string long_first =
      R"({"validation_data":[{"o":[")" + std::string(5000, 'v') + R"("]}],"data":[{"a":[1]}]})";
  const struct {
    const char *what, *text, *expected;
  } cases[] = {
      {"lists of values", R"({"data":[{"a":[1,2,3],"b":[4]},{"a":[],"b":["x","y"]}]})",
       "a [3]; b [1]; \na [0]; b [2]; "},
      {"shapes", R"({"data":[{"a":{"content":[1,2],"shape":[2,1]},"b":{"shape":[0],"b64":"AA=="}}]})",
       "a [2,1]; b [0]; "},
      {"content alone is a list", R"({"data":[{"a":{"content":[1,2]}}]})", "a [2]; "},
      {"streams", R"({"data":[[{"a":[1]},{"a":[1,2]}],[{"a":[1,2,3]}]],"validation_data":[]})",
       "a [1]; \na [2]; \na [3]; "},
      {"validation first", long_first.c_str(), "a [1]; "},
      {"escapes", R"({"\u0064ata":[{"a":[1]}]})", "a [1]; "},
      {"nothing", R"({"data":[{"a":{"content":[1]}}, {}]})",
       "a [1]; \nbad perf_analyzer x:data[1]: a request without inputs"},
  };
  for (const auto& c : cases) EXPECT_EQ(calls_of(c.text), c.expected) << c.what;
}

TEST(PerfAnalyzer, OneBadRequestCostsItself) {
  const auto bad = [](const std::string& request) {
    return calls_of("{\"data\":[{\"a\":[1]}," + request + ",{\"a\":[1,2]}]}", "perf_analyzer");
  };
  const std::string good = "a [1]; \na [2]; \nbad ";
  std::string axes = "1";
  for (int i = 0; i < 70; ++i) axes += ",1";
  EXPECT_EQ(bad(R"({"a":{"b64":"AA=="}})"), good + "perf_analyzer x:data[1]: data[1] a has no shape");
  EXPECT_EQ(bad(R"({"a":7,"b":[1]})"), good + "json_type x:data[1]: data[1] a: expected an object or an array");
  EXPECT_EQ(bad(R"({"a":{"shape":[-1]}})"), good + "invalid_extent x:data[1]: data[1] a shape: -1");
  EXPECT_EQ(bad("{\"a\":{\"shape\":[" + axes + "]}}"), good + "rank_too_large x:data[1]: data[1] a shape");
  EXPECT_EQ(bad(R"({"a":[1],"a":[1]})"), good + "duplicate_tensor x:data[1]: a: ");
  EXPECT_EQ(bad("{\"a\\u0000\":[1]}"), good + std::string("invalid_name x:data[1]: a NUL in 'a\0'", 37));
  EXPECT_EQ(bad("3"), good + "perf_analyzer x:data[1]: a request that is no object");
}

TEST(PerfAnalyzer, Errors) {
  EXPECT_EQ(calls_of("{}", "perf_analyzer"), "perf_analyzer x: it has no data");
  EXPECT_EQ(calls_of("[]", "perf_analyzer"), "json_type x: expected a JSON object");
  EXPECT_EQ(calls_of(R"({"data":[],"data":[]})", "perf_analyzer"), "json_duplicate_key x: data");
  EXPECT_EQ(calls_of(R"({"data":7})", "perf_analyzer"), "json_type x: data: expected an array");
  EXPECT_TRUE(calls_of(R"({"data":[{"a":[1]},{"a":)", "perf_analyzer").starts_with("json_syntax x: "));
  tests::Collector sink;
  sink.stop_after = 1;
  EXPECT_TRUE(tests::read(R"({"data":[{},{"a":[1]},{}]})", sink, "perf_analyzer").ok());
  EXPECT_EQ(sink.calls.size() + sink.errors.size(), 1u);
}

TEST(PerfAnalyzer, TablesAreNone) {
  for (const char* text : {R"({"data":[{"a":1}]})", R"({"data":[[1,2]]})", R"({"columns":["a"],"data":[{"a":[1]}]})"})
    EXPECT_TRUE(calls_of(text).starts_with("unknown_format")) << text;
}

}  // namespace
}  // namespace tensorspec
