// SPDX-License-Identifier: Apache-2.0
#include "check/form.hpp"

#include <algorithm>
#include <cstring>

namespace tensorspec::flat {

bool FlatTensor::takes(const TensorView& tensor) const noexcept {
  if (takes(tensor.dtype)) return true;
  if (tensor.dtype != DType::Kind::other) return false;
  return tensor.spelling.empty() || std::any_of(dtypes.begin(), dtypes.end(), [&](const DType& dtype) {
           return dtype.kind() == DType::Kind::other && dtype.name() == tensor.spelling;
         });
}

FlatVariant::FlatVariant(const Variant& variant) : source(&variant) {
  Expressions::Numbers numbers;
  for (const Symbol& symbol : variant.symbols) {
    numbers.emplace(symbol.name, static_cast<std::uint32_t>(symbols.size()));
    symbols.push_back({symbol.min, symbol.max, symbol.multiple_of, symbol.residue, symbol.seen_multiple_of,
                       symbol.seen_residue, {}});
  }
  add_tensors(variant.inputs, false, numbers);
  inputs = static_cast<std::uint32_t>(tensors.size());
  add_tensors(variant.outputs, true, numbers);
  if (variant.batch_size) batch = expressions.add(*variant.batch_size, numbers);
  add_places();
  for (const FlatTensor& tensor : tensors) {
    const bool first = tensor.twin == static_cast<std::uint32_t>(&tensor - tensors.data());
    if (first) (tensor.output ? output_slots : input_slots).push_back(tensor.name);
    if (tensor.output && (tensor.optional || !first)) plain_outputs = false;
  }
  for (const bool outputs : {false, true})
    for (const bool batch_size : {false, true})
      if (!outputs || plain_outputs) programs[outputs][batch_size] = Program(*this, outputs, batch_size);
}

void FlatVariant::add_tensors(const std::vector<TensorContract>& list, bool output,
                              const Expressions::Numbers& numbers) {
  std::map<std::string_view, std::uint32_t> first_of;
  for (const TensorContract& contract : list) {
    FlatTensor tensor;
    tensor.name = contract.name;
    tensor.rank = static_cast<std::uint32_t>(contract.shape.size());
    tensor.first_axis = static_cast<std::uint32_t>(axes.size());
    tensor.dtypes = contract.dtypes;
    for (const DType& dtype : contract.dtypes)
      if (dtype.kind() != DType::Kind::other) tensor.kinds |= std::uint64_t{1} << static_cast<unsigned>(dtype.kind());
    if (contract.dtypes.empty()) tensor.kinds = ~std::uint64_t{0};
    tensor.output = output;
    tensor.optional = contract.optional;
    tensor.twin = first_of.emplace(tensor.name, static_cast<std::uint32_t>(tensors.size())).first->second;
    for (std::uint32_t i = 0; i < tensor.rank; ++i) {
      FlatAxis axis;
      // Every symbol of a shape is the contract's.
      axis.dim = expressions.add(contract.shape[i], numbers).value_or(FlatDim{});
      add_claim(axis, contract, i, output, numbers);
      axes.push_back(axis);
    }
    tensors.push_back(tensor);
  }
}

// Of the claims only those that may be wrong change a verdict: the shapes say the rest.
void FlatVariant::add_claim(FlatAxis& axis, const TensorContract& tensor, std::uint32_t index, bool output,
                            const Expressions::Numbers& numbers) {
  for (const Claim& claim : source->claims) {
    axis.weak = claim.certainty == Certainty::weak || claim.certainty == Certainty::open;
    if (claim.output != output || claim.axis != index || (!axis.weak && claim.rivals.empty()) ||
        claim.tensor != tensor.name || !(claim.dim == tensor.shape[index]))
      continue;
    axis.rivals.begin = static_cast<std::uint32_t>(rivals.size());
    for (const Dim& rival : claim.rivals) rivals.push_back(expressions.add(rival, numbers));
    axis.rivals.end = static_cast<std::uint32_t>(rivals.size());
    return;
  }
  axis.weak = false;
}

// Where symbols are read, and which axes share a weak dim.
void FlatVariant::add_places() {
  std::map<Dim, std::uint32_t, bool (*)(const Dim&, const Dim&)> groups(
      [](const Dim& a, const Dim& b) { return Dim::compare(a, b) < 0; });
  for (std::uint32_t t = 0; t < tensors.size(); ++t)
    for (std::uint32_t i = 0; i < tensors[t].rank; ++i) {
      FlatAxis& axis = axes[tensors[t].first_axis + i];
      if (axis.dim.kind == FlatDim::Kind::symbol) symbols[axis.dim.symbol].bare.push_back({t, i});
      if (axis.dim.kind == FlatDim::Kind::other) solvable.push_back({t, i});
      if (!axis.weak) continue;
      const TensorContract& contract = t < inputs ? source->inputs[t] : source->outputs[t - inputs];
      axis.weak_group = groups.emplace(contract.shape[i], static_cast<std::uint32_t>(groups.size())).first->second;
      if (axis.weak_group == weak_groups.size()) weak_groups.emplace_back();
      weak_groups[axis.weak_group].push_back({t, i});
    }
  if (batch && batch->kind == FlatDim::Kind::symbol) symbols[batch->symbol].bare.push_back({Place::kBatch, 0});
}

Form::Form(const Contract& contract, Policy strictest) : sources_(contract.variants()) {
  variants_.reserve(sources_.size());
  std::size_t most_tensors = 0, most_symbols = 0;
  for (const Variant& variant : sources_) {
    FlatVariant& flat = variants_.emplace_back(variant);
    if (strictest == Policy::seen && contract.evidence()) flat.seen = SeenShapes(flat, *contract.evidence());
    most_tensors = std::max(most_tensors, flat.tensors.size());
    most_symbols = std::max(most_symbols, flat.symbols.size());
  }
  large_ = most_tensors > kStackTensors || most_symbols > kStackSymbols;
  if (large_) {
    large_extents_.resize(most_tensors);
    large_symbols_.resize(most_symbols);
  }
}

namespace {

// Equal, in few instructions for names of a usual length; memcmp is a call.
bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  const char *p = a.data(), *q = b.data();
  const auto differ = [&](auto word, std::size_t at) {
    decltype(word) x, y;
    std::memcpy(&x, p + at, sizeof x);
    std::memcpy(&y, q + at, sizeof y);
    return x != y;
  };
  const std::size_t size = a.size();
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8)
      if (differ(std::uint64_t{}, i)) return false;
    return !differ(std::uint64_t{}, size - 8);
  }
  if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i)
    if (p[i] != q[i]) return false;
  return true;
}

// An empty shape may have no memory; an extent pointer of a tensor that is there is not null.
constexpr std::int64_t kNoAxes = 0;
const std::int64_t* pointer_to(const std::int64_t* extents) noexcept { return extents ? extents : &kNoAxes; }

// Tensors in the order of the contract: the extents of each, or false when it is not exactly these.
bool lay_out_in_order(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
                      const std::int64_t** extents) noexcept {
  for (std::size_t i = 0; i < contract.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    const bool fits = tensor.shape.size() == contract[i].rank &&
                      (contract[i].takes(tensor.dtype.kind()) || contract[i].takes(TensorView(tensor)));
    if (!fits || !same_name(tensor.name, contract[i].name)) return false;
    extents[i] = pointer_to(tensor.shape.data());
  }
  return true;
}

bool lay_out_by_name(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
                     const std::int64_t** extents) noexcept {
  std::fill_n(extents, contract.size(), nullptr);
  std::size_t guess = 0;
  for (const TensorInfo& tensor : tensors) {
    if (guess == contract.size() || contract[guess].name != tensor.name)
      for (guess = 0; guess < contract.size() && contract[guess].name != tensor.name;) ++guess;
    if (guess == contract.size() || extents[guess] || tensor.shape.size() != contract[guess].rank ||
        !contract[guess].takes(TensorView(tensor)))
      return false;
    extents[guess++] = pointer_to(tensor.shape.data());
  }
  return true;
}

bool lay_out(std::span<const FlatTensor> contract, const std::vector<TensorInfo>& tensors,
             const std::int64_t** extents) noexcept {
  return tensors.size() == contract.size() &&
         (lay_out_in_order(contract, tensors, extents) || lay_out_by_name(contract, tensors, extents));
}

bool lay_out(std::span<const FlatTensor> contract, std::span<const TensorView> slots,
             const std::int64_t** extents) noexcept {
  if (slots.size() != contract.size()) return false;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    if (slots[i].rank != contract[i].rank || !contract[i].takes(slots[i])) return false;
    extents[i] = pointer_to(slots[i].extents);
  }
  return true;
}

// The extents are laid out: does every size hold?
bool holds(const FlatVariant& variant, const std::int64_t** extents, bool outputs,
           const std::optional<std::int64_t>& batch_size, Policy policy) noexcept {
  const Program& program = variant.programs[outputs][batch_size.has_value()];
  return program.holds(variant.expressions, extents, batch_size.value_or(0), policy != Policy::relations) &&
         (policy != Policy::seen ||
          variant.seen.find(extents, outputs, batch_size).answer == SeenShapes::Answer::seen);
}

}  // namespace

std::uint32_t Form::conforming(const Call& call, Policy policy) const noexcept {
  std::array<const std::int64_t*, kStackTensors + 1> extents;
  const bool outputs = !call.outputs.empty();
  for (std::uint32_t i = 0; i < variants_.size(); ++i) {
    const FlatVariant& variant = variants_[i];
    if (variant.tensors.size() > kStackTensors || !lay_out(variant.group(false), call.inputs, extents.data())) continue;
    // No other variant has these inputs.
    if (outputs && !(variant.plain_outputs && lay_out(variant.group(true), call.outputs, &extents[variant.inputs])))
      return kNone;
    return holds(variant, extents.data(), outputs, call.batch_size, policy) ? i : kNone;
  }
  return kNone;
}

bool Form::conforming(std::size_t variant, const CallView& call, Policy policy) const noexcept {
  std::array<const std::int64_t*, kStackTensors + 1> extents;
  const FlatVariant& flat = variants_[variant];
  const bool outputs = !call.outputs.empty();
  return flat.tensors.size() <= kStackTensors && lay_out(flat.group(false), call.inputs, extents.data()) &&
         (!outputs ||
          (flat.plain_outputs && lay_out(flat.group(true), call.outputs, &extents[flat.inputs]))) &&
         holds(flat, extents.data(), outputs, call.batch_size, policy);
}

}  // namespace tensorspec::flat
