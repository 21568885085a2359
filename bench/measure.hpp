// SPDX-License-Identifier: Apache-2.0
//
// Times contenders for the same work side by side: in every round each runs one batch, so that a slow or busy machine
// is slow for all. Prints median and 99th percentile of a run and the ratio to the first contender, and writes them as
// JSON with --json FILE. A contender first proves that it gives the answers of the first.
//
//   Bench bench(argc, argv);
//   bench.group("contains, 32 columns", {{"floor", [&](std::size_t i) { return ...; }}, {"tensorspec", ...}});
//   return bench.finish();
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorspec::bench {

// Keeps the compiler from leaving out what made the value.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

class Bench {
 public:
  Bench(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i)
      if (std::string_view(argv[i]) == "--json") json_ = argv[i + 1];
  }

  // `run(i)` does the work on input number i and gives an answer to compare. Inputs come in the order 0, 1, .. and wrap
  // around at `inputs`.
  struct Contender {
    std::string name;
    // Runs the inputs begin .. begin + count - 1 (modulo `inputs`) and returns the sum of the answers.
    std::function<std::uint64_t(std::size_t begin, std::size_t count)> batch;
  };
  template <class Run>
  static Contender contender(std::string name, std::size_t inputs, Run run) {
    return {std::move(name), [inputs, run](std::size_t begin, std::size_t count) {
              std::uint64_t sum = 0;
              for (std::size_t i = begin % inputs, n = 0; n < count; ++n, i = i + 1 == inputs ? 0 : i + 1) {
                const std::uint64_t answer = run(i);
                keep(answer);
                sum += answer;
              }
              return sum;
            }};
  }

  // The first contender is what the ratios are to. False, and nothing is timed, when the answers differ on some input.
  bool group(const std::string& name, std::size_t inputs, const std::vector<Contender>& contenders) {
    for (std::size_t i = 0; i < inputs; ++i)
      for (const Contender& contender : contenders)
        if (contender.batch(i, 1) != contenders[0].batch(i, 1)) {
          std::printf("%s: %s and %s differ on input %zu\n", name.c_str(), contender.name.c_str(),
                      contenders[0].name.c_str(), i);
          failed_ = true;
          return false;
        }
    std::vector<std::size_t> counts;
    for (const Contender& contender : contenders) counts.push_back(batch_size(contender));
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t c = 0; c < contenders.size(); ++c)
        times[c].push_back(time(contenders[c], static_cast<std::size_t>(round) * counts[c], counts[c]));
    std::printf("%s\n  %-44s %12s %12s %8s\n", name.c_str(), "", "median", "p99", "ratio");
    double first = 0;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      std::sort(times[c].begin(), times[c].end());
      const double median = times[c][kRounds / 2], p99 = times[c][kRounds * 99 / 100];
      if (c == 0) first = median;
      std::printf("  %-44s %9.1f ns %9.1f ns %8.2f\n", contenders[c].name.c_str(), median, p99, median / first);
      rows_.push_back({name, contenders[c].name, median, p99, median / first});
    }
    return true;
  }

  // The exit code.
  int finish() const {
    if (!json_.empty()) {
      std::ofstream out(json_);
      for (std::size_t i = 0; i < rows_.size(); ++i)
        out << (i == 0 ? "[" : ",\n ") << "{\"task\": \"" << rows_[i].group << "\", \"contender\": \"" << rows_[i].name
            << "\", \"median_ns\": " << rows_[i].median << ", \"p99_ns\": " << rows_[i].p99
            << ", \"ratio\": " << rows_[i].ratio << "}";
      out << "]\n";
      if (!out) return 1;
    }
    return failed_ ? 1 : 0;
  }

 private:
  struct Row {
    std::string group, name;
    double median, p99, ratio;
  };
  static constexpr int kRounds = 1000;

  static double time(const Contender& contender, std::size_t begin, std::size_t count) {
    const auto start = std::chrono::steady_clock::now();
    keep(contender.batch(begin, count));
    const auto stop = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::nano>(stop - start).count() / static_cast<double>(count);
  }
  // So many runs that a batch takes about 20 microseconds, far above the cost of a clock.
  static std::size_t batch_size(const Contender& contender) {
    std::size_t count = 1;
    while (count < (std::size_t{1} << 24) && time(contender, 0, count) * static_cast<double>(count) < 2e4) count *= 2;
    return count;
  }

  std::string json_;
  std::vector<Row> rows_;
  bool failed_ = false;
};

}  // namespace tensorspec::bench
