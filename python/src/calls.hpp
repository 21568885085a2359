// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.hpp"
#include "tensors.hpp"
#include "tensorspec/call.hpp"

namespace tensorspec::python {

nb::tuple to_tuple(const Shape& shape);

// Inputs, then outputs, as Call takes them.
void read_call(nb::handle inputs, nb::handle outputs, Tensors& tensors);

}  // namespace tensorspec::python
