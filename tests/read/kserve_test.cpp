// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "read/collector.hpp"
#include "wire/zip_builder.hpp"

namespace tensorspec {
namespace {

using tests::calls_of;
using tests::le;

std::string tensor(const std::string& name, const std::string& shape, const std::string& datatype = "FP32",
                   const std::string& more = R"(,"data":[1])") {
  return R"({"name":")" + name + R"(","shape":)" + shape + R"(,"datatype":")" + datatype + "\"" + more + "}";
}
std::string request(const std::string& inputs, const std::string& more = "") {
  return "{\"inputs\":[" + inputs + "]" + more + "}";
}
std::string binary(const std::string& shape, const std::string& datatype, std::size_t size) {
  return request(tensor("x", shape, datatype, ",\"parameters\":{\"binary_data_size\":" + std::to_string(size) + "}"));
}

TEST(Kserve, Requests) {
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"one", request(tensor("x", "[2,3]")), "x float32[2,3]; "},
      {"two, and what is asked for",
       request(tensor("x", "[2]") + "," + tensor("y", "[]", "BYTES"), R"(,"outputs":[{"name":"z"}])"),
       "x float32[2]; y string[]; "},
      {"with its response", request(tensor("x", "[2]"), ",\"outputs\":[" + tensor("z", "[2,5]", "INT64") + "]"),
       "x float32[2]; -> z int64[2,5]; "},
      {"any order, unknown members",
       "\xEF\xBB\xBF {\"id\":\"1\",\"parameters\":{\"a\":{\"b\":[]}},\"inputs\":[{\"data\":[[1,2],[\"}]\"]],"
       "\"datatype\":\"INT8\",\"extra\":null,\"shape\":[2],\"name\":\"x\"}]}\n\n",
       "x int8[2]; "},
      {"data is not looked at", request(tensor("x", "[1]", "FP64", R"(,"data":[1.2.3, nonsense, -])")),
       "x float64[1]; "},
      {"over lines", "{\n\"inputs\":\n[\n" + tensor("x", "[4]") + "\n]\n}\n", "x float32[4]; "},
      {"lines",
       request(tensor("x", "[1]")) + "\n\n" + request(tensor("x", "[2]")) + "\r\n" + request(tensor("x", "[3]")),
       "x float32[1]; \nx float32[2]; \nx float32[3]; "},
      {"a bad line costs itself",
       request(tensor("x", "[1]")) + "\n{\"inputs\":[}\n" + request(tensor("x", "[3]")) + "\n",
       "x float32[1]; \nx float32[3]; \nbad json_type x:line 2: inputs[0]: expected an object"},
  };
  for (const auto& c : cases) EXPECT_EQ(calls_of(c.text), c.expected) << c.what;
}

TEST(Kserve, BinaryData) {
  const std::string two = le(1, 4) + "a" + le(0, 4);
  const struct {
    const char* what;
    std::string bytes, expected;
  } cases[] = {
      {"numbers", binary("[2,2]", "FP16", 8) + "12345678", "x float16[2,2]; "},
      {"texts", binary("[2]", "BYTES", two.size()) + two, "x string[2]; "},
      {"nothing", binary("[0]", "FP16", 0), "x float16[0]; "},
      {"another size", binary("[2,2]", "FP16", 4) + "1234",
       "binary_data x@0x5d: x: 4 bytes, its shape and dtype take 8"},
      {"beyond the end", binary("[2,2]", "FP16", 8) + "1234",
       "binary_data x@0x5d: x: its 8 bytes reach beyond the end"},
      {"more behind", binary("[2]", "INT8", 2) + "1234", "binary_data x@0x5d: 2 bytes behind the last tensor"},
      {"a size that wraps", binary("[4611686018427387904,8]", "FP64", 0),
       "binary_data x@0x6f: x: 0 bytes, its shape and dtype take more than 2^63"},
      {"fewer texts", binary("[3]", "BYTES", two.size()) + two, "binary_data x@0x5c: x: 2 elements, its shape has 3"},
      {"a text beyond the end", binary("[1]", "BYTES", 5) + le(9, 4) + "a",
       "binary_data x@0x5c: x: element 0 of 9 bytes reaches beyond its end"},
      {"half a length", binary("[1]", "BYTES", 2) + "ab", "binary_data x@0x5c: x: it ends within a length"},
      {"a negative size", request(tensor("x", "[1]", "INT8", R"(,"parameters":{"binary_data_size":-1})")),
       "binary_data x: inputs[0]: binary_data_size -1"},
  };
  for (const auto& c : cases) EXPECT_EQ(calls_of(c.bytes), c.expected) << c.what;
  // Bytes that look like lines are still those of the tensor.
  EXPECT_EQ(calls_of(binary("[1]", "FP32", 4) + "\n{ab"), "x float32[1]; ");
  EXPECT_EQ(calls_of(binary("[1]", "BYTES", 19) + le(15, 4) + "{\"a\":1}\n{\"b\":2}"), "x string[1]; ");
  EXPECT_EQ(calls_of(request(tensor("x", "[3]", "INT8", R"(,"parameters":{"\u0062inary_data_size":3})")) + "\n{}"),
            "x int8[3]; ");
  // A document that is larger than one piece, with braces in texts.
  const std::string long_text =
      request(tensor("pad", "[1]", "BYTES", ",\"data\":[\"" + std::string(200'000, '}') + "\\\"\"]") + "," +
              tensor("x", "[1]", "INT8", R"(,"parameters":{"binary_data_size":1})"));
  EXPECT_EQ(calls_of(long_text + "{"), "pad string[1]; x int8[1]; ");
}

TEST(Kserve, KeysInAnyOrder) {
  const std::string data = "\"data\":[[0.5" + std::string(5000, '0') + "],[\"a]b\"]]",
                    rest = R"("name":"x","shape":[2],"datatype":"FP32")";
  EXPECT_EQ(calls_of("{\"inputs\":[{" + data + "," + rest + "}]}"), "x float32[2]; ");
  EXPECT_EQ(calls_of("{\"id\":\"" + std::string(5000, 'i') + "\",\"inputs\":[{" + rest + "}]}"), "x float32[2]; ");
  EXPECT_EQ(calls_of("{\"parameters\":{\"a\":[" + std::string(200'000, ' ') + "]},\"\\u0069nputs\":[{" + rest + "}]}"),
            "x float32[2]; ");
  // Cut where it could be a recording.
  const std::string before = "{\"id\":\"" + std::string(4096 - 18, 'i') + "\",\"inputs\":";
  ASSERT_EQ(before.size(), 4096u);
  EXPECT_EQ(calls_of(before + "[{" + rest + "}]}"), "x float32[2]; ");
  EXPECT_EQ(
      calls_of("POST /v2 HTTP/1.1\r\nCookie: " + std::string(5000, 'c') + "\r\n\r\n{\"inputs\":[{" + rest + "}]}"),
      "x float32[2]; ");
}

TEST(Kserve, SentOverHttp) {
  const std::string body = binary("[2]", "INT8", 2), post = "POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\n";
  const auto length = [](std::size_t size) {
    return "inference-header-content-length: " + std::to_string(size) + "\r\n";
  };
  EXPECT_EQ(calls_of(post + length(body.size()) + "\r\n" + body + "ab"), "x int8[2]; ");
  EXPECT_EQ(calls_of(post + "\r\n" + request(tensor("x", "[2]"))), "x float32[2]; ");
  EXPECT_EQ(calls_of(post + length(body.size()) + "\r\n" + body.substr(0, 40)),
            "inference_request x: it ends within the " + std::to_string(body.size()) + " bytes of its JSON");
  EXPECT_EQ(calls_of(post + "Inference-Header-Content-Length: -5\r\n\r\n" + body),
            "inference_request x: Inference-Header-Content-Length: -5");
  EXPECT_EQ(calls_of(post + std::string(70'000, 'a'), "kserve"),
            "inference_request x: its HTTP headers do not end within 65536 bytes");
}

TEST(Kserve, TensorsAreCounted) {
  std::string many = "{}";
  many.reserve(4 << 20);
  for (int i = 0; i < (1 << 20); ++i) many += ",{}";
  EXPECT_EQ(calls_of("{\"outputs\":[" + many + "]}", "kserve"), "too_many_tensors x: the limit is 1048576");
}

TEST(Kserve, Errors) {
  std::string axes = "1";
  for (int i = 0; i < 70; ++i) axes += ",1";
  const struct {
    const char* what;
    std::string text, expected;
  } cases[] = {
      {"nothing", "", "json_syntax x: there is nothing"},
      {"no object", "[]", "json_type x: expected a JSON object"},
      {"no inputs", "{}", "inference_request x: it has no inputs"},
      {"twice", "{\"inputs\":[],\"inputs\":[]}", "json_duplicate_key x: inputs"},
      {"a shape twice", request("{\"name\":\"a\",\"shape\":[1],\"datatype\":\"INT8\",\"shape\":[2]}"),
       "json_duplicate_key x: inputs[0]: shape"},
      {"a map", "{\"inputs\":{}}", "json_type x: inputs: expected an array"},
      {"no name", request("{\"shape\":[1],\"datatype\":\"FP32\"}"), "inference_request x: inputs[0] has no name"},
      {"no shape", request("{\"name\":\"a\",\"datatype\":\"FP32\"}"), "inference_request x: inputs[0] has no shape"},
      {"no datatype", request("{\"name\":\"a\",\"shape\":[1]}"), "inference_request x: inputs[0] has no datatype"},
      {"a negative size", request(tensor("x", "[-1]")), "invalid_extent x: inputs[0] shape: -1"},
      {"half a size", request(tensor("x", "[1.5]")), "json_type x: inputs[0] shape: expected whole numbers"},
      {"many axes", request(tensor("x", "[" + axes + "]")), "rank_too_large x: inputs[0] shape"},
      {"one name", request(tensor("x", "[1]") + "," + tensor("x", "[1]")), "duplicate_tensor x: x: "},
      {"a NUL in a name", request(tensor("a\\u0000", "[1]")), std::string("invalid_name x: a NUL in 'a\0'", 29)},
      {"more behind", request(tensor("x", "[1]")) + " {}", "json_syntax x: something stands behind the value"},
      {"text behind", request(tensor("x", "[1]")) + " junk", "json_syntax x: something stands behind the value"},
      {"lines behind binary data", binary("[1]", "INT8", 1) + "\n{}\n",
       "binary_data x@0x5c: 3 bytes behind the last tensor"},
      {"a line with binary data", request(tensor("x", "[1]")) + "\n" + binary("[1]", "INT8", 1) + "\n{}\n",
       "x float32[1]; \nbad binary_data x:line 2: binary data cannot stand in a line\nbad inference_request x:line 3: "
       "it "
       "has no inputs"},
  };
  for (const auto& c : cases)
    EXPECT_TRUE(calls_of(c.text, "kserve").starts_with(c.expected)) << c.what << ": " << calls_of(c.text, "kserve");
  EXPECT_TRUE(calls_of(request(tensor("x", "[1]", "FP32", ",\"data\":" + std::string(5000, '['))), "kserve")
                  .starts_with("json_syntax x: "));
}

}  // namespace
}  // namespace tensorspec
