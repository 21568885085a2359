// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "bindings.hpp"
#include "tensors.hpp"
#include "tensorspec/call.hpp"

namespace tensorspec::python {

nb::tuple to_tuple(const Shape& shape);

// Inputs, then outputs, as Call takes them.
void read_call(nb::handle inputs, nb::handle outputs, Tensors& tensors);

// A Call stands for all of these arguments. Raises TypeError for the first of them that was given beside one.
struct Given {
  const char* name;
  bool given;
};
void refuse_beside_call(std::initializer_list<Given> arguments);

}  // namespace tensorspec::python
