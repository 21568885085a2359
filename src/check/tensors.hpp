// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a call by number, whoever holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorspec/checker.hpp"

namespace tensorspec::flat {

// An empty shape may have no memory; the extents of a tensor that is there are not null.
inline constexpr std::int64_t kNoAxes = 0;
inline const std::int64_t* pointer_to(const std::int64_t* extents) noexcept { return extents ? extents : &kNoAxes; }

class TensorList {
 public:
  explicit TensorList(const std::vector<TensorInfo>& tensors) noexcept
      : infos_(tensors.data()), size_(tensors.size()) {}
  // Slots with their names; those without a view are absent.
  TensorList(std::span<const TensorView> slots, std::span<const std::string_view> names) noexcept
      : views_(slots), names_(names), size_(slots.size()) {}

  std::size_t size() const noexcept { return size_; }
  std::string_view name(std::size_t i) const noexcept {
    if (infos_) return infos_[i].name;
    return i < names_.size() ? names_[i] : std::string_view();
  }
  TensorView view(std::size_t i) const noexcept { return infos_ ? TensorView(infos_[i]) : views_[i]; }
  bool present(std::size_t i) const noexcept { return infos_ || views_[i].present(); }

  // The first tensor of that name, else size(). `guess` is tried before the others.
  std::size_t find(std::string_view wanted, std::size_t guess) const noexcept {
    if (guess < size_ && present(guess) && name(guess) == wanted) return guess;
    std::size_t i = 0;
    while (i < size_ && !(present(i) && name(i) == wanted)) ++i;
    return i;
  }

 private:
  const TensorInfo* infos_ = nullptr;
  std::span<const TensorView> views_;
  std::span<const std::string_view> names_;
  std::size_t size_ = 0;
};

struct CallTensors {
  TensorList inputs, outputs;
  std::optional<std::int64_t> batch_size;
};

}  // namespace tensorspec::flat
