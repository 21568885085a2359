// SPDX-License-Identifier: Apache-2.0
//
// Explaining a large model: 200 tensors of rank 4 and a full sample of 4,096 distinct calls. The floor is reading every
// extent of the sample once.
#include "tensorspec/explain.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "tensorspec/contract.hpp"
#include "tensorspec/learner.hpp"
#include "timing.hpp"

namespace {

using tensorspec::Call;
using tensorspec::DType;
using tensorspec::Evidence;
using tensorspec::Learner;
using tensorspec::bench::time_operation;

constexpr int kTensors = 200;

// A decoder of 48 layers with an encoder beside it.
Evidence evidence_of(std::size_t distinct) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  Learner learner;
  for (std::size_t k = 0; k < distinct; ++k) {
    const std::int64_t batch = draw(8), seq = draw(512), past = draw(2048), frames = draw(3000);
    Call call;
    call.batch_size = batch;
    for (int i = 0; i < kTensors; ++i) {
      const std::string name = "layers." + std::to_string(i / 4) + "." + std::to_string(i % 4);
      const DType dtype(DType::Kind::float16);
      if (i % 4 == 0) call.inputs.push_back({name, dtype, {batch, 8, past, 64}});
      else if (i % 4 == 1) call.inputs.push_back({name, dtype, {batch, 8, (frames + 1) / 2, 64}});
      else if (i % 4 == 2) call.outputs.push_back({name, dtype, {batch, 8, past + seq, 64}});
      else call.outputs.push_back({name, dtype, {2 * batch, seq, 1, i}});
    }
    (void)learner.observe(call).ok();
  }
  return learner.evidence();
}

void ReadSampleFloor(benchmark::State& state) {
  const Evidence evidence = evidence_of(static_cast<std::size_t>(state.range(0)));
  const auto& sample = evidence.states().begin()->second.sample();
  time_operation(state, "read", 1, {}, [&] {
    std::int64_t sum = 0;
    for (const auto& [key, count] : sample.entries())
      for (const std::int64_t extent : key.extents) sum += extent;
    benchmark::DoNotOptimize(sum);
  });
}
BENCHMARK(ReadSampleFloor)->ArgNames({"distinct"})->Arg(4096)->Unit(benchmark::kMillisecond);

void Explain(benchmark::State& state) {
  const Evidence evidence = evidence_of(static_cast<std::size_t>(state.range(0)));
  const auto contract = tensorspec::explain(evidence);
  if (!contract.ok() || contract->variants().size() != 1) return state.SkipWithError("not one variant");
  const auto& outputs = contract->variants()[0].outputs;
  if (outputs.size() != kTensors / 2 || outputs[0].shape.size() != 4) return state.SkipWithError("another contract");
  time_operation(state, "explain", 1, {"read"}, [&] { benchmark::DoNotOptimize(tensorspec::explain(evidence)); });
}
BENCHMARK(Explain)->ArgNames({"distinct"})->Arg(256)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
