// SPDX-License-Identifier: Apache-2.0
//
// Every form of the families that explain admits, fitted to points: integers are solved for, not searched, where an
// equation gives them.
#pragma once

#include <vector>

#include "explain/classes.hpp"

namespace tensorspec {

// How far the search goes: a stage is entered when those before it explain nothing.
enum class Stage : std::uint8_t {
  sum,      // s, k*s, s+c, k*s+c, sums of two or three symbols
  product,  // k*s1*s2+c, a symbol times a sum, a symbol plus a product
  round,    // floor and ceil, quotients, products of two of these, and a symbol times or plus one
};

// The forms of one stage over exactly these symbols (1 to 3, by index) that have the target's size at every point.
// `strides`: per symbol the stride claimed for it, else 1. Each form fits; which to believe is for the caller to weigh.
std::vector<Form> fit_forms(const Points& points, Stage stage);

}  // namespace tensorspec
