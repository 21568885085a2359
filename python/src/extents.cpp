// SPDX-License-Identifier: Apache-2.0
#include "extents.hpp"

namespace tensorspec::python {

void Extents::spill(std::int64_t extent) {
  if (heap_.empty()) heap_.assign(inline_.begin(), inline_.end());
  heap_.push_back(extent);
}

}  // namespace tensorspec::python
