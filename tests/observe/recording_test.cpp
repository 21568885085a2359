// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/recording.hpp"

#include <gtest/gtest.h>

#include "support/calls.hpp"

namespace tensorspec {
namespace {

struct Parsed {
  std::vector<Call> calls;
  std::vector<std::uint64_t> lines;
  std::vector<Error> errors;
};

Parsed parse(std::string_view text, std::size_t piece) {
  Parsed out;
  RecordingParser parser({[&](const Call& call, std::uint64_t line) {
                            out.calls.push_back(call);
                            out.lines.push_back(line);
                          },
                          [&](const Error& error) {
                            out.errors.push_back(error);
                            return true;
                          }});
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) parser.feed(text.substr(0, piece));
  parser.finish();
  return out;
}

const char kGood[] =
    R"({"batch_size": 2, "inputs": {"ids": {"dtype": "int64", "shape": [2, 10]}}, "outputs": {}, "ok": true, "count": 1})";

TEST(Recording, OneLineIsOneCallHoweverItIsCut) {
  const std::string text =
      std::string(kGood) + "\r\n\n" +
      R"({"inputs":{"x":{"dtype":"float32","shape":[]}},"ok":false,"count":7,"other":[1,{"a":2}]})";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}, text.size()}) {
    const Parsed parsed = parse(text, piece);
    ASSERT_EQ(parsed.calls.size(), 2u) << piece;
    EXPECT_TRUE(parsed.errors.empty());
    EXPECT_EQ(parsed.calls[0], testing::call("2 | ids~ 2,10"));
    EXPECT_FALSE(parsed.calls[1].ok);
    EXPECT_EQ(parsed.calls[1].weight, 7u);
    EXPECT_EQ(parsed.calls[1].batch_size, std::nullopt);
    EXPECT_TRUE(parsed.calls[1].inputs[0].shape.empty());
    EXPECT_EQ(parsed.lines, (std::vector<std::uint64_t>{1, 3}));
  }
}

TEST(Recording, ALineWrittenIsTheCallReadBack) {
  Call odd = testing::call("- | a\xC3\xA9 0,4611686018427387904; b | c 1");
  odd.inputs[0].name = "quote\" and \\ and \x01";
  odd.inputs[1].dtype = DType::from_numpy("<V2");
  odd.outputs[0].dtype = DType();
  odd.ok = false;
  odd.weight = UINT64_MAX;
  for (const Call& call : {testing::call("3 | x 3,4; y~ 3"), odd}) {
    const Parsed parsed = parse(to_recording_line(call), 1 << 20);
    ASSERT_EQ(parsed.calls.size(), 1u) << to_recording_line(call);
    EXPECT_EQ(parsed.calls[0], call);
  }
}

TEST(Recording, EachBadLineSaysWhyAndTheRestIsRead) {
  const std::pair<const char*, ErrorCode> cases[] = {
      {R"({"inputs": {"x": {"dtype": "float32", "sha)", ErrorCode::json_syntax},
      {R"({"inputs": {"x": {"dtype": "float32", "shape": [1 2]}}})", ErrorCode::json_syntax},
      {R"([1, 2])", ErrorCode::recording_call},
      {R"({"outputs": {}})", ErrorCode::recording_call},
      {R"({"inputs": {"x": {"dtype": "float32"}}})", ErrorCode::recording_call},
      {R"({"inputs": [1]})", ErrorCode::json_type},
      {R"({"inputs": {"x": [1, 2]}})", ErrorCode::json_type},
      {R"({"inputs": {"x": {"dtype": 3, "shape": [1]}}})", ErrorCode::json_type},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [1.0]}}})", ErrorCode::json_type},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": ["1"]}}})", ErrorCode::json_type},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [true]}}})", ErrorCode::json_type},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [-1]}}})", ErrorCode::invalid_extent},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [4611686018427387905]}}})", ErrorCode::invalid_extent},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [18446744073709551615]}}})", ErrorCode::invalid_extent},
      {R"({"inputs": {"x": {"dtype": "int8", "shape": [99999999999999999999999]}}})", ErrorCode::json_syntax},
      {R"({"inputs": {"x": {"shape": [1]}, "x": {"shape": [2]}}})", ErrorCode::duplicate_tensor},
      {R"({"inputs": {}, "inputs": {}})", ErrorCode::json_duplicate_key},
      {R"({"inputs": {"x": {"shape": [1], "shape": [2]}}})", ErrorCode::json_duplicate_key},
      {R"({"batch_size": 0, "inputs": {}})", ErrorCode::invalid_batch_size},
      {R"({"batch_size": -3, "inputs": {}})", ErrorCode::invalid_batch_size},
      {R"({"batch_size": "2", "inputs": {}})", ErrorCode::json_type},
      {R"({"batch_size": 2.0, "inputs": {}})", ErrorCode::json_type},
      {R"({"inputs": {}, "ok": 1})", ErrorCode::json_type},
      {R"({"inputs": {}, "count": 0})", ErrorCode::json_type},
      {R"({"inputs": {}} trailing)", ErrorCode::json_syntax},
      {"{\"inputs\": {\"\xff\": {\"shape\": []}}}", ErrorCode::json_syntax},
  };
  for (const auto& [line, code] : cases) {
    const Parsed parsed = parse(std::string(kGood) + "\n" + line + "\n" + kGood + "\n", 1 << 20);
    ASSERT_EQ(parsed.errors.size(), 1u) << line;
    EXPECT_EQ(parsed.errors[0].code, code) << line << "\n" << parsed.errors[0].message();
    EXPECT_EQ(parsed.errors[0].where.rfind("line 2", 0), 0u) << parsed.errors[0].where;
    ASSERT_EQ(parsed.calls.size(), 2u) << line;
    EXPECT_EQ(parsed.calls[0], parsed.calls[1]);
  }
}

TEST(Recording, TooManyAxes) {
  std::string sizes = "1";
  for (int i = 0; i < 64; ++i) sizes += ",1";
  const Parsed parsed = parse(R"({"inputs":{"x":{"shape":[)" + sizes + "]}}}", 1 << 20);
  ASSERT_EQ(parsed.errors.size(), 1u);
  EXPECT_EQ(parsed.errors[0].code, ErrorCode::rank_too_large);
}

TEST(Recording, ALineOverTheLimitIsOneErrorAndNoMemory) {
  const std::string piece(std::size_t{1} << 20, 'x');
  std::vector<Error> errors;
  std::size_t calls = 0;
  RecordingParser parser({[&](const Call&, std::uint64_t) { ++calls; },
                          [&](const Error& error) {
                            errors.push_back(error);
                            return true;
                          }});
  for (int i = 0; i < 70; ++i) parser.feed(piece);
  parser.feed("\n" + std::string(kGood));
  parser.finish();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, ErrorCode::recording_line_too_long);
  EXPECT_EQ(calls, 1u);
}

TEST(Recording, StopsWhenAsked) {
  int calls = 0;
  RecordingParser parser({[&](const Call&, std::uint64_t) { ++calls; }, [](const Error&) { return false; }});
  EXPECT_FALSE(parser.feed("{bad}\n" + std::string(kGood) + "\n"));
  EXPECT_FALSE(parser.finish());
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace tensorspec
