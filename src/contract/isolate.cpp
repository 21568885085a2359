// SPDX-License-Identifier: Apache-2.0
#include "contract/isolate.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tensorspec::diffing {
namespace {

std::optional<Dim> value_of(Result<Dim> result) {
  return result.ok() ? std::optional(std::move(result).value()) : std::nullopt;
}

std::optional<Dim> product(const std::optional<Dim>& a, const Dim& b) {
  return a ? value_of(Dim::multiply(*a, b)) : std::nullopt;
}

bool same(const Dim::Factor& a, const Dim::Factor& b) {
  if (a.kind != b.kind || a.divisor != b.divisor || a.name != b.name) return false;
  return !a.argument || *a.argument == *b.argument;
}

// How often the symbol is a factor of the term; nullopt when it stands below a floor or ceil.
std::optional<int> times(const Dim::Term& term, const std::string& symbol) {
  int count = 0;
  for (const Dim::Factor& factor : term.factors) {
    if (!factor.argument) {
      count += factor.name == symbol ? 1 : 0;
      continue;
    }
    const auto names = factor.argument->symbols();
    if (std::binary_search(names.begin(), names.end(), symbol)) return std::nullopt;
  }
  return count;
}

// The term without the factors; nullopt when it does not have them all.
std::optional<Dim> without(Dim::Term term, const std::vector<Dim::Factor>& factors) {
  for (const Dim::Factor& factor : factors) {
    const auto found =
        std::find_if(term.factors.begin(), term.factors.end(), [&](const auto& own) { return same(own, factor); });
    if (found == term.factors.end()) return std::nullopt;
    term.factors.erase(found);
  }
  return dim_of(term);
}

// a / b where b is one term that divides every term of a.
std::optional<Dim> quotient(const Dim& a, const Dim& b) {
  if (b.terms().size() != 1) return std::nullopt;
  const Dim::Term& divisor = b.terms()[0];
  std::optional<Dim> sum = Dim();
  for (const Dim::Term& term : a.terms()) {
    const auto part = without(term, divisor.factors);
    sum = part ? value_of(Dim::add(*sum, *part)) : std::nullopt;
    if (!sum) return std::nullopt;
  }
  const bool negative = divisor.coefficient < 0;
  sum = product(product(sum, Dim(b.denominator())), Dim(negative ? -1 : 1));
  const auto whole = checked_mul(a.denominator(), negative ? -divisor.coefficient : divisor.coefficient);
  return sum && whole ? value_of(Dim::divide(*sum, *whole)) : std::nullopt;
}

}  // namespace

std::optional<Dim> dim_of(const Dim::Term& term) {
  std::optional<Dim> out = Dim(term.coefficient);
  for (const Dim::Factor& factor : term.factors) {
    const auto part = !factor.argument ? std::optional(Dim::symbol(factor.name))
                      : factor.kind == Dim::Factor::Kind::ceil
                          ? value_of(Dim::ceil_divide(*factor.argument, factor.divisor))
                          : value_of(Dim::floor_divide(*factor.argument, factor.divisor));
    out = part ? product(out, *part) : std::nullopt;
  }
  return out;
}

std::optional<Dim> replace_some(const Dim& dim, const Map& map) {
  std::map<std::string, Dim> values;
  for (const std::string& name : dim.symbols())
    if (const auto found = map.find(name); found != map.end()) values.emplace(*found);
  return values.empty() ? std::optional(dim) : value_of(dim.substitute(values));
}

std::optional<Dim> replace_all(const Dim& dim, const Map& map) {
  for (const std::string& name : dim.symbols())
    if (!map.contains(name)) return std::nullopt;
  return replace_some(dim, map);
}

std::optional<Dim> difference(const Dim& a, const Dim& b) { return value_of(Dim::subtract(a, b)); }

std::optional<Isolated> isolate(const Dim& dim, const Dim& size, const Map& known, const Domains& domains) {
  std::string symbol;
  for (const std::string& name : dim.symbols()) {
    if (known.contains(name)) continue;
    if (!symbol.empty()) return std::nullopt;
    symbol = name;
  }
  if (symbol.empty()) return std::nullopt;
  for (const Dim::Term& term : dim.terms()) {
    const auto count = times(term, symbol);
    if (!count || *count > 1) return std::nullopt;
  }
  Map values = known;
  values[symbol] = Dim(0);
  const auto rest = replace_all(dim, values);
  values[symbol] = Dim(1);
  const auto both = replace_all(dim, values);
  const auto factor = rest && both ? difference(*both, *rest) : std::nullopt;
  const auto left = rest ? difference(size, *rest) : std::nullopt;
  auto value = factor && left ? quotient(*left, *factor) : std::nullopt;
  if (!value) return std::nullopt;
  const Interval range = bounds(*factor, domains);
  return Isolated{std::move(symbol), *std::move(value), range.low >= 1 || range.high <= -1};
}

std::optional<Isolated> isolate_any(const Dim& zero) {
  const Dim::Term* best = nullptr;
  const auto size = [](const Dim::Term& term) { return term.coefficient < 0 ? -term.coefficient : term.coefficient; };
  for (const Dim::Term& term : zero.terms()) {
    if (term.factors.size() != 1 || term.factors[0].argument || (best && size(*best) <= size(term))) continue;
    const std::string& name = term.factors[0].name;
    const bool once = std::all_of(zero.terms().begin(), zero.terms().end(),
                                  [&](const Dim::Term& other) { return &other == &term || times(other, name) == 0; });
    if (once) best = &term;
  }
  if (!best) return std::nullopt;
  const std::string& name = best->factors[0].name;
  const auto rest = terms_of(zero, [&](const Dim::Term& term) { return &term != best; });
  auto value = rest ? quotient(*rest, Dim(-best->coefficient)) : std::nullopt;
  if (!value) return std::nullopt;
  return Isolated{name, *std::move(value), true};
}

}  // namespace tensorspec::diffing
