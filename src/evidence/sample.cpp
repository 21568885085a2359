// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/checked.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

namespace {

constexpr std::size_t kLeastPlaces = 4;
constexpr std::size_t kBucket = 8;
constexpr std::size_t kTablePerRow = 4;

}  // namespace

// fmix64 ends with k ^ k >> 33 and begins with the same step, and on k ^ k >> 33 that step gives k back. So between two
// extents both are left out, and the chain of dependent steps is a third shorter; the hash is the same.
std::uint64_t sample_hash(std::span<const std::int64_t> extents) noexcept {
  const auto multiply = [](std::uint64_t k) noexcept {
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    return k * 0xc4ceb9fe1a85ec53ULL;
  };
  const auto shift = [](std::uint64_t k) noexcept { return k ^ (k >> 33); };
  std::uint64_t k = multiply(shift(extents.size()));
  for (const std::int64_t extent : extents) k = multiply(k ^ shift(static_cast<std::uint64_t>(extent)));
  return shift(k);
}

bool BottomKSample::is_row(std::size_t place, std::span<const std::int64_t> extents) const noexcept {
  return counts_[place] != 0 &&
         (columns_ == 0 || std::memcmp(rows_.data() + place * columns_, extents.data(), extents.size_bytes()) == 0);
}

std::optional<BottomKSample::Evicted> BottomKSample::add(std::span<const std::int64_t> extents, std::uint64_t count) {
  return add(sample_hash(extents), extents, count);
}

std::optional<BottomKSample::Evicted> BottomKSample::add(std::uint64_t hash, std::span<const std::int64_t> extents,
                                                         std::uint64_t count) {
  assert(hashes_.empty() || extents.size() == columns_);
  const auto lower = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  std::size_t at = static_cast<std::size_t>(lower - hashes_.begin());
  for (; at < hashes_.size() && hashes_[at] == hash; ++at) {
    const std::uint32_t place = places_[at];
    if (is_row(place, extents)) {
      counts_[place] = saturating_add(counts_[place], count);
      enter(place);
      return std::nullopt;
    }
    const auto known = row(place);
    if (std::lexicographical_compare(extents.begin(), extents.end(), known.begin(), known.end())) break;
  }
  const bool full = hashes_.size() >= capacity_;
  saturated_ |= full;
  if (full && at == hashes_.size()) return Evicted{extents, count};
  if (hashes_.empty()) columns_ = extents.size();
  make_room();
  std::optional<Evicted> evicted;
  std::uint32_t place = static_cast<std::uint32_t>(hashes_.size());
  if (full) {
    // The newcomer takes the spare place, so the row that goes stays readable where it is.
    place = std::exchange(spare_, places_.back());
    evicted = Evicted{row(spare_), std::exchange(counts_[spare_], 0)};
    hashes_.pop_back();
    places_.pop_back();
  }
  hashes_.insert(hashes_.begin() + static_cast<std::ptrdiff_t>(at), hash);
  places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(at), place);
  std::copy(extents.begin(), extents.end(), rows_.begin() + static_cast<std::ptrdiff_t>(place * columns_));
  counts_[place] = count;
  enter(place);
  return evicted;
}

// Room for one row more: twice the places, or what a full sample and its spare place need.
void BottomKSample::make_room() {
  if (hashes_.size() < counts_.size()) return;
  std::size_t places = std::max(counts_.size() * 2, kLeastPlaces);
  if (places >= capacity_) places = capacity_ + 1;
  rows_.reserve(places * columns_);
  hashes_.reserve(places);
  places_.reserve(places);
  counts_.reserve(places);
  rows_.resize(places * columns_);
  counts_.resize(places);
  spare_ = static_cast<std::uint32_t>(places - 1);
}

std::uint64_t BottomKSample::max_bytes(std::size_t columns) const noexcept {
  const std::uint64_t places = capacity_ + 1, rows = places * columns * sizeof(std::int64_t);
  const std::uint64_t beside = places * (sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::uint64_t));
  // While the rows move to a larger array, the old one is there too.
  return rows + rows / 2 + beside + std::bit_ceil(kTablePerRow * capacity_ + 1) * sizeof(std::uint64_t);
}

void BottomKSample::merge(const BottomKSample& other, const std::function<void(const Evicted&)>& evict) {
  assert(capacity_ == other.capacity_);
  saturated_ |= other.saturated_;
  for (const auto& [key, count] : other.entries())
    if (const auto evicted = add(key.hash, key.extents, count)) evict(*evicted);
}

void BottomKSample::shrink(std::size_t capacity, const std::function<void(const Evicted&)>& evict) {
  BottomKSample smaller(capacity);
  smaller.find_by_ = find_by_;
  smaller.table_.resize(std::min(table_.size(), kBucket));
  for (const auto& [key, count] : entries())
    if (const auto evicted = smaller.add(key.hash, key.extents, count)) evict(*evicted);
  if (saturated_) smaller.saturated_ = true;
  *this = std::move(smaller);
}

bool operator==(const BottomKSample& a, const BottomKSample& b) noexcept {
  if (a.capacity_ != b.capacity_ || a.saturated_ != b.saturated_ || a.hashes_ != b.hashes_) return false;
  for (std::size_t at = 0; at < a.hashes_.size(); ++at) {
    const BottomKSample::Entry x = a.entry(at), y = b.entry(at);
    if (x.count != y.count || !std::ranges::equal(x.key.extents, y.key.extents)) return false;
  }
  return true;
}

void BottomKSample::find_by(std::vector<std::uint32_t> columns) {
  find_by_ = std::move(columns);
  if (table_.empty()) table_.resize(kBucket);
  rebuild_table();
}

std::uint64_t BottomKSample::table_hash(std::span<const std::int64_t> extents) const noexcept {
  std::uint64_t hash = 0;
  for (const std::uint32_t column : find_by_) {
    hash = (hash ^ static_cast<std::uint64_t>(extents[column])) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

bool BottomKSample::add_known(std::span<const std::int64_t> extents, std::uint64_t count) noexcept {
  if (table_.empty()) return false;
  const std::uint64_t hash = table_hash(extents);
  const std::uint64_t* bucket = table_.data() + (hash & (table_.size() - 1) & ~(kBucket - 1));
  for (std::size_t i = 0; i < kBucket; ++i) {
    if ((bucket[i] ^ hash) >> 32 != 0 || bucket[i] == 0) continue;
    const std::size_t place = static_cast<std::uint32_t>(bucket[i]) - 1;
    if (!is_row(place, extents)) continue;
    counts_[place] = saturating_add(counts_[place], count);
    return true;
  }
  return false;
}

// A bucket that is full loses the entry that the hash names: whatever goes is found the slow way and entered again.
void BottomKSample::enter(std::uint32_t place) {
  if (table_.empty()) return;
  if (table_.size() < kTablePerRow * hashes_.size()) return rebuild_table();
  const std::uint64_t hash = table_hash(row(place));
  std::uint64_t* bucket = table_.data() + (hash & (table_.size() - 1) & ~(kBucket - 1));
  const std::uint64_t mark = (hash >> 32 << 32) | (place + 1);
  std::size_t at = 0;
  while (at < kBucket && bucket[at] != 0 && bucket[at] != mark) ++at;
  bucket[at < kBucket ? at : hash % kBucket] = mark;
}

void BottomKSample::rebuild_table() {
  table_.assign(std::bit_ceil(std::max(kBucket, kTablePerRow * hashes_.size())), 0);
  for (const std::uint32_t place : places_) enter(place);
}

}  // namespace tensorspec
