// SPDX-License-Identifier: Apache-2.0
//
// What a contract leaves weak or open, and which sizes would decide it.
#pragma once

#include <string>
#include <vector>

#include "explain/seen.hpp"

namespace tensorspec {

struct Doubt {
  std::string text;      // "y[1] = 2*s0"
  std::size_t left = 0;  // how many more calls it takes, whatever their sizes
  // The claim and its rivals, and which of them no call so far would tell apart: equal numbers.
  std::vector<const Dim*> forms;
  std::vector<std::size_t> group;

  // Pairs of forms that a call with these sizes would tell apart.
  std::size_t told_apart(const Sizes& sizes) const;
  // Counts such a call as made. False when it does nothing about the doubt.
  bool take(const Sizes& sizes);
};

// Claims with rivals, with few witnesses, weak ones that more sizes settle; outputs that nothing explains. The variant
// must outlive them.
std::vector<Doubt> doubts_of(const Variant& variant);

}  // namespace tensorspec
