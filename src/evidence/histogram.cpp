// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

namespace {

constexpr std::size_t kMaxExactSizes = 4096;
constexpr int kBinBits = 7;  // 128 bins for each power of two: a bin is at most 1/128 of its lower bound wide
constexpr std::size_t kLeastSlots = 16;

// Of the bits in which sizes of one bin differ.
std::int64_t bin_mask(std::int64_t size) noexcept {
  const int drop = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 1 - kBinBits;
  return drop <= 0 ? 0 : (std::int64_t{1} << drop) - 1;
}

}  // namespace

std::int64_t SizeHistogram::bin(std::int64_t size) noexcept { return size & ~bin_mask(size); }
std::int64_t SizeHistogram::bin_end(std::int64_t size) noexcept { return size | bin_mask(size); }

void SizeHistogram::add(std::int64_t size, std::uint64_t count) {
  put(exact_ ? size : bin(size), count);
  coarsen_if_many();
}

void SizeHistogram::put(std::int64_t size, std::uint64_t count) {
  if (2 * used_ >= slots_.size()) rebuild(std::max(kLeastSlots, 2 * slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  std::uint64_t hash = static_cast<std::uint64_t>(size) * 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 32;
  std::size_t at = hash & mask;
  while (slots_[at].size != size && slots_[at].size >= 0) at = (at + 1) & mask;
  if (slots_[at].size < 0) {
    slots_[at].size = size;
    ++used_;
  }
  slots_[at].count = saturating_add(slots_[at].count, count);
}

void SizeHistogram::rebuild(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old)
    if (slot.size >= 0) put(exact_ ? slot.size : bin(slot.size), slot.count);
}

void SizeHistogram::merge(const SizeHistogram& other) {
  if (exact_ && !other.exact_) {
    exact_ = false;
    rebuild(slots_.size());
  }
  for (const Slot& slot : other.slots_)
    if (slot.size >= 0) add(slot.size, slot.count);
}

void SizeHistogram::coarsen_if_many() {
  if (!exact_ || used_ <= kMaxExactSizes) return;
  exact_ = false;
  rebuild(slots_.size());
}

std::vector<std::pair<std::int64_t, std::uint64_t>> SizeHistogram::counts() const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> out;
  out.reserve(used_);
  for (const Slot& slot : slots_)
    if (slot.size >= 0) out.emplace_back(slot.size, slot.count);
  std::sort(out.begin(), out.end());
  return out;
}

SizeHistogram SizeHistogram::restore(bool exact, const std::map<std::int64_t, std::uint64_t>& counts) {
  SizeHistogram histogram;
  histogram.exact_ = exact;
  for (const auto& [size, count] : counts) histogram.put(size, count);
  histogram.coarsen_if_many();
  return histogram;
}

}  // namespace tensorspec
