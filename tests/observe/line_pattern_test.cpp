// SPDX-License-Identifier: Apache-2.0
//
// A line read by a pattern and the same line read by the JSON parser are the same call or the same error.
#include "observe/line_pattern.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/allocation_count.hpp"
#include "support/random_calls.hpp"
#include "tensorspec/recording.hpp"

namespace tensorspec {
namespace {

using tests::between;
using tests::Random;

struct Seen {
  std::vector<Call> calls;
  std::vector<std::string> errors;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen read(std::string_view recording) {
  Seen seen;
  RecordingParser parser({.call = [&](const Call& call, std::uint64_t) { seen.calls.push_back(call); },
                          .bad =
                              [&](const Error& error) {
                                seen.errors.push_back(error.message());
                                return true;
                              }});
  parser.feed(recording);
  parser.finish();
  return seen;
}

Call only_call(const std::string& line) {
  const Seen seen = read(line);
  EXPECT_EQ(seen.calls.size(), 1u) << line;
  return seen.calls.empty() ? Call() : seen.calls[0];
}

const char* const kLines[] = {
    R"({"batch_size": 2, "inputs": {"ids": {"dtype": "int64", "shape": [2, 10]}}, "outputs": {}, "ok": true, "count": 1})",
    R"({"inputs":{"x":{"shape":[],"dtype":null},"y":{"dtype":"<V2","shape":[1,0,4611686018427387904]}},"batch_size":null})",
    R"( { "time" : 17.25 , "id":"a-0007", "n":-3, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 3 , 4 ] } } , "count":9 } )",
    R"({"inputs": {"a\"b": {"shape": [5, 5], "dtype": "V\u0032"}}, "extra": {"inputs": {"x": {"shape": [1]}}}, "who": "\u00e4", "ok": false})",
    R"({"inputs": {"x": {"shape": [8]}}, "outputs": null, "flag": true, "none": null, "big": 123456789012345678, "e": 1e5})",
};

TEST(LinePattern, CoversSizesAndWhatIsPassedOver) {
  const std::string line = kLines[2];
  auto pattern = LinePattern::of(line, only_call(line));
  ASSERT_TRUE(pattern.has_value());
  const std::string like =
      R"( { "time" : -0.5 , "id":"zz", "n":12, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 0 , 123456789012345678 ] } } , "count":70 } )";
  ASSERT_TRUE(pattern->read(like));
  EXPECT_EQ(pattern->call(), only_call(like));
  EXPECT_EQ(pattern->call().inputs[0].shape, (Shape{0, 123456789012345678}));
  EXPECT_EQ(pattern->call().weight, 70u);
  for (
      const char* const other :
      {R"( { "time" : 01 , "id":"zz", "n":12, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 0 , 1 ] } } , "count":70 } )",
       R"( { "time" : 1 , "id":"zz", "n":12, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 0 , 1 ] } } , "count":0 } )",
       R"( { "time" : 1 , "id":"zz", "n":12, "inputs" : { "x" : { "note": [2, {"shape": [7]}], "shape" : [ 0 , 1 ] } } , "count":1 } )",
       R"( { "time" : 1 , "id":"z\z", "n":12, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 0 , 1 ] } } , "count":1 } )",
       R"( { "time" : 1 , "id":"zz", "n":12, "inputs" : { "x" : { "note": [1, {"shape": [7]}], "shape" : [ 0 , 1 ] } } , "count":1 } ,)"})
    EXPECT_FALSE(pattern->read(other)) << other;
}

TEST(LinePattern, IsGivenUpWhereAKeyMayBeAnother) {
  const std::string line = R"({"inputs": {"x": {"sh\u0061pe": [1, 2]}}})";
  EXPECT_FALSE(LinePattern::of(line, only_call(line)).has_value());
}

TEST(LinePattern, ReadsWithoutAllocating) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "a sanitizer brings its own operator new";
  const std::string line = kLines[0];
  auto pattern = LinePattern::of(line, only_call(line));
  ASSERT_TRUE(pattern.has_value());
  const std::size_t before = tests::allocation_count();
  EXPECT_TRUE(pattern->read(line));
  EXPECT_EQ(tests::allocation_count(), before);
}

// Each line stands behind its own like, so that the pattern is there, and behind nothing.
TEST(LinePattern, SaysWhatTheParserSays) {
  int by_pattern = 0, errors = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::string first = kLines[random() % std::size(kLines)];
    std::string line = first;
    for (std::int64_t changes = between(random, 1, 3); changes > 0; --changes) {
      const std::size_t at = random() % line.size();
      switch (random() % 6) {
        case 0: line[at] = "0-]}\"9,.e :\\a\t"[random() % 14]; break;
        case 1: line.erase(at, random() % 3); break;
        case 2: line.insert(at, std::to_string(random() % 1000)); break;
        default: {  // another number for a number
          const std::size_t digit = line.find_first_of("0123456789", at);
          if (digit == std::string::npos) break;
          line.replace(digit, 1, random() % 20 == 0 ? std::to_string(random()) : std::to_string(random() % 3000));
        }
      }
    }
    if (line.find('\n') != std::string::npos) continue;
    Seen behind = read(first + "\n" + line), alone = read("\n" + line);
    ASSERT_FALSE(behind.calls.empty());
    behind.calls.erase(behind.calls.begin());
    EXPECT_EQ(behind, alone) << line;
    errors += alone.errors.empty() ? 0 : 1;
    auto pattern = LinePattern::of(first, only_call(first));
    if (pattern && pattern->read(line)) ++by_pattern;
  }
  EXPECT_GT(by_pattern, 300);
  EXPECT_GT(errors, 300);
}

// More kinds of lines than patterns are kept, in any order.
TEST(LinePattern, ManyKindsOfLinesMayTakeTurns) {
  Random random(1);
  std::string recording;
  std::vector<Call> calls;
  for (int i = 0; i < 3000; ++i) {
    Call call = tests::random_call(random, 50);
    call.inputs[0].name += std::to_string(random() % 12);
    recording += to_recording_line(call) + "\n";
    calls.push_back(call);
  }
  const Seen seen = read(recording);
  EXPECT_EQ(seen.errors.size(), 0u);
  EXPECT_EQ(seen.calls, calls);
}

}  // namespace
}  // namespace tensorspec
