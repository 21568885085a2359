// SPDX-License-Identifier: Apache-2.0
#include "plan/problem.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/try.hpp"

namespace tensorspec::planning {

std::int64_t round_up(const PlannedSymbol& symbol, std::int64_t size) {
  if (symbol.multiple_of <= 1) return size;
  const std::int64_t over = (size - symbol.residue) % symbol.multiple_of;
  if (size <= symbol.residue) return symbol.residue;
  return over == 0 ? size : size + (symbol.multiple_of - over);
}

Result<Problem> Problem::make(const Workload& load, const Dim& cost, bool seen_only) {
  Problem out;
  out.symbols = load.symbols.size();
  std::vector<std::string> names;
  for (const PlannedSymbol& symbol : load.symbols) names.push_back(symbol.name);
  TRY(out.cost, Cost::make(cost, names));

  std::map<Sizes, std::uint64_t> rounded;
  std::vector<std::set<std::int64_t>> grid(out.symbols);
  Sizes sizes(out.symbols);
  const auto round = [&](SizesView raw) {
    for (std::size_t s = 0; s < out.symbols; ++s) {
      sizes[s] = planning::round_up(load.symbols[s], raw[s]);
      grid[s].insert({raw[s], sizes[s]});
    }
  };
  for (std::size_t i = 0; i < load.rows(); ++i) {
    round(load.row(i));
    rounded[sizes] += load.counts[i];
  }
  Sizes most = load.largest;
  bool unseen = load.subset;
  for (std::size_t s = 0; s < out.symbols; ++s) {
    const PlannedSymbol& symbol = load.symbols[s];
    if (seen_only || !symbol.declared || !symbol.max || *symbol.max < most[s]) continue;
    most[s] = *symbol.max;
    unseen = true;
  }
  if (unseen) {
    round(most);
    out.top = sizes;
  }
  std::vector<Sizes> columns;
  for (const auto& column : grid) columns.emplace_back(column.begin(), column.end());
  TRY_VOID(out.cost.must_rise(columns));

  for (std::size_t i = 0; i < load.rows(); ++i)
    out.exact += Wide(load.counts[i]) * static_cast<std::uint64_t>(out.cost.of(load.row(i)));
  for (const auto& [row, weight] : rounded) {
    out.rows.push_back(row);
    out.weights.push_back(weight);
    out.costs.push_back(out.cost.of(row));
    out.calls += weight;
    out.unpadded += Wide(weight) * static_cast<std::uint64_t>(out.costs.back());
  }
  return out;
}

std::optional<Corners> assign(const Problem& problem, std::vector<Sizes> corners) {
  if (problem.top &&
      std::none_of(corners.begin(), corners.end(), [&](const Sizes& c) { return below(*problem.top, c); }))
    return std::nullopt;
  std::vector<std::pair<std::int64_t, Sizes>> order;
  for (Sizes& corner : corners) {
    const std::int64_t cost = problem.cost.of(corner);
    order.emplace_back(cost, std::move(corner));
  }
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  Corners out;
  out.corner_of.reserve(problem.rows.size());
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    std::size_t at = 0;
    while (at < order.size() && !below(problem.rows[i], order[at].second)) ++at;
    if (at == order.size()) return std::nullopt;
    out.corner_of.push_back(static_cast<std::uint32_t>(at));
    out.total += Wide(problem.weights[i]) * static_cast<std::uint64_t>(order[at].first);
  }
  for (auto& entry : order) out.corners.push_back(std::move(entry.second));
  return out;
}

Corners shrink(const Problem& problem, Corners corners) {
  for (;;) {
    std::vector<Sizes> lower(corners.corners.size());
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      Sizes& corner = lower[corners.corner_of[i]];
      if (corner.empty()) corner = problem.rows[i];
      else raise(corner, problem.rows[i]);
    }
    // One corner stays up for the top: the cheapest that reaches it.
    if (problem.top)
      for (std::size_t c = 0; c < lower.size(); ++c)
        if (below(*problem.top, corners.corners[c])) {
          lower[c] = *problem.top;
          break;
        }
    lower.erase(std::remove(lower.begin(), lower.end(), Sizes()), lower.end());
    auto next = assign(problem, lower);
    if (!next || (next->total == corners.total && next->corners == corners.corners)) return corners;
    corners = *std::move(next);
  }
}

}  // namespace tensorspec::planning
