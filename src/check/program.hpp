// SPDX-License-Identifier: Apache-2.0
//
// What a conforming call must satisfy, as straight lists of comparisons. It tells "conforms without a warning" from
// "not certain"; it never tells what is wrong.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/expression.hpp"

namespace tensorspec::flat {

struct FlatVariant;

// A size of a call: an axis of a tensor of the variant. The batch size, and what is solved, are axes of one more tensor
// behind them.
struct Place {
  static constexpr std::uint32_t kBatch = kNone;  // as tensor: the batch size
  std::uint32_t tensor = 0, axis = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// The sizes of one call: extents by tensor, and those that are no axis: the batch size and solved symbols.
struct Sizes {
  static constexpr std::size_t kTensors = 256;
  static constexpr std::uint32_t kBatchSize = 0, kFirstSolved = 1, kSolved = 16;
  std::array<const std::int64_t*, kTensors + 1> extents;
  std::array<std::int64_t, kSolved> solved;

  std::int64_t operator[](Place at) const noexcept { return extents[at.tensor][at.axis]; }
};

class Program {
 public:
  Program() = default;
  // Of a variant compiled so far as to its axes and symbols; never usable when that is not small.
  Program(const FlatVariant& variant, bool outputs, bool batch);

  // The call, whose tensors have the ranks and dtypes of the variant, conforms without a warning. False: perhaps.
  // REQUIRES: the expressions of the variant, extents of every tensor that the program is about.
  bool holds(const Expressions& expressions, Sizes& sizes, std::int64_t batch_size, bool ranges) const noexcept;
  // Nothing is to be solved or evaluated: then straight_holds() is all.
  bool straight() const noexcept { return straight_; }
  bool straight_holds(Sizes& sizes, std::int64_t batch_size, bool ranges) const noexcept;

 private:
  class Compiler;

  struct Range {  // low <= size <= low + span, modulo 2^64
    Place at;
    std::int64_t low;
    std::uint64_t span;
  };
  struct Same {
    Place a, b;
  };
  struct Order {
    Place low, high;
  };
  struct Affine {  // size == a * x + b * y + c, each step in int64; b is 0 where there is no y
    Place at, x, y;
    std::int64_t a, b, c;
  };
  struct Stride {  // size == residue + a multiple of m = 2^shift * odd, from residue on
    Place at;
    std::int64_t residue;
    std::uint64_t inverse, limit;  // of the odd part modulo 2^64; (2^64 - 1) / m
    int shift;
  };
  struct Equation {  // size == dim, for any dim
    Place at;
    FlatDim dim;
  };
  struct Solve {  // solved[target] makes dim == size
    Place at;
    std::uint32_t target;
    FlatDim dim;
    std::uint32_t term;  // of the dim: coefficient * the symbol
  };

  bool usable_ = false;        // false: no call is certain
  bool straight_ = false;      // usable, and nothing to solve or to evaluate
  std::uint32_t behind_ = 0;   // the number of the tensor behind those of the variant
  std::vector<Place> places_;  // by symbol, for equations and solutions
  std::vector<Solve> solves_;
  std::vector<Range> ranges_;  // those of fixed sizes first
  std::size_t fixed_ = 0;      // how many
  std::vector<Same> same_;
  std::vector<Order> orders_;
  std::vector<Affine> affine_;
  std::vector<Stride> strides_;
  std::vector<Equation> equations_;
};

// This is the whole cost of a conforming call: inlined, so that no register is saved.
[[gnu::always_inline]] inline bool Program::straight_holds(Sizes& sizes, std::int64_t batch_size,
                                                           bool ranges) const noexcept {
  sizes.solved[Sizes::kBatchSize] = batch_size;
  sizes.extents[behind_] = sizes.solved.data();
  const auto from = [&](Place at, std::int64_t low) {
    return static_cast<std::uint64_t>(sizes[at]) - static_cast<std::uint64_t>(low);
  };
  for (const Range *r = ranges_.data(), *end = r + (ranges ? ranges_.size() : fixed_); r != end; ++r)
    if (from(r->at, r->low) > r->span) return false;
  for (const Same& s : same_)
    if (sizes[s.a] != sizes[s.b]) return false;
  for (const Order& o : orders_)
    if (sizes[o.low] > sizes[o.high]) return false;
  for (const Affine& f : affine_) {
    std::int64_t ax = 0, by = 0, sum = 0;
    if (__builtin_mul_overflow(f.a, sizes[f.x], &ax) || __builtin_mul_overflow(f.b, sizes[f.y], &by) ||
        __builtin_add_overflow(ax, by, &sum) || __builtin_add_overflow(sum, f.c, &sum) || sum != sizes[f.at])
      return false;
  }
  for (const Stride& s : strides_)
    if (std::rotr(from(s.at, s.residue) * s.inverse, s.shift) > s.limit || sizes[s.at] < s.residue) return false;
  return true;
}

}  // namespace tensorspec::flat
