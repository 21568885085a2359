// SPDX-License-Identifier: Apache-2.0
//
// The best 32 buckets for 10,000 lengths. The rival is the textbook recurrence, O(n^2 k); the floor is one multiply-add
// for each of the n * k entries of the table.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "plan/partition.hpp"
#include "timing.hpp"

namespace {

using tensorspec::bench::time_operation;
using tensorspec::planning::best_partition;
using tensorspec::planning::Wide;

constexpr std::size_t kLengths = 10'000, kBuckets = 32;

struct Lengths {
  std::vector<std::int64_t> costs;
  std::vector<std::uint64_t> weights;
};

// Different lengths and how often each is asked for; another draw for each seed.
Lengths lengths_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Lengths out;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < kLengths; ++i) {
    out.costs.push_back(length += 1 + static_cast<std::int64_t>(random() % 8));
    out.weights.push_back(1 + random() % 1000 / (1 + i / 100));
  }
  return out;
}

Wide textbook(const Lengths& lengths) {
  std::vector<std::uint64_t> before(kLengths + 1, 0);
  for (std::size_t i = 0; i < kLengths; ++i) before[i + 1] = before[i] + lengths.weights[i];
  std::vector<std::uint64_t> last(kLengths + 1, UINT64_MAX), next;
  last[0] = 0;
  for (std::size_t b = 1; b <= kBuckets; ++b) {
    next = last;
    for (std::size_t j = b; j <= kLengths; ++j)
      for (std::size_t i = b - 1; i < (b == 1 ? 1 : j); ++i)  // one bucket begins at 0
        next[j] =
            std::min(next[j], last[i] + (before[j] - before[i]) * static_cast<std::uint64_t>(lengths.costs[j - 1]));
    last.swap(next);
  }
  return last[kLengths];
}

void TableFloor(benchmark::State& state) {
  const Lengths lengths = lengths_of(1);
  time_operation(state, "floor", 1, {}, [&] {
    for (std::size_t b = 0; b < kBuckets; ++b) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < kLengths; ++i)
        sum += lengths.weights[i] * static_cast<std::uint64_t>(lengths.costs[i]) + b;
      benchmark::DoNotOptimize(sum);
    }
  });
}
BENCHMARK(TableFloor)->Unit(benchmark::kMillisecond);

void Textbook(benchmark::State& state) {
  const Lengths lengths = lengths_of(1);
  time_operation(state, "textbook", 1, {}, [&] { benchmark::DoNotOptimize(textbook(lengths)); });
}
BENCHMARK(Textbook)->Unit(benchmark::kMillisecond)->Iterations(1);

void BestPartition(benchmark::State& state) {
  std::vector<Lengths> all;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) all.push_back(lengths_of(seed));
  if (best_partition(all[0].costs, all[0].weights, kBuckets).totals.back() != textbook(all[0]))
    return state.SkipWithError("not the least cost");
  std::size_t at = 0;
  time_operation(state, "best_partition", 1, {"floor", "textbook"}, [&] {
    const Lengths& lengths = all[at++ % all.size()];
    benchmark::DoNotOptimize(best_partition(lengths.costs, lengths.weights, kBuckets).totals.back());
  });
}
BENCHMARK(BestPartition)->Unit(benchmark::kMillisecond);

}  // namespace
