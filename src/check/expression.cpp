// SPDX-License-Identifier: Apache-2.0
#include "check/expression.hpp"

namespace tensorspec::flat {

struct Expressions::Builder {
  Expressions& out;
  const Numbers& numbers;
  bool known = true;  // every symbol so far has a number

  std::uint32_t number_of(std::string_view name) {
    const auto found = numbers.find(name);
    known = known && found != numbers.end();
    return known ? found->second : 0;
  }
  void step(Step::Kind kind, std::int64_t operand = 0) { out.steps_.push_back({kind, operand}); }

  // The order of Dim::evaluate: what overflows there overflows here.
  void product(const Dim::Term& term) {
    bool first = term.coefficient == 1 && !term.factors.empty();
    if (!first) step(Step::Kind::constant, term.coefficient);
    for (const Dim::Factor& factor : term.factors) {
      if (factor.argument) {
        sum(*factor.argument);
        step(factor.kind == Dim::Factor::Kind::ceil ? Step::Kind::ceil : Step::Kind::floor, factor.divisor);
      } else {
        step(Step::Kind::symbol, number_of(factor.name));
      }
      if (!first) step(Step::Kind::multiply);
      first = false;
    }
  }
  void sum(const Dim& dim) {
    if (dim.terms().empty()) step(Step::Kind::constant, 0);
    for (std::size_t i = 0; i < dim.terms().size(); ++i) {
      product(dim.terms()[i]);
      if (i > 0) step(Step::Kind::add);
    }
    if (dim.denominator() != 1) step(Step::Kind::divide, dim.denominator());
  }

  Part symbols_of(const Dim::Term& term) {
    Part part{static_cast<std::uint32_t>(out.symbols_.size()), 0};
    for (const Dim::Factor& factor : term.factors) {
      if (!factor.argument) out.symbols_.push_back(number_of(factor.name));
      else
        for (const std::string& name : factor.argument->symbols()) out.symbols_.push_back(number_of(name));
    }
    part.end = static_cast<std::uint32_t>(out.symbols_.size());
    return part;
  }
  FlatTerm term(const Dim::Term& source) {
    FlatTerm flat;
    flat.coefficient = source.coefficient;
    if (source.factors.size() == 1 && !source.factors[0].argument) flat.alone = number_of(source.factors[0].name);
    flat.symbols = symbols_of(source);
    flat.steps.begin = static_cast<std::uint32_t>(out.steps_.size());
    product(source);
    flat.steps.end = static_cast<std::uint32_t>(out.steps_.size());
    return flat;
  }
};

std::optional<FlatDim> Expressions::add(const Dim& dim, const Numbers& numbers) {
  Builder build{*this, numbers};
  FlatDim flat;
  flat.denominator = dim.denominator();
  if (const auto fixed = dim.as_integer()) {
    flat.fixed = *fixed;
    return flat;
  }
  flat.kind = FlatDim::Kind::other;
  if (const std::string* name = dim.as_symbol()) {
    flat.kind = FlatDim::Kind::symbol;
    flat.symbol = build.number_of(*name);
  }
  std::vector<FlatTerm> terms;
  for (const Dim::Term& term : dim.terms()) {
    terms.push_back(build.term(term));
    flat.nested = flat.nested || term.factors.size() > 1 || (term.factors.size() == 1 && term.factors[0].argument);
  }
  flat.terms.begin = static_cast<std::uint32_t>(terms_.size());
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  flat.terms.end = static_cast<std::uint32_t>(terms_.size());
  flat.symbols.begin = static_cast<std::uint32_t>(symbols_.size());
  for (const std::string& name : dim.symbols()) symbols_.push_back(build.number_of(name));
  flat.symbols.end = static_cast<std::uint32_t>(symbols_.size());
  return build.known ? std::optional(flat) : std::nullopt;
}

}  // namespace tensorspec::flat
