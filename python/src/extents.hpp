// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tensorspec::python {

// Extents of one call, in order. Small ones stay off the heap.
class Extents {
 public:
  void push(std::int64_t extent) {
    if (size_ < inline_.size()) inline_[size_] = extent;
    else spill(extent);
    ++size_;
  }
  template <class Integer>
  void append(const Integer* extents, std::size_t count) {
    if (size_ + count > inline_.size()) {
      for (std::size_t i = 0; i < count; ++i) push(extents[i]);
      return;
    }
    for (const Integer* end = extents + count; extents != end; ++extents) inline_[size_++] = *extents;
  }
  // Takes the last ones off. REQUIRES: size <= size().
  void resize(std::size_t size) {
    // The heap, once used, holds all of them.
    if (size_ > inline_.size() && size <= inline_.size()) std::copy_n(heap_.begin(), size, inline_.begin());
    if (size_ > inline_.size()) heap_.resize(size <= inline_.size() ? 0 : size);
    size_ = size;
  }
  std::size_t size() const noexcept { return size_; }
  const std::int64_t* data() const noexcept { return size_ <= inline_.size() ? inline_.data() : heap_.data(); }
  std::span<const std::int64_t> all() const noexcept { return {data(), size_}; }

 private:
  void spill(std::int64_t extent);

  std::array<std::int64_t, 512> inline_;
  std::vector<std::int64_t> heap_;
  std::size_t size_ = 0;
};

}  // namespace tensorspec::python
