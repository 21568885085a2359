// SPDX-License-Identifier: Apache-2.0
//
// What a conforming call must satisfy, as straight lists of comparisons without a branch on values. It tells
// "conforms without a warning" from "not certain"; it never tells what is wrong.
#pragma once

#include <cstdint>
#include <optional>
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

class Program {
 public:

  Program() = default;
  // Of a variant compiled so far as to its axes and symbols.
  Program(const FlatVariant& variant, bool outputs, bool batch);

  // The call, whose tensors have the ranks and dtypes of the variant, conforms without a warning. False: perhaps.
  // REQUIRES: the expressions of the variant, extents of every tensor that the program is about, and room for one more
  // pointer behind those of the variant.
  bool holds(const Expressions& expressions, const std::int64_t** extents, std::int64_t batch_size,
             bool ranges) const noexcept;

 private:
  class Compiler;
  // Sizes that are no axis: the batch size, a zero, solved symbols.
  static constexpr std::uint32_t kSolved = 16, kBatchSize = 0, kZero = 1, kFirstSolved = 2;

  struct Fixed {
    Place at;
    std::int64_t size;
  };
  struct Range {  // low <= size <= low + span, modulo 2^64
    Place at;
    std::int64_t low;
    std::uint64_t span;
  };
  struct Same {
    Place a, b;
  };
  struct Affine {  // size == a * x + b * y + c, each step in int64
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
  std::uint32_t behind_ = 0;   // the number of the tensor behind those of the variant
  std::vector<Place> places_;  // by symbol, for equations and solutions
  std::vector<Solve> solves_;
  std::vector<Fixed> fixed_;
  std::vector<Range> ranges_;
  std::vector<Same> same_;
  std::vector<Affine> affine_;
  std::vector<Stride> strides_;
  std::vector<Equation> equations_;
};

}  // namespace tensorspec::flat
