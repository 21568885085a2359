// SPDX-License-Identifier: Apache-2.0
#include "explain/declared_dims.hpp"

namespace tensorspec {

DeclaredDims::DeclaredDims(const JoinedVariant& joined, const ClassTable& table, const Declarations& declarations) {
  std::map<std::string, std::size_t> owners;  // of bare names: the first class that has one
  for (const JoinedVariant::Tensor& tensor : joined.tensors())
    for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis) {
      const std::size_t column = tensor.first_column + axis, index = table.class_of(column);
      const std::string name = axis_name(tensor.slot.name, axis);
      if (declarations.free_axes.contains(name) && index != ClassTable::kNone) symbols_.insert(index);
      const auto declared = declarations.dims.find(name);
      if (declared == declarations.dims.end()) continue;
      by_column_.emplace(column, declared->second);
      if (index == ClassTable::kNone) continue;
      const std::string* symbol = declared->second.as_symbol();
      if (symbol && owners.try_emplace(*symbol, index).first->second == index) symbols_.insert(index);
      else apart_.emplace(index, declared->second);
    }
  for (const auto& [index, dim] : apart_) symbols_.erase(index);
}

const Dim* DeclaredDims::of(std::size_t column) const {
  const auto found = by_column_.find(column);
  return found == by_column_.end() ? nullptr : &found->second;
}

}  // namespace tensorspec
