// SPDX-License-Identifier: Apache-2.0
//
// Laws of plans on random calls: the exact method against slow ones; lower bound <= optimum <= what was found; every
// call is taken; what is said to be uncovered is exactly that.
#include "tensorspec/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "plan/corners.hpp"
#include "plan/partition.hpp"

namespace tensorspec {
namespace {

using namespace planning;
using Random = std::mt19937_64;

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Least cost with at most k runs, by the definition: O(n^2 k).
std::vector<Wide> slow_totals(const std::vector<std::int64_t>& costs, const std::vector<std::uint64_t>& weights,
                              std::size_t k) {
  const std::size_t n = costs.size();
  std::vector<Wide> out, last(n + 1, ~Wide(0));
  last[0] = 0;
  for (std::size_t b = 1; b <= std::min(k, n); ++b) {
    std::vector<Wide> next = last;
    for (std::size_t j = 1; j <= n; ++j) {
      Wide weight = 0;
      for (std::size_t i = j; i >= 1; --i) {
        weight += weights[i - 1];
        if (last[i - 1] != ~Wide(0))
          next[j] = std::min(next[j], last[i - 1] + weight * static_cast<std::uint64_t>(costs[j - 1]));
      }
    }
    last = next;
    out.push_back(last[n]);
  }
  return out;
}

Wide cost_of_ends(const std::vector<std::int64_t>& costs, const std::vector<std::uint64_t>& weights,
                  const std::vector<std::uint32_t>& ends) {
  Wide total = 0;
  std::size_t bucket = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    while (i > ends[bucket]) ++bucket;
    total += Wide(weights[i]) * static_cast<std::uint64_t>(costs[ends[bucket]]);
  }
  return total;
}

TEST(PlanLaws, BestPartitionIsThatOfTheSlowMethod) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t n = static_cast<std::size_t>(draw(random, 1, seed % 10 == 0 ? 200 : 24));
    const std::size_t k = static_cast<std::size_t>(draw(random, 1, 9));
    // Small numbers tie often; the largest that are allowed need the 192 bits.
    const bool huge = seed % 3 == 0;
    std::vector<std::int64_t> costs;
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < n; ++i) {
      costs.push_back(draw(random, 0, huge ? INT64_MAX : 12));
      weights.push_back(static_cast<std::uint64_t>(draw(random, 0, huge ? INT64_MAX / 128 : 4)));
    }
    std::sort(costs.begin(), costs.end());
    const Partition found = best_partition(costs, weights, k);
    ASSERT_EQ(found.totals, slow_totals(costs, weights, k));
    ASSERT_EQ(cost_of_ends(costs, weights, found.ends), found.totals.back());
    ASSERT_LE(found.ends.size(), k);
    ASSERT_EQ(found.ends.back(), n - 1);
    // No fewer buckets do as well.
    if (found.ends.size() > 1) { ASSERT_GT(found.totals[found.ends.size() - 2], found.totals.back()); }
  }
}

// All ways to choose at most k of n ends, the last one always.
Wide brute_force(const std::vector<std::int64_t>& costs, const std::vector<std::uint64_t>& weights, std::size_t k) {
  const std::size_t n = costs.size();
  Wide best = ~Wide(0);
  for (std::uint32_t mask = 0; mask < 1U << (n - 1); ++mask) {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i + 1 < n; ++i)
      if ((mask >> i & 1U) != 0) ends.push_back(i);
    ends.push_back(static_cast<std::uint32_t>(n - 1));
    if (ends.size() <= k) best = std::min(best, cost_of_ends(costs, weights, ends));
  }
  return best;
}

TEST(PlanLaws, BestPartitionIsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<std::int64_t> costs(static_cast<std::size_t>(draw(random, 1, 10)));
    std::vector<std::uint64_t> weights;
    for (std::int64_t& cost : costs) cost = draw(random, 0, 20);
    std::sort(costs.begin(), costs.end());
    for (std::size_t i = 0; i < costs.size(); ++i) weights.push_back(static_cast<std::uint64_t>(draw(random, 0, 5)));
    for (std::size_t k = 1; k <= costs.size(); ++k)
      ASSERT_EQ(best_partition(costs, weights, k).totals.back(), brute_force(costs, weights, k)) << k;
  }
}

const char* const kNames[] = {"a", "b", "c"};

// Calls of up to `symbols` symbols, with steps, ranges and counts at random.
Workload random_load(Random& random, std::size_t symbols, std::size_t rows, std::int64_t most) {
  SizeTrace trace;
  for (std::size_t s = 0; s < symbols; ++s) trace.names.emplace_back(kNames[s]);
  for (std::size_t i = 0; i < rows * symbols; ++i) trace.sizes.push_back(draw(random, 0, most));
  for (std::size_t i = 0; i < rows; ++i) trace.counts.push_back(static_cast<std::uint64_t>(draw(random, 1, 9)));
  auto load = workload_of(trace);
  EXPECT_TRUE(load.ok());
  for (PlannedSymbol& symbol : load->symbols) {
    if (random() % 3 == 0) symbol.multiple_of = draw(random, 2, 4);
    if (symbol.multiple_of > 1) symbol.residue = draw(random, 0, symbol.multiple_of - 1);
    if (random() % 4 == 0) {
      symbol.declared = true;
      symbol.min = draw(random, 0, 2);
      symbol.max = most + draw(random, 0, 4);
    }
  }
  return *std::move(load);
}

Dim random_cost(Random& random, std::size_t symbols) {
  static const std::vector<std::string> kOne = {"a", "a*a", "3*a+2", "ceil(a/3)", "a*a-a+1"};
  static const std::vector<std::string> kTwo = {"a*b", "a+b", "a*b*b", "a*b+7", "ceil(a/2)*(b+1)", "a*b+b"};
  static const std::vector<std::string> kThree = {"a*b*c", "a+b+c", "a*b+c", "a*(b+c)", "a*b*b+c*c"};
  const auto& forms = symbols == 1 ? kOne : symbols == 2 ? kTwo : kThree;
  return Dim::parse(forms[random() % forms.size()]).value();
}

// The least cost of at most k corners, of all there are: those that are the largest sizes of some rows.
Wide optimum(const Problem& problem, std::size_t k) {
  std::vector<Sizes> joins;
  const std::size_t n = problem.rows.size();
  for (std::uint32_t mask = 1; mask < 1U << n; ++mask) {
    Sizes join(problem.symbols, 0);
    for (std::size_t i = 0; i < n; ++i)
      if ((mask >> i & 1U) != 0) raise(join, problem.rows[i]);
    joins.push_back(join);
  }
  if (problem.top) joins.push_back(*problem.top);
  std::sort(joins.begin(), joins.end());
  joins.erase(std::unique(joins.begin(), joins.end()), joins.end());
  Wide best = ~Wide(0);
  std::vector<Sizes> chosen;
  const std::function<void(std::size_t)> choose = [&](std::size_t from) {
    if (const auto total = assign(problem, chosen); total && total->total < best) best = total->total;
    if (chosen.size() == k) return;
    for (std::size_t j = from; j < joins.size(); ++j) {
      chosen.push_back(joins[j]);
      choose(j + 1);
      chosen.pop_back();
    }
  };
  choose(0);
  return best;
}

TEST(PlanLaws, LowerBoundThenOptimumThenWhatWasFound) {
  std::size_t reached = 0, cases = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t symbols = static_cast<std::size_t>(draw(random, 2, 3));
    Workload load = random_load(random, symbols, static_cast<std::size_t>(draw(random, 1, 6)), 9);
    load.subset = random() % 4 == 0;
    const auto problem = Problem::make(load, random_cost(random, symbols), false);
    ASSERT_TRUE(problem.ok()) << problem.error().message();
    const std::size_t k = static_cast<std::size_t>(draw(random, 1, 3));
    const Wide best = optimum(*problem, k);
    // Few cells make both the search and the bound coarse, and no less true.
    for (const std::size_t cells : {std::size_t{4096}, std::size_t{12}, std::size_t{4}, std::size_t{1}}) {
      const Grid grid(*problem, cells);
      const Corners found = find_corners(*problem, grid, k);
      ASSERT_LE(found.corners.size(), k);
      ASSERT_EQ(assign(*problem, found.corners)->total, found.total);
      ASSERT_LE(best, found.total);
      ASSERT_LE(lower_bound(*problem, grid, k, found.total), best) << cells;
      if (cells == 4096) {
        ++cases;
        reached += found.total == best ? 1 : 0;
      }
    }
  }
  // Not exact, but on problems as small as these nearly always.
  EXPECT_GE(reached * 100, cases * 90) << reached << " of " << cases;
}

bool takes(const Workload& load, const Profile& profile, PlanMode mode, const Sizes& sizes) {
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const ProfileRange& range = profile.symbols.find(load.symbols[s].name)->second;
    const std::int64_t size = planning::round_up(load.symbols[s], sizes[s]);
    if (size > range.max || (mode == PlanMode::profiles && size < range.min)) return false;
  }
  return true;
}

TEST(PlanLaws, ProfilesTakeEveryCallAndSayWhatTheyDoNot) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t symbols = static_cast<std::size_t>(draw(random, 1, 3));
    const Workload load = random_load(random, symbols, static_cast<std::size_t>(draw(random, 1, 20)), 9);
    PlanOptions options;
    options.k = static_cast<std::size_t>(draw(random, 1, 5));
    options.cost = random_cost(random, symbols);
    options.mode = random() % 2 == 0 ? PlanMode::buckets : PlanMode::profiles;
    options.nested = random() % 3 == 0;
    options.seen_only = random() % 2 == 0;
    const auto made = plan(load, options);
    ASSERT_TRUE(made.ok()) << made.error().message();
    ASSERT_LE(made->profiles.size(), options.k);
    ASSERT_LE(made->lower_bound, made->score.cost_per_call);
    ASSERT_LE(made->unlimited.cost_per_call, made->lower_bound);
    ASSERT_LE(made->exact_cost_per_call, made->unlimited.cost_per_call);
    std::uint64_t calls = 0;
    for (const ProfileUse& use : made->uses) calls += use.calls;
    ASSERT_EQ(calls, made->calls);
    for (const Profile& profile : made->profiles)
      for (std::size_t s = 0; s < symbols; ++s) {
        const PlannedSymbol& symbol = load.symbols[s];
        const ProfileRange& range = profile.symbols.find(symbol.name)->second;
        ASSERT_LE(range.min, range.opt);
        ASSERT_LE(range.opt, range.max);
        for (const std::int64_t size : {range.min, range.opt, range.max})
          ASSERT_EQ((size - symbol.residue) % symbol.multiple_of, 0) << size;
        bool zero = false;
        for (std::size_t i = 0; i < load.rows(); ++i) zero = zero || planning::round_up(symbol, load.row(i)[s]) == 0;
        if (!zero) { ASSERT_GE(range.min, 1); }
      }
    for (std::size_t i = 0; i < load.rows(); ++i) {
      const Sizes sizes(load.row(i).begin(), load.row(i).end());
      ASSERT_TRUE(std::any_of(made->profiles.begin(), made->profiles.end(),
                              [&](const Profile& profile) { return takes(load, profile, made->mode, sizes); }));
    }
    // Held against its own calls it says of itself what the plan said.
    const auto audited = audit(load, {std::nullopt, made->mode, made->profiles}, options.cost);
    ASSERT_TRUE(audited.ok()) << audited.error().message();
    ASSERT_EQ(audited->outside, 0U);
    ASSERT_EQ(audited->score.cost_per_call, made->score.cost_per_call);
    ASSERT_EQ(audited->uncovered, made->uncovered);
  }
}

TEST(PlanLaws, UncoveredIsWhatNoProfileTakes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t symbols = static_cast<std::size_t>(draw(random, 1, 3));
    Workload load = random_load(random, symbols, 1, 9);
    for (PlannedSymbol& symbol : load.symbols) {
      symbol.min = draw(random, 0, 3);
      symbol.max = draw(random, 3, 9);
    }
    Ladder ladder;
    ladder.mode = random() % 2 == 0 ? PlanMode::buckets : PlanMode::profiles;
    for (std::int64_t p = draw(random, 0, 4); p > 0; --p) {
      Profile profile;
      for (const PlannedSymbol& symbol : load.symbols) {
        const std::int64_t low = draw(random, 0, 9), high = draw(random, low, 9);
        profile.symbols[symbol.name] = {low, high, high};
      }
      ladder.profiles.push_back(profile);
    }
    const auto audited = audit(load, ladder);
    ASSERT_TRUE(audited.ok()) << audited.error().message();
    Sizes sizes(symbols, 0);
    const std::function<void(std::size_t)> visit = [&](std::size_t s) {
      if (s < symbols) {
        const PlannedSymbol& symbol = load.symbols[s];
        for (std::int64_t size = *symbol.min; size <= *symbol.max; ++size) {
          if (size < symbol.residue || (size - symbol.residue) % symbol.multiple_of != 0) continue;
          sizes[s] = size;
          visit(s + 1);
        }
        return;
      }
      const bool taken = std::any_of(ladder.profiles.begin(), ladder.profiles.end(),
                                     [&](const Profile& profile) { return takes(load, profile, ladder.mode, sizes); });
      std::size_t boxes = 0;
      for (const SizeRanges& box : audited->uncovered) {
        bool inside = true;
        for (std::size_t t = 0; t < symbols; ++t) {
          const SizeRange& range = box.find(load.symbols[t].name)->second;
          inside = inside && sizes[t] >= *range.min && sizes[t] <= *range.max;
        }
        boxes += inside ? 1 : 0;
      }
      ASSERT_EQ(boxes, taken ? 0U : 1U);
    };
    visit(0);
  }
}

}  // namespace
}  // namespace tensorspec
