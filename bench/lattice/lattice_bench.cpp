// SPDX-License-Identifier: Apache-2.0
//
// Lattice: membership, growth and merge. The floor of membership is the same multiply-adds without overflow checks,
// divisions or the equal columns left out.
#include "tensorspec/lattice.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

namespace {

using tensorspec::AffineLattice;
using Point = std::vector<std::int64_t>;

// `dimension` columns over 4 latent sizes up to 512; the first `different` columns are unlike one another, the others
// repeat them.
struct Calls {
  std::vector<Point> points;

  Calls(std::size_t dimension, std::size_t different, std::size_t count) {
    std::mt19937_64 random(1);
    const auto uniform = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::vector<Point> factors(different, Point(5));
    for (std::size_t i = 0; i < different; ++i)
      for (std::size_t j = 0; j < 5; ++j) factors[i][j] = i < 4 ? std::int64_t{i == j} : uniform(0, 7);
    for (std::size_t k = 0; k < count; ++k) {
      Point latent{uniform(1, 512), uniform(1, 512), uniform(1, 512), uniform(1, 512), 1}, x(dimension);
      for (std::size_t i = 0; i < dimension; ++i)
        for (std::size_t j = 0; j < 5; ++j) x[i] += factors[i % different][j] * latent[j];
      points.push_back(x);
    }
  }
};

AffineLattice learned(const std::vector<Point>& points) {
  AffineLattice lattice(points[0].size());
  for (const Point& x : points) lattice.insert(x);
  return lattice;
}

void Contains(benchmark::State& state) {
  const Calls calls(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1024);
  const AffineLattice lattice = learned(calls.points);
  for (const Point& x : calls.points)
    if (!lattice.contains(x)) return state.SkipWithError("not a member");
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(lattice.contains(calls.points[next++ % 1024]));
  state.counters["rank"] = static_cast<double>(lattice.rank());
}
BENCHMARK(Contains)
    ->ArgNames({"columns", "different"})
    ->Args({32, 32})
    ->Args({32, 8})
    ->Args({128, 16})
    ->Args({800, 20});

void ContainsFloor(benchmark::State& state) {
  const std::size_t columns = static_cast<std::size_t>(state.range(0)), rank = 4;
  const Calls calls(columns, columns, 1024);
  const auto form = learned(calls.points).canonical();
  std::vector<std::int64_t> h(columns * rank), p(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    p[i] = std::stoll(form.point[i]);
    for (std::size_t j = 0; j < rank; ++j) h[i * rank + j] = std::stoll(form.generators[j][i]);
  }
  const auto member = [&](const Point& x) {  // unit pivots in the first columns
    bool same = true;
    for (std::size_t i = 0; i < columns; ++i) {
      std::int64_t sum = p[i];
      for (std::size_t j = 0; j < rank; ++j) sum += h[i * rank + j] * x[j];
      same = same && sum == x[i];
    }
    return same;
  };
  for (const Point& x : calls.points)
    if (!member(x)) return state.SkipWithError("not a member");
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(member(calls.points[next++ % 1024]));
}
BENCHMARK(ContainsFloor)->ArgNames({"columns"})->Args({32});

// From the empty set until it no longer grows.
void Grow(benchmark::State& state) {
  const Calls calls(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 24);
  std::size_t growths = 0;
  AffineLattice counted(calls.points[0].size());
  for (const Point& x : calls.points) growths += counted.insert(x);
  for (auto _ : state) benchmark::DoNotOptimize(learned(calls.points));
  state.counters["growths"] = static_cast<double>(growths);
}
BENCHMARK(Grow)
    ->ArgNames({"columns", "different"})
    ->Args({32, 32})
    ->Args({32, 8})
    ->Args({800, 20})
    ->Unit(benchmark::kMicrosecond);

void Merge(benchmark::State& state) {
  const Calls calls(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 6);
  const AffineLattice a = learned({calls.points[0], calls.points[1], calls.points[2]});
  const AffineLattice b = learned({calls.points[3], calls.points[4], calls.points[5]});
  if (AffineLattice::merge(a, b).value() != learned(calls.points)) return state.SkipWithError("not the union");
  for (auto _ : state) benchmark::DoNotOptimize(AffineLattice::merge(a, b));
}
BENCHMARK(Merge)->ArgNames({"columns", "different"})->Args({32, 8})->Args({256, 32})->Unit(benchmark::kMicrosecond);

}  // namespace
