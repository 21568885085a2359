// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/plan.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/try.hpp"
#include "plan/corners.hpp"
#include "plan/cover.hpp"
#include "plan/partition.hpp"

namespace tensorspec {
namespace {

using namespace planning;

constexpr std::size_t kMaxTable = std::size_t{1} << 27;  // sizes times buckets: 512 MiB

class Planner {
 public:
  Planner(const Workload& load, const PlanOptions& options, const Problem& problem)
      : load_(load), options_(options), problem_(problem), k_(std::min(options.k, problem.rows.size() + 1)) {}

  Plan run() {
    out_.mode = options_.mode;
    out_.k = options_.k;
    out_.symbols = load_.symbols;
    out_.notes = load_.notes;
    out_.calls = problem_.calls;
    out_.distinct = load_.rows();
    out_.exact_cost_per_call = per_call(problem_.exact);
    const Corners found = is_chain() ? exact() : searched();
    out_.score = score(found.corners.size(), found.total);
    out_.unlimited = score(problem_.rows.size(), problem_.unpadded);
    score_powers_of_two();
    make_profiles(found);
    out_.uncovered = uncovered(out_.symbols, out_.profiles, out_.mode);
    return std::move(out_);
  }

  // Each row is at least the one before in every symbol.
  bool is_chain() const {
    for (std::size_t i = 1; i < problem_.rows.size(); ++i)
      if (!below(problem_.rows[i - 1], problem_.rows[i])) return false;
    return true;
  }

 private:
  double per_call(Wide total) const { return static_cast<double>(total) / static_cast<double>(problem_.calls); }
  PlanScore score(std::size_t profiles, Wide total) const {
    const double padding = total == 0 ? 0 : static_cast<double>(total - problem_.exact) / static_cast<double>(total);
    return {profiles, per_call(total), padding};
  }

  Corners exact() {
    std::vector<Sizes> rows = problem_.rows;
    std::vector<std::int64_t> costs = problem_.costs;
    std::vector<std::uint64_t> weights = problem_.weights;
    if (problem_.top && *problem_.top != rows.back()) {
      rows.push_back(*problem_.top);
      costs.push_back(problem_.cost.of(rows.back()));
      weights.push_back(0);
    }
    const Partition best = best_partition(costs, weights, k_);
    for (std::size_t b = 0; b < best.totals.size(); ++b) out_.by_k.push_back(score(b + 1, best.totals[b]));
    out_.lower_bound = per_call(best.totals.back());
    out_.optimal = true;
    Corners found;
    for (const std::uint32_t end : best.ends) found.corners.push_back(rows[end]);
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      while (i > best.ends[bucket]) ++bucket;
      found.corner_of.push_back(static_cast<std::uint32_t>(bucket));
    }
    found.total = best.totals.back();
    return found;
  }

  // Room for every size: nothing is to be chosen.
  std::optional<Corners> one_a_size() {
    std::vector<Sizes> corners = problem_.rows;
    if (problem_.top && std::find(corners.begin(), corners.end(), *problem_.top) == corners.end())
      corners.push_back(*problem_.top);
    if (corners.size() > k_) return std::nullopt;
    out_.by_k.push_back(score(corners.size(), problem_.unpadded));
    out_.lower_bound = per_call(problem_.unpadded);
    out_.optimal = true;
    return assign(problem_, std::move(corners));
  }

  Corners searched() {
    if (auto all = one_a_size()) return *std::move(all);
    const Grid grid(problem_);
    std::optional<Corners> best;
    for (std::size_t k = 1; k <= k_; k = k == k_ ? k + 1 : std::min(2 * k, k_)) {
      Corners found = find_corners(problem_, grid, k);
      if (!best || found.total < best->total) best = std::move(found);
      out_.by_k.push_back(score(k, best->total));
    }
    const Wide bound = lower_bound(problem_, grid, k_, best->total);
    out_.lower_bound = per_call(bound);
    out_.optimal = bound == best->total;
    return *std::move(best);
  }

  // What people do without a plan: every size rounded up to a power of two, no further than the largest size.
  void score_powers_of_two() {
    std::set<Sizes> corners;
    Wide total = 0;
    Sizes most = load_.largest, corner(problem_.symbols);
    if (problem_.top) most = *problem_.top;
    for (std::size_t s = 0; s < most.size(); ++s) most[s] = round_up(load_.symbols[s], most[s]);
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      for (std::size_t s = 0; s < corner.size(); ++s) {
        const std::int64_t size = problem_.rows[i][s];
        corner[s] = most[s];
        if (size > kMaxExtent) continue;  // rounded up to a step: no power of two fits
        const auto power = size == 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
        corner[s] = std::min(round_up(load_.symbols[s], power), most[s]);
      }
      const auto cost = problem_.cost.at(corner);
      if (!cost) return;  // it has no value there, so there is nothing to compare with
      corners.insert(corner);
      total += Wide(problem_.weights[i]) * static_cast<std::uint64_t>(*cost);
    }
    out_.powers_of_two = score(corners.size(), total);
  }

  // The smallest size of each symbol that profiles take: an engine takes 0 only where a call had it.
  Sizes smallest() const {
    Sizes low = problem_.rows[0];
    for (const Sizes& row : problem_.rows)
      for (std::size_t s = 0; s < low.size(); ++s) low[s] = std::min(low[s], row[s]);
    for (std::size_t s = 0; s < low.size(); ++s) {
      const PlannedSymbol& symbol = load_.symbols[s];
      if (low[s] > 0 && symbol.min) low[s] = std::min(low[s], round_up(symbol, std::max<std::int64_t>(*symbol.min, 1)));
    }
    return low;
  }

  void make_profiles(const Corners& found) {
    const std::size_t count = found.corners.size();
    std::vector<std::size_t> usual(count, problem_.rows.size());  // the most frequent row of each
    out_.uses.resize(count);
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      const std::uint32_t c = found.corner_of[i];
      out_.uses[c].calls += problem_.weights[i];
      ++out_.uses[c].distinct;
      if (usual[c] == problem_.rows.size() || problem_.weights[i] >= problem_.weights[usual[c]]) usual[c] = i;
    }
    Sizes low = smallest();
    const std::optional<std::size_t> tiled = only_varying(low, found.corners.back());
    for (std::size_t c = 0; c < count; ++c) {
      const Sizes& corner = found.corners[c];
      const Sizes& opt = usual[c] < problem_.rows.size() ? problem_.rows[usual[c]] : corner;
      Profile profile = load_.unplanned;
      for (std::size_t s = 0; s < corner.size(); ++s) {
        ProfileRange range{low[s], opt[s], corner[s]};
        if (options_.mode == PlanMode::buckets) range = {corner[s], corner[s], corner[s]};
        profile.symbols[load_.symbols[s].name] = range;
      }
      out_.profiles.push_back(std::move(profile));
      out_.uses[c].cost = problem_.cost.of(corner);
      if (tiled && !options_.nested) low[*tiled] = corner[*tiled] + load_.symbols[*tiled].multiple_of;
    }
  }

  // The one symbol that has several sizes; profiles can then lie side by side.
  std::optional<std::size_t> only_varying(const Sizes& low, const Sizes& high) const {
    std::optional<std::size_t> out;
    for (std::size_t s = 0; s < low.size(); ++s) {
      if (low[s] == high[s]) continue;
      if (out) return std::nullopt;
      out = s;
    }
    return out;
  }

  const Workload& load_;
  const PlanOptions& options_;
  const Problem& problem_;
  std::size_t k_;
  Plan out_;
};

}  // namespace

Result<Plan> plan(const Workload& load, const PlanOptions& options) {
  if (options.k == 0) return Error{ErrorCode::invalid_argument, "k", "at least one bucket is needed"};
  if (load.rows() == 0) return Error{ErrorCode::nothing_found, "", "no call to plan for"};
  const Dim cost = options.cost.value_or(load.cost);
  TRY(const Problem problem, Problem::make(load, cost, options.seen_only));
  Planner planner(load, options, problem);
  if (std::min(options.k, problem.rows.size()) > kMaxTable / problem.rows.size())
    return Error{ErrorCode::invalid_argument, "k",
                 std::to_string(options.k) + " buckets for " + std::to_string(problem.rows.size()) +
                     " different sizes are too many; round sizes up, or ask for fewer"};
  Plan out = planner.run();
  out.cost = cost;
  return out;
}

std::string_view to_string(PlanMode mode) noexcept { return mode == PlanMode::buckets ? "buckets" : "profiles"; }

}  // namespace tensorspec
