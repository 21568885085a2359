// SPDX-License-Identifier: Apache-2.0
//
// Merging the evidence of two machines: 64 tensors of rank 4, 256 columns. The floor is copying one full sample.
#include <benchmark/benchmark.h>

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
using tensorspec::bench::time_operation;

constexpr int kTensors = 64;
constexpr std::size_t kColumns = 4 * kTensors, kSample = Evidence::kDefaultSampleSize;

// Five sizes and sums of them, as a decoder with images has.
std::vector<Call> calls_of(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  std::vector<Call> calls(count);
  for (Call& call : calls) {
    const std::int64_t batch = draw(8), seq = draw(512), past = draw(2048), height = 8 * draw(64), width = 8 * draw(64);
    for (int i = 0; i < kTensors; ++i) {
      const std::string name = "tensor_" + std::to_string(i);
      if (i % 4 == 0) call.inputs.push_back({name, DType(DType::Kind::float16), {batch, 3, height, width}});
      else call.inputs.push_back({name, DType(DType::Kind::float16), {batch, i, i % 4 == 1 ? past : past + seq, 64}});
    }
  }
  return calls;
}

Evidence learned(const std::vector<Call>& calls) {
  Learner learner;
  for (const Call& call : calls) (void)learner.observe(call).ok();
  return learner.evidence();
}

void CopySampleFloor(benchmark::State& state) {
  const std::vector<std::int64_t> rows(kColumns * kSample, 7);
  time_operation(state, "copy", 1, {}, [&] { benchmark::DoNotOptimize(std::vector<std::int64_t>(rows).data()); });
}
BENCHMARK(CopySampleFloor)->Unit(benchmark::kMillisecond);

// `calls` different ones on each side; 256 fit the sample, 6,000 fill it.
void MergeEvidence(benchmark::State& state) {
  const std::size_t count = static_cast<std::size_t>(state.range(0));
  std::vector<Call> calls = calls_of(1, count);
  const std::vector<Call> others = calls_of(2, count);
  const Evidence a = learned(calls), b = learned(others);
  calls.insert(calls.end(), others.begin(), others.end());
  if (Evidence::merge(a, b).value() != learned(calls)) return state.SkipWithError("not the union");
  time_operation(state, "merge", 1, {"copy"}, [&] { benchmark::DoNotOptimize(Evidence::merge(a, b)); });
}
BENCHMARK(MergeEvidence)->ArgNames({"calls"})->Arg(256)->Arg(6000)->Unit(benchmark::kMillisecond);

}  // namespace
