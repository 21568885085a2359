// SPDX-License-Identifier: Apache-2.0
#include "explain/fresh.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <tuple>

namespace tensorspec {
namespace {

constexpr std::int64_t kInside = 1024;  // steps looked at in the range seen, and beyond it
constexpr std::size_t kAlike = 6;       // candidates that are about as good as the best
constexpr std::int64_t kSmall = 8;      // sizes so small that more than twice as much is nothing
constexpr std::int64_t kFactors = 1024;
// Among so many odd numbers one has no factor in common with a step below 2^62.
constexpr std::int64_t kOffStep = 1024;

// Has it no factor that a model could be suspected of? A prime, below 2^20.
bool is_prime(std::int64_t n) {
  for (std::int64_t d = 2; d < kFactors && d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

std::int64_t steps_of(const SymbolSizes& sizes, std::int64_t size) { return (size - sizes.first) / sizes.step; }

void set_step(SymbolSizes& out) {
  const Symbol& symbol = *out.symbol;
  if (symbol.multiple_of != 1) {
    out.step = symbol.multiple_of;
    out.first = symbol.residue;
  } else if (symbol.seen_multiple_of != 1) {
    out.step = symbol.seen_multiple_of;
    out.first = symbol.seen_residue;
  } else {
    std::int64_t common = 0;
    for (const std::int64_t size : out.seen) common = std::gcd(common, size);
    out.step = std::max<std::int64_t>(common, 1);
  }
}

void set_limits(SymbolSizes& out, const SizeLimits& limits, bool batch) {
  const Symbol& symbol = *out.symbol;
  out.low = out.seen.empty() ? symbol.min.value_or(1) : *out.seen.begin();
  out.high = out.seen.empty() ? symbol.max.value_or(std::max<std::int64_t>(out.low, 8)) : *out.seen.rbegin();
  out.least = batch ? 2 : std::min<std::int64_t>(1, out.low);
  out.most = kMaxExtent;
  const auto narrow = [&](const std::optional<std::int64_t>& min, const std::optional<std::int64_t>& max) {
    if (min) out.least = std::max(out.least, *min);
    if (max) out.most = std::min(out.most, *max);
  };
  if (symbol.declared) narrow(symbol.min, symbol.max);
  if (const auto limit = limits.find(symbol.name); limit != limits.end()) narrow(limit->second.min, limit->second.max);
}

// Inside the range seen before outside, since the model took those sizes; primes first, since they show every factor.
void set_candidates(SymbolSizes& out) {
  const std::int64_t bottom = std::max<std::int64_t>(steps_of(out, out.low), 0), top = steps_of(out, out.high);
  const auto add = [&](std::int64_t n, int order) {
    if (n > (kMaxExtent - out.first) / out.step) return;
    const std::int64_t size = out.first + n * out.step;
    if (size < out.least || size > out.most || out.seen.contains(size)) return;
    out.candidates.push_back({size, order + (is_prime(n) ? 0 : 1)});
  };
  for (std::int64_t n = bottom; n < top; n += std::max<std::int64_t>((top - bottom) / kInside, 1)) add(n, 0);
  // Beyond it at most twice the size, whatever that costs the model.
  for (std::int64_t n = top + 1; n <= top + std::clamp<std::int64_t>(top, kSmall, kInside); ++n) add(n, 2);
}

std::int64_t distance_to(std::int64_t size, const std::set<std::int64_t>& sizes) {
  const auto above = sizes.lower_bound(size);
  std::int64_t out = kMaxExtent;
  if (above != sizes.end()) out = *above - size;
  if (above != sizes.begin()) out = std::min(out, size - *std::prev(above));
  return out;
}

}  // namespace

std::map<std::string, SymbolSizes> sizes_of_symbols(const Variant& variant, const std::vector<InputAxis>& axes,
                                                    const std::vector<SeenCall>& accepted, const SizeLimits& limits) {
  std::set<std::string> told;
  for (const InputAxis& at : axes)
    for (std::string& name : at.dim->symbols()) told.insert(std::move(name));
  std::string batch;
  if (variant.batch_size) {
    for (std::string& name : variant.batch_size->symbols()) told.insert(std::move(name));
    if (const std::string* name = variant.batch_size->as_symbol()) batch = *name;
  }
  std::map<std::string, SymbolSizes> out;
  for (const Symbol& symbol : variant.symbols)
    if (told.contains(symbol.name)) out[symbol.name].symbol = &symbol;
  for (const SeenCall& call : accepted)
    for (const auto& [name, size] : sizes_in(variant, axes, call)) out[name].seen.insert(size);
  for (auto& [name, sizes] : out) {
    set_step(sizes);
    set_limits(sizes, limits, name == batch || sizes.symbol->source == Symbol::Source::inferred);
    set_candidates(sizes);
  }
  return out;
}

std::optional<std::int64_t> size_off_step(const SymbolSizes& sizes) {
  if (sizes.step == 1) return std::nullopt;
  // From the middle of what was seen outwards, so that nothing else is new about it.
  const std::int64_t middle =
      std::clamp(sizes.low + (sizes.high - sizes.low) / 2, sizes.least, std::max(sizes.least, sizes.most));
  for (std::int64_t distance = 0; distance <= kOffStep; ++distance)
    for (const std::int64_t size : {middle - distance, middle + distance})
      if (size >= sizes.least && size <= sizes.most && size % 2 == 1 && std::gcd(size - sizes.first, sizes.step) == 1)
        return size;
  return std::nullopt;
}

Sizes choose_sizes(const std::map<std::string, SymbolSizes>& symbols,
                   std::map<std::string, std::set<std::int64_t>>& used) {
  using Rank = std::tuple<bool, bool, int>;
  Sizes out;
  std::vector<std::int64_t> parts;
  for (const auto& [name, sizes] : symbols) {
    std::set<std::int64_t>& taken = used[name];
    std::set<std::int64_t> known = sizes.seen;
    known.insert(taken.begin(), taken.end());
    Rank best_rank(true, true, INT_MAX);
    std::vector<std::pair<std::int64_t, std::int64_t>> best;  // distance, size
    for (const auto& [size, order] : sizes.candidates) {
      const std::int64_t part = steps_of(sizes, size);
      const bool factor = std::any_of(parts.begin(), parts.end(), [&](std::int64_t other) {
        return std::gcd(part, other) != 1 || (part == other && part != 1);
      });
      const Rank rank(taken.contains(size), factor, order);
      if (rank > best_rank) continue;
      if (rank < best_rank) best.clear();
      best_rank = rank;
      // Within the range as far as can be from what is known, beyond it as near.
      best.emplace_back(size < sizes.high ? -distance_to(size, known) : size - sizes.high, size);
    }
    std::sort(best.begin(), best.end());
    // Not always the first of them: symbols of like ranges would move alike, and seem to depend on one another.
    const std::int64_t salt[] = {static_cast<std::int64_t>(parts.size()), static_cast<std::int64_t>(known.size())};
    const std::size_t choice = std::min<std::size_t>(best.size(), sizes.high - sizes.low > kSmall ? kAlike : 2);
    // Limits may leave nothing fresh: then what was seen before.
    const std::int64_t size = best.empty() ? std::clamp(sizes.high, sizes.least, std::max(sizes.least, sizes.most))
                                           : best[sample_hash(salt) % choice].second;
    out[name] = size;
    taken.insert(size);
    parts.push_back(steps_of(sizes, size));
  }
  return out;
}

}  // namespace tensorspec
