// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.hpp"
#include "tensorspec/dim.hpp"

namespace tensorspec::python {

// A Dim, a whole number, or text in the notation of contracts.
Dim to_dim(nb::handle value);

}  // namespace tensorspec::python
