// SPDX-License-Identifier: Apache-2.0
//
// Equations between expressions, solved for a symbol.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "contract/bounds.hpp"

namespace tensorspec::diffing {

// Symbols as expressions over other symbols.
using Map = std::map<std::string, Dim, std::less<>>;

// With every symbol replaced; nullopt when one is not in the map, or the result is too large.
std::optional<Dim> replace_all(const Dim& dim, const Map& map);
// With those in the map replaced.
std::optional<Dim> replace_some(const Dim& dim, const Map& map);
std::optional<Dim> difference(const Dim& a, const Dim& b);

struct Isolated {
  std::string symbol;
  Dim value;
  bool certain = false;  // no other value solves it, for any sizes in the domains
};
// dim == size, solved for the one symbol of `dim` that `known` does not have. The symbols of `size` and of the values
// of `known` are another set of names, which has the domains.
std::optional<Isolated> isolate(const Dim& dim, const Dim& size, const Map& known, const Domains& domains);

// zero == 0, solved for a symbol that occurs once, with a whole factor as small as possible.
std::optional<Isolated> isolate_any(const Dim& zero);

// The sum of those terms that `wanted` takes.
template <class Wanted>
std::optional<Dim> terms_of(const Dim& dim, Wanted wanted);
std::optional<Dim> dim_of(const Dim::Term& term);

template <class Wanted>
std::optional<Dim> terms_of(const Dim& dim, Wanted wanted) {
  Dim sum;
  for (const Dim::Term& term : dim.terms()) {
    if (!wanted(term)) continue;
    const auto part = dim_of(term);
    auto next = part ? Dim::add(sum, *part) : Result<Dim>(Error{});
    if (!next.ok()) return std::nullopt;
    sum = std::move(next).value();
  }
  return sum;
}

}  // namespace tensorspec::diffing
