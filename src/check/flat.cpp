// SPDX-License-Identifier: Apache-2.0
#include "check/flat.hpp"

#include <algorithm>

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
    symbols.push_back(
        {symbol.min, symbol.max, symbol.multiple_of, symbol.residue, symbol.seen_multiple_of, symbol.seen_residue, {}});
  }
  for (const Bound& bound : variant.bounds) {
    const auto low = numbers.find(bound.symbol), high = numbers.find(bound.at_most);
    if (low != numbers.end() && high != numbers.end()) bounds.push_back({low->second, high->second});
  }
  add_tensors(variant.inputs, false, numbers);
  inputs = static_cast<std::uint32_t>(tensors.size());
  add_tensors(variant.outputs, true, numbers);
  if (variant.batch_size) batch = expressions.add(*variant.batch_size, numbers);
  add_places();
  small = tensors.size() <= Sizes::kTensors;
  for (const FlatTensor& tensor : tensors) {
    const bool first = tensor.twin == static_cast<std::uint32_t>(&tensor - tensors.data());
    if (first) (tensor.output ? output_slots : input_slots).push_back(tensor.name);
    if (tensor.output && (tensor.optional || !first)) plain_outputs = false;
  }
  for (const bool outputs : {false, true})
    for (const bool batch_size : {false, true})
      if (!outputs || plain_outputs) programs[2 * outputs + batch_size] = Program(*this, outputs, batch_size);
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
    const bool weak = claim.certainty == Certainty::weak || claim.certainty == Certainty::open;
    if (claim.output != output || claim.axis != index || (!weak && claim.rivals.empty()) ||
        claim.tensor != tensor.name || !(claim.dim == tensor.shape[index]))
      continue;
    axis.claim = &claim;
    axis.weak = weak;
    axis.rivals.begin = static_cast<std::uint32_t>(rivals.size());
    for (const Dim& rival : claim.rivals) rivals.push_back(expressions.add(rival, numbers));
    axis.rivals.end = static_cast<std::uint32_t>(rivals.size());
    return;
  }
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

FlatContract::FlatContract(const Contract& contract, Policy strictest) : sources_(contract.variants()) {
  variants_.reserve(sources_.size());
  std::size_t most_tensors = 0, most_symbols = 0;
  for (const Variant& variant : sources_) {
    FlatVariant& flat = variants_.emplace_back(variant);
    if (strictest == Policy::seen && contract.evidence()) flat.seen = SeenShapes(flat, *contract.evidence());
    most_tensors = std::max(most_tensors, flat.tensors.size());
    most_symbols = std::max(most_symbols, flat.symbols.size());
  }
  large_ = most_tensors > Sizes::kTensors || most_symbols > kStackSymbols;
  if (large_) {
    large_extents_.resize(most_tensors);
    large_symbols_.resize(most_symbols);
  }
}

}  // namespace tensorspec::flat
