// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>

#include "base/checked.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

namespace {
std::uint64_t fmix64(std::uint64_t k) noexcept {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdULL;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ULL;
  return k ^ (k >> 33);
}

constexpr std::size_t kMaxExactSizes = 4096;
constexpr int kBinBits = 7;  // 128 bins for each power of two: a bin is at most 1/128 of its lower bound wide
}  // namespace

std::uint64_t sample_hash(std::span<const std::int64_t> extents) noexcept {
  std::uint64_t hash = fmix64(extents.size());
  for (const std::int64_t extent : extents) hash = fmix64(hash ^ static_cast<std::uint64_t>(extent));
  return hash;
}

std::optional<BottomKSample::Evicted> BottomKSample::add(std::span<const std::int64_t> extents, std::uint64_t count) {
  Key key{sample_hash(extents), Shape(extents.begin(), extents.end())};
  const auto at = entries_.lower_bound(key);
  if (at != entries_.end() && at->first == key) {
    at->second = saturating_add(at->second, count);
    return std::nullopt;
  }
  if (entries_.size() < capacity_) {
    entries_.emplace_hint(at, std::move(key), count);
    return std::nullopt;
  }
  saturated_ = true;
  if (at == entries_.end()) return Evicted{std::move(key.extents), count};
  entries_.emplace_hint(at, std::move(key), count);
  auto last = entries_.extract(std::prev(entries_.end()));
  return Evicted{std::move(last.key().extents), last.mapped()};
}

std::int64_t SizeHistogram::bin(std::int64_t size) noexcept {
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size)));
  const int drop = width - 1 - kBinBits;
  return drop <= 0 ? size : (size >> drop) << drop;
}

void SizeHistogram::add(std::int64_t size, std::uint64_t count) {
  std::uint64_t& known = counts_[exact_ ? size : bin(size)];
  known = saturating_add(known, count);
  coarsen_if_many();
}

void SizeHistogram::merge(const SizeHistogram& other) {
  if (exact_ && !other.exact_) {
    exact_ = false;
    std::map<std::int64_t, std::uint64_t> fine;
    fine.swap(counts_);
    for (const auto& [size, count] : fine) add(size, count);
  }
  for (const auto& [size, count] : other.counts_) {
    std::uint64_t& known = counts_[exact_ ? size : bin(size)];
    known = saturating_add(known, count);
  }
  coarsen_if_many();
}

void SizeHistogram::coarsen_if_many() {
  if (!exact_ || counts_.size() <= kMaxExactSizes) return;
  exact_ = false;
  std::map<std::int64_t, std::uint64_t> fine;
  fine.swap(counts_);
  for (const auto& [size, count] : fine) add(size, count);
}

SizeHistogram SizeHistogram::restore(bool exact, std::map<std::int64_t, std::uint64_t> counts) {
  SizeHistogram histogram;
  histogram.exact_ = exact;
  histogram.counts_ = std::move(counts);
  return histogram;
}

}  // namespace tensorspec
