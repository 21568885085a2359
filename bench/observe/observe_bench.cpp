// SPDX-License-Identifier: Apache-2.0
//
// One call of a decoder with 32 tensors of rank 4, as a Call and as a row. The floor is comparing it with an equal one;
// the rival is adding it to the evidence without a learner.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tensorspec/learner.hpp"
#include "timing.hpp"

namespace {

using tensorspec::Call;
using tensorspec::DType;
using tensorspec::Evidence;
using tensorspec::Learner;
using tensorspec::Shape;
using tensorspec::bench::time_operation;

struct Sizes {
  std::int64_t batch, seq, past;
};

void fill(Call& call, const Sizes& sizes) {
  for (auto& tensor : call.inputs) tensor.shape[0] = sizes.batch, tensor.shape[2] = sizes.past;
  for (auto& tensor : call.outputs) tensor.shape[0] = sizes.batch, tensor.shape[2] = sizes.past + sizes.seq;
}

Call call_of(const Sizes& sizes) {
  Call call;
  for (int layer = 0; layer < 8; ++layer)
    for (const char* kind : {".key", ".value"}) {
      const std::string number = std::to_string(layer);
      call.inputs.push_back({"past_key_values." + number + kind, DType(DType::Kind::float16), {1, 8, 1, 64}});
      call.outputs.push_back({"present." + number + kind, DType(DType::Kind::float16), {1, 8, 1, 64}});
    }
  fill(call, sizes);
  return call;
}

Shape row_of(const Call& call) {
  Shape row;
  for (const auto* group : {&call.inputs, &call.outputs})
    for (const auto& tensor : *group) row.insert(row.end(), tensor.shape.begin(), tensor.shape.end());
  return row;
}

// Different sizes, without end: no pair repeats within 2^31 steps.
class Stream {
 public:
  Sizes next() {
    ++step_;
    return {static_cast<std::int64_t>(step_ * 7 % 16) + 1, static_cast<std::int64_t>(step_ * 40503 % 65536) + 1,
            static_cast<std::int64_t>(step_ * 2654435761 % (std::uint64_t{1} << 31))};
  }

 private:
  std::uint64_t step_ = 0;
};

std::vector<Call> different_calls(std::size_t count) {
  Stream stream;
  std::vector<Call> calls;
  for (std::size_t i = 0; i < count; ++i) calls.push_back(call_of(stream.next()));
  return calls;
}

// Both ways into the learner give the evidence of plain adding; else nothing is timed.
bool agree(const std::vector<Call>& calls) {
  Evidence plain;
  Learner by_call, by_row;
  const auto columns = by_row.columns_of(calls[0]);
  for (int twice = 0; twice < 2; ++twice)
    for (const Call& call : calls)
      if (!plain.add(call).ok() || !by_call.observe(call).ok() || !by_row.observe(*columns, row_of(call)).ok())
        return false;
  return plain == by_call.evidence() && plain == by_row.evidence();
}

constexpr std::size_t kHot = 16;

void EqualCallFloor(benchmark::State& state) {
  const std::vector<Call> calls = different_calls(kHot), same = calls;
  std::size_t next = 0;
  time_operation(state, "equal", 64, {}, [&] {
    benchmark::DoNotOptimize(calls[next % kHot] == same[next % kHot]);
    ++next;
  });
}
BENCHMARK(EqualCallFloor);

void EqualRowFloor(benchmark::State& state) {
  std::vector<Shape> rows;
  for (const Call& call : different_calls(kHot)) rows.push_back(row_of(call));
  const std::vector<Shape> same = rows;
  std::size_t next = 0;
  time_operation(state, "equal_row", 64, {}, [&] {
    const std::size_t at = next++ % kHot;
    benchmark::DoNotOptimize(std::memcmp(rows[at].data(), same[at].data(), rows[at].size() * sizeof rows[at][0]));
  });
}
BENCHMARK(EqualRowFloor);

void ObserveSeenCall(benchmark::State& state) {
  const std::vector<Call> calls = different_calls(kHot);
  if (!agree(calls)) return state.SkipWithError("another evidence");
  Learner learner;
  for (const Call& call : calls) (void)learner.observe(call).ok();
  std::size_t next = 0;
  time_operation(state, "seen", 64, {"equal"},
                 [&] { benchmark::DoNotOptimize(learner.observe(calls[next++ % kHot]).ok()); });
}
BENCHMARK(ObserveSeenCall);

void ObserveSeenRow(benchmark::State& state) {
  const std::size_t count = static_cast<std::size_t>(state.range(0));
  const std::vector<Call> calls = different_calls(count);
  if (!agree(calls)) return state.SkipWithError("another evidence");
  Learner learner;
  const auto columns = learner.columns_of(calls[0]);
  std::vector<Shape> rows;
  for (const Call& call : calls) rows.push_back(row_of(call));
  for (const Shape& row : rows) (void)learner.observe(*columns, row).ok();
  std::size_t next = 0;
  time_operation(state, "seen_row", 64, {"equal_row"},
                 [&] { benchmark::DoNotOptimize(learner.observe(*columns, rows[next++ % count]).ok()); });
}
BENCHMARK(ObserveSeenRow)->ArgNames({"different"})->Arg(kHot)->Arg(4096);

void FillCall(benchmark::State& state) {
  Stream stream;
  Call call = call_of(stream.next());
  time_operation(state, "fill", 16, {}, [&] {
    fill(call, stream.next());
    benchmark::ClobberMemory();
  });
}
BENCHMARK(FillCall);

// Sizes that were never seen and keep every relation, the writing of the call included. sample: as it fills, and full.
void ObserveNewCall(benchmark::State& state) {
  const bool full = state.range(0) != 0;
  if (!agree(different_calls(512))) return state.SkipWithError("another evidence");
  Stream stream;
  Call call = call_of(stream.next());
  Learner learner;
  const auto observe = [&] {
    fill(call, stream.next());
    benchmark::DoNotOptimize(learner.observe(call).ok());
  };
  for (int i = 0; i < (full ? 20000 : 16); ++i) observe();
  time_operation(state, "new", 16, {"fill"}, observe);
  if (learner.evidence().states().begin()->second.sample().saturated() != full) state.SkipWithError("another sample");
}
BENCHMARK(ObserveNewCall)->ArgNames({"full"})->Arg(0)->Iterations(250);
BENCHMARK(ObserveNewCall)->ArgNames({"full"})->Arg(1);

void AddWithoutLearner(benchmark::State& state) {
  const std::vector<Call> calls = different_calls(kHot);
  Evidence evidence;
  std::size_t next = 0;
  time_operation(state, "add", 16, {"seen", "equal"},
                 [&] { benchmark::DoNotOptimize(evidence.add(calls[next++ % kHot]).ok()); });
}
BENCHMARK(AddWithoutLearner);

}  // namespace
