// SPDX-License-Identifier: Apache-2.0
//
// Median and 99th percentile of an operation, and its ratio to another benchmark of the same run.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tensorspec::bench {

// Nanoseconds, by benchmark; those that ran before.
inline std::map<std::string, double>& medians() {
  static std::map<std::string, double> all;
  return all;
}

// Runs the operation `batch` times for each reading of the clock, which costs as much as some operations. Counters, all
// per operation: median_ns, p99_ns (of the batches), and vs_<other>, the ratio to the median of a benchmark that ran
// before.
template <class Operation>
void time_operation(benchmark::State& state, const std::string& name, std::size_t batch,
                    const std::vector<std::string>& others, Operation operation) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> ns;
  for (auto _ : state) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < batch; ++i) operation();
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    ns.push_back(took.count() / static_cast<double>(batch));
  }
  std::sort(ns.begin(), ns.end());
  const double median = ns[ns.size() / 2];
  medians()[name] = median;
  state.counters["median_ns"] = median;
  state.counters["p99_ns"] = ns[ns.size() * 99 / 100];
  for (const std::string& other : others)
    if (const auto at = medians().find(other); at != medians().end())
      state.counters["vs_" + other] = median / at->second;
}

}  // namespace tensorspec::bench
