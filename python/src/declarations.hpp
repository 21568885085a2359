// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec::python {

// What a person states, from the keyword arguments that every function that makes a contract takes; see
// kDeclarationsDoc. Added to `declarations`, and what is given here wins.
struct DeclarationArguments {
  nb::handle batch, names, ranges, steps, dims, axes;
};
void add_declarations(const DeclarationArguments& arguments, Declarations& declarations);

inline constexpr const char* kDeclarationsSignature =
    "batch: str | tuple[str, int] | None = None, names: collections.abc.Mapping[str, str] | None = None, "
    "ranges: collections.abc.Mapping[str, RangeLike] | None = None, "
    "steps: collections.abc.Mapping[str, int | tuple[int, int]] | None = None, "
    "dims: collections.abc.Mapping[str, Dim | int | str] | None = None, "
    "axes: collections.abc.Mapping[str, Range] | None = None";

}  // namespace tensorspec::python
