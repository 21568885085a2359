// SPDX-License-Identifier: Apache-2.0
#include "explain/bounds.hpp"

#include <algorithm>

namespace tensorspec {
namespace {

// Distinct pairs of sizes, if a <= b in all of them; 0: it was not, or the ranges alone say so.
std::size_t witnesses_of(const ClassTable& table, std::size_t a, std::size_t b) {
  if (table[a].maximum <= table[b].minimum) return 0;
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const std::vector<std::int64_t>& row : table.rows()) {
    if (row[a] == ClassTable::kAbsent || row[b] == ClassTable::kAbsent) continue;
    if (row[a] > row[b]) return 0;
    pairs.emplace(row[a], row[b]);
  }
  return pairs.size();
}

}  // namespace

std::vector<Bound> find_bounds(const ClassTable& table, const std::vector<std::size_t>& symbols,
                               const std::vector<std::string>& names) {
  struct Found {
    std::size_t low, high, witnesses;
  };
  std::vector<Found> found;
  const costs::Cost needed = costs::kMargin + costs::log2(std::max<std::uint64_t>(symbols.size() * symbols.size(), 1));
  for (const std::size_t low : symbols)
    for (const std::size_t high : symbols) {
      const std::size_t witnesses = low == high ? 0 : witnesses_of(table, low, high);
      if (static_cast<costs::Cost>(witnesses) * costs::kBit > needed) found.push_back({low, high, witnesses});
    }
  const auto holds = [&](std::size_t low, std::size_t high) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Found& other) { return other.low == low && other.high == high; });
  };
  std::vector<Bound> out;
  for (const Found& bound : found) {
    const bool follows = std::any_of(symbols.begin(), symbols.end(), [&](std::size_t between) {
      return holds(bound.low, between) && holds(between, bound.high);
    });
    if (!follows) out.push_back({names[bound.low], names[bound.high], bound.witnesses, {}});
  }
  return out;
}

}  // namespace tensorspec
