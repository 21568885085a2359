// SPDX-License-Identifier: Apache-2.0
#include "contract/columns.hpp"

namespace tensorspec {

std::optional<std::vector<std::size_t>> first_columns(const Variant& variant, const Signature& signature) {
  if (signature.inputs.size() != variant.inputs.size()) return std::nullopt;
  std::vector<std::size_t> out;
  for (const TensorContract& tensor : variant.inputs) {
    std::size_t column = 0;
    auto slot = signature.inputs.begin();
    for (; slot != signature.inputs.end() && slot->name != tensor.name; ++slot) column += slot->rank;
    if (slot == signature.inputs.end() || slot->rank != tensor.shape.size()) return std::nullopt;
    out.push_back(column);
  }
  return out;
}

}  // namespace tensorspec
