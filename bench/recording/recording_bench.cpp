// SPDX-License-Identifier: Apache-2.0
//
// Learning from a recording of calls of 8 tensors, from memory: the parser and the learner, on one core and on two. The
// floor is finding the ends of the lines; the rival is simdjson's parser alone, which learns nothing.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tensorspec/learner.hpp"
#include "tensorspec/recording.hpp"
#include "timing.hpp"

namespace {

using tensorspec::Call;
using tensorspec::DType;
using tensorspec::Evidence;
using tensorspec::Learner;
using tensorspec::RecordingParser;
using tensorspec::bench::time_operation;

constexpr std::size_t kLines = 100000, kPiece = 256 * 1024;

// sizes: how many values each of the three sizes takes. kinds: of lines, that differ in more than sizes.
std::string recording_of(std::uint64_t sizes, std::uint64_t kinds) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  std::string text;
  for (std::size_t line = 0; line < kLines; ++line) {
    const std::int64_t b = draw(8), s = draw(sizes), p = draw(4 * sizes);
    const DType whole(DType::Kind::int64), half(DType::Kind::float16);
    const std::string kind = std::to_string(random() % kinds);
    Call call;
    call.batch_size = b;
    call.inputs = {{"input_ids", whole, {b, s}},
                   {"attention_mask", whole, {b, p + s}},
                   {"position_ids", whole, {b, s}},
                   {"past_key_values." + kind + ".key", half, {b, 12, p, 64}},
                   {"past_key_values." + kind + ".value", half, {b, 12, p, 64}}};
    call.outputs = {{"logits", half, {b, s, 50257}},
                    {"present.0.key", half, {b, 12, p + s, 64}},
                    {"present.0.value", half, {b, 12, p + s, 64}}};
    text += to_recording_line(call);
    text += '\n';
  }
  return text;
}

Evidence learned(std::string_view text) {
  Learner learner;
  RecordingParser parser({.call = [&](const Call& call, std::uint64_t) { (void)learner.observe(call).ok(); },
                          .bad = [](const tensorspec::Error&) { return false; }});
  for (std::size_t at = 0; at < text.size(); at += kPiece) parser.feed(text.substr(at, kPiece));
  parser.finish();
  return learner.evidence();
}

Evidence learned_by_two(std::string_view text) {
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  Evidence first, second;
  std::thread other([&] { second = learned(text.substr(half)); });
  first = learned(text.substr(0, half));
  other.join();
  (void)first.merge(second).ok();
  return first;
}

// The same line by line, each by a parser and straight into the evidence.
Evidence plain(std::string_view text) {
  Evidence evidence;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    RecordingParser parser({.call = [&](const Call& call, std::uint64_t) { (void)evidence.add(call).ok(); },
                            .bad = [](const tensorspec::Error&) { return false; }});
    parser.feed(text.substr(at, end - at));
    parser.finish();
    at = end + 1;
  }
  return evidence;
}

void set_speed(benchmark::State& state, std::size_t bytes) {
  state.counters["MB_per_s"] = static_cast<double>(bytes) / state.counters["median_ns"].value * 1e3;
}

void FindLinesFloor(benchmark::State& state) {
  const std::string text = recording_of(512, 1);
  time_operation(state, "lines", 1, {}, [&] { benchmark::DoNotOptimize(std::count(text.begin(), text.end(), '\n')); });
  set_speed(state, text.size());
}
BENCHMARK(FindLinesFloor)->Unit(benchmark::kMillisecond);

void SimdjsonAlone(benchmark::State& state) {
  std::string text = recording_of(512, 1);
  const std::size_t size = text.size();
  text.append(simdjson::SIMDJSON_PADDING, ' ');
  simdjson::dom::parser parser;
  time_operation(state, "simdjson", 1, {"lines"}, [&] {
    for (std::size_t at = 0; at < size;) {
      const std::size_t end = text.find('\n', at);
      if (parser.parse(text.data() + at, end - at, false).error()) return state.SkipWithError("not JSON");
      at = end + 1;
    }
  });
  set_speed(state, size);
}
BENCHMARK(SimdjsonAlone)->Unit(benchmark::kMillisecond);

void Learn(benchmark::State& state) {
  const std::string text =
      recording_of(static_cast<std::uint64_t>(state.range(0)), static_cast<std::uint64_t>(state.range(1)));
  const std::string_view head = std::string_view(text).substr(0, text.find('\n', text.size() / 10) + 1);
  if (learned(head) != plain(head)) return state.SkipWithError("another evidence");
  time_operation(state, "learn", 1, {"lines", "simdjson"}, [&] { benchmark::DoNotOptimize(learned(text)); });
  set_speed(state, text.size());
}
BENCHMARK(Learn)
    ->ArgNames({"sizes", "kinds"})
    ->Args({4, 1})
    ->Args({512, 1})
    ->Args({512, 200})
    ->Unit(benchmark::kMillisecond);

// On two free cores vs_one is to be below 1 / 1.7.
void LearnByTwo(benchmark::State& state) {
  const std::string text = recording_of(512, 1);
  if (learned(text) != learned_by_two(text)) return state.SkipWithError("another evidence");
  time_operation(state, "two", 1, {"one"}, [&] { benchmark::DoNotOptimize(learned_by_two(text)); });
  set_speed(state, text.size());
}
void LearnByOne(benchmark::State& state) {
  const std::string text = recording_of(512, 1);
  time_operation(state, "one", 1, {}, [&] { benchmark::DoNotOptimize(learned(text)); });
  set_speed(state, text.size());
}
BENCHMARK(LearnByOne)->Unit(benchmark::kMillisecond);
BENCHMARK(LearnByTwo)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
