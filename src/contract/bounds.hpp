// SPDX-License-Identifier: Apache-2.0
//
// What can be said of an expression for all sizes of its symbols at once. Each answer is sound: "true" and an interval
// hold for every size; "false" and a wide interval may mean that it was not found out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tensorspec/contract.hpp"
#include "tensorspec/dim.hpp"

namespace tensorspec::diffing {

// What a comparison may still cost, so that no pair of contracts takes for ever. A unit is about an expression of one
// term evaluated, some tenths of a microsecond.
struct Effort {
  std::int64_t left = 20'000'000;
  bool spend(std::size_t units) noexcept {
    left -= static_cast<std::int64_t>(units);
    return left >= 0;
  }
};

inline constexpr std::int64_t kNoLimit = INT64_MAX;  // as a bound: none; below, -kNoLimit

struct Interval {
  std::int64_t low = -kNoLimit, high = kNoLimit;
};

// The sizes low, low + step, ..., high. Empty when low > high; both ends are members otherwise.
struct Domain {
  std::int64_t low = 0, high = kNoLimit, step = 1;

  static Domain of(const Symbol& symbol);
  bool empty() const noexcept { return low > high; }
  bool contains(std::int64_t size) const noexcept;
  // How many, at most `limit`.
  std::int64_t count(std::int64_t limit) const noexcept;
  // The first member from `size` upwards, the last one downwards; nullopt when there is none.
  std::optional<std::int64_t> at_least(std::int64_t size) const noexcept;
  std::optional<std::int64_t> at_most(std::int64_t size) const noexcept;
};
using Domains = std::map<std::string, Domain, std::less<>>;

// Holds every whole value of the expression. Symbols without a domain are any size.
Interval bounds(const Dim& dim, const Domains& domains);

bool always_zero(const Dim& dim, const Domains& domains, Effort& effort);
bool always_whole(const Dim& dim, const Domains& domains, Effort& effort);
// Every value is a member of `target`. REQUIRES: values are >= floor; they are whole if `whole`.
bool always_within(const Dim& dim, const Domains& domains, const Domain& target, std::int64_t floor, bool whole,
                   Effort& effort);

// Exactly the values, where they are an arithmetic progression and that is found out; `low` may be -kNoLimit.
struct Progression {
  Interval interval;
  std::int64_t step = 1, anchor = 0;  // values are anchor modulo step
};
std::optional<Progression> image(const Dim& dim, const Domains& domains);

}  // namespace tensorspec::diffing
