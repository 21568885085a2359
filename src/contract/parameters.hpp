// SPDX-License-Identifier: Apache-2.0
//
// From sizes back to symbols: which values give these expressions these sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contract/bounds.hpp"

namespace tensorspec::diffing {

enum class Answer : std::uint8_t { no, yes, unknown };

using Sizes = std::map<std::string, std::int64_t, std::less<>>;  // of symbols

std::optional<std::int64_t> evaluate(const Dim& dim, const Sizes& sizes);

struct Equation {
  const Dim* dim;
  std::int64_t size;
};

// Values in the domains with every dim == size; `found` gets those of the symbols that occur, when there are any.
// Solves what is affine, narrows and tries the rest; unknown when that takes too long.
Answer find_parameters(const std::vector<Equation>& equations, const Domains& domains, Effort& effort, Sizes& found);

}  // namespace tensorspec::diffing
