// SPDX-License-Identifier: Apache-2.0
//
// Sizes worth trying next for a symbol.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "explain/seen.hpp"
#include "tensorspec/suggest.hpp"

namespace tensorspec {

// What is known of the sizes of a symbol that inputs tell.
struct SymbolSizes {
  const Symbol* symbol = nullptr;
  std::set<std::int64_t> seen;
  std::int64_t step = 1, first = 0;  // sizes first + n*step are safe: every size so far was one
  std::int64_t least = 1, most = 0;  // limits: declared by a person, or wide
  std::int64_t low = 1, high = 1;    // the range seen
  struct Candidate {
    std::int64_t size;
    int order;  // those of the lowest order come first
  };
  std::vector<Candidate> candidates;  // fresh, within the limits and on the step
};

// By name; of the symbols that stand in inputs, or that the batch size gives.
std::map<std::string, SymbolSizes> sizes_of_symbols(const Variant& variant, const std::vector<InputAxis>& axes,
                                                    const std::vector<SeenCall>& accepted, const SizeLimits& limits);

// A size off the step, odd and near those seen; nullopt: the step is 1 or the limits leave none.
std::optional<std::int64_t> size_off_step(const SymbolSizes& sizes);

// Gives every symbol a candidate that has no common factor with the others (steps apart) and was not given before, as
// far as can be from what was seen and given; `used` collects what is given.
Sizes choose_sizes(const std::map<std::string, SymbolSizes>& symbols,
                   std::map<std::string, std::set<std::int64_t>>& used);

}  // namespace tensorspec
