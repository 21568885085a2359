// SPDX-License-Identifier: Apache-2.0
//
// A contract compiled flat: names resolved to numbers, dims to programs, dtypes to bits. Immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/expression.hpp"
#include "check/program.hpp"
#include "check/seen.hpp"
#include "check/tensors.hpp"
#include "tensorspec/checker.hpp"

namespace tensorspec::flat {

// A tensor of a variant: the inputs come first, then the outputs, each in display order.
struct FlatTensor {
  std::string_view name;
  std::uint32_t rank = 0;
  std::uint32_t first_axis = 0;  // in FlatVariant::axes
  std::uint64_t kinds = 0;       // a bit for each DType::Kind that fits; no dtype listed: all
  std::span<const DType> dtypes;
  bool output = false, optional = false;
  std::uint32_t twin = 0;  // the first tensor of the same group and name, mostly itself; twins differ in rank

  bool takes(DType::Kind kind) const noexcept { return (kinds >> static_cast<unsigned>(kind) & 1) != 0; }
  // Also for a dtype without a kind.
  bool takes(const TensorView& tensor) const noexcept;
};

struct FlatAxis {
  FlatDim dim;
  const Claim* claim = nullptr;      // where it may be wrong: weak, open or with rivals
  bool weak = false;                 // the claim is weak or open
  Part rivals;                       // of the claim, in FlatVariant::rivals
  std::uint32_t weak_group = kNone;  // of FlatVariant::weak_groups
};

struct FlatSymbol {
  std::optional<std::int64_t> min, max;
  std::int64_t multiple_of = 1, residue = 0, seen_multiple_of = 1, seen_residue = 0;
  std::vector<Place> bare;  // the axes that are this symbol alone, and the batch size
};

// The symbol `low` was never above `high`.
struct FlatBound {
  std::uint32_t low, high;
};

struct FlatVariant {
  explicit FlatVariant(const Variant& variant);

  const Variant* source;  // for the sentences
  std::vector<FlatTensor> tensors;
  std::uint32_t inputs = 0;  // how many of the tensors are inputs
  std::vector<FlatAxis> axes;
  std::vector<FlatSymbol> symbols;
  std::vector<FlatBound> bounds;
  Expressions expressions;
  std::vector<std::optional<FlatDim>> rivals;  // nullopt: uses a symbol the variant does not have, so it never fits
  std::optional<FlatDim> batch;
  std::vector<Place> solvable;                  // axes that are an expression, in order
  std::vector<std::vector<Place>> weak_groups;  // axes of the same weak dim
  std::vector<std::string_view> input_slots, output_slots;
  bool plain_outputs = true;        // every output is always there, with one rank
  bool small = true;                // the tensors fit on the stack
  std::array<Program, 4> programs;  // by what a call has: 2 for outputs + 1 for a batch size
  SeenShapes seen;

  std::span<const FlatTensor> group(bool output) const noexcept {
    const std::span<const FlatTensor> all = tensors;
    return output ? all.subspan(inputs) : all.first(inputs);
  }
  const FlatAxis& axis(Place at) const noexcept { return axes[tensors[at.tensor].first_axis + at.axis]; }

 private:
  void add_tensors(const std::vector<TensorContract>& list, bool output, const Expressions::Numbers& numbers);
  void add_claim(FlatAxis& axis, const TensorContract& tensor, std::uint32_t index, bool output,
                 const Expressions::Numbers& numbers);
  void add_places();
};

// A symbol while a call is examined.
struct Binding {
  enum class State : std::uint8_t { unknown, sure, weak };  // weak: read through a weak claim
  State state = State::unknown;
  Place at;  // where it was read
  std::int64_t value = 0;
};

// Memory for one examination: extents by tensor, nullptr without one; symbols by number.
struct Scratch {
  std::span<const std::int64_t*> extents;
  std::span<Binding> symbols;
};

// Not moved once made: its parts point into one another.
class FlatContract {
 public:
  FlatContract(const Contract& contract, Policy strictest);

  const std::vector<FlatVariant>& variants() const noexcept { return variants_; }

  // Lends memory for an examination, without allocating.
  template <class Use>
  auto with_scratch(const Use& use) const;

 private:
  static constexpr std::size_t kStackSymbols = 256;

  std::vector<Variant> sources_;
  std::vector<FlatVariant> variants_;
  bool large_ = false;  // some variant has more than fits on the stack
  mutable std::mutex mutex_;
  mutable std::vector<const std::int64_t*> large_extents_;
  mutable std::vector<Binding> large_symbols_;
};

template <class Use>
auto FlatContract::with_scratch(const Use& use) const {
  if (large_) {
    const std::lock_guard lock(mutex_);
    return use(Scratch{large_extents_, large_symbols_});
  }
  std::array<const std::int64_t*, Sizes::kTensors> extents;
  std::array<Binding, kStackSymbols> symbols;
  return use(Scratch{extents, symbols});
}

}  // namespace tensorspec::flat
