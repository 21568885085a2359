// SPDX-License-Identifier: Apache-2.0
//
// Dims compiled for evaluation: symbols are numbers, nested expressions are postfix programs in checked int64.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/checked.hpp"
#include "tensorspec/dim.hpp"

namespace tensorspec::flat {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// One step of a postfix program. `operand` is the constant, the symbol or the divisor.
struct Step {
  enum class Kind : std::uint8_t { constant, symbol, add, multiply, divide, floor, ceil };
  Kind kind = Kind::constant;
  std::int64_t operand = 0;
};

// A range of one of the arrays of Expressions.
struct Part {
  std::uint32_t begin = 0, end = 0;
  template <class T>
  std::span<const T> of(const std::vector<T>& all) const noexcept {
    return {all.data() + begin, all.data() + end};
  }
};

struct FlatTerm {
  std::int64_t coefficient = 1;
  std::uint32_t alone = kNone;  // the symbol, when the term is coefficient * symbol
  Part steps, symbols;          // steps include the coefficient
};

// (sum of terms) / denominator.
struct FlatDim {
  enum class Kind : std::uint8_t { fixed, symbol, other };
  Kind kind = Kind::fixed;
  bool nested = false;       // a product of symbols, or something rounded
  std::uint32_t symbol = 0;  // of Kind::symbol
  std::int64_t fixed = 0;    // of Kind::fixed
  std::int64_t denominator = 1;
  Part terms, symbols;  // symbols: each once
};

// What Dim allows (64 terms, 16 factors, 32 levels) needs two places a level: a sum and a product.
inline constexpr std::size_t kStackDepth = 80;

// The arrays that dims point into.
class Expressions {
 public:
  using Numbers = std::map<std::string_view, std::uint32_t>;  // of the symbols, by name
  // nullopt when the dim uses a symbol that has no number.
  std::optional<FlatDim> add(const Dim& dim, const Numbers& numbers);
  std::span<const FlatTerm> terms(const FlatDim& dim) const noexcept { return dim.terms.of(terms_); }
  std::span<const std::uint32_t> symbols(const FlatDim& dim) const noexcept { return dim.symbols.of(symbols_); }
  std::span<const std::uint32_t> symbols(const FlatTerm& term) const noexcept { return term.symbols.of(symbols_); }
  std::span<const Step> steps(const FlatTerm& term) const noexcept { return term.steps.of(steps_); }

  // nullopt as Dim::evaluate. value_of(symbol) gives an optional; nothing is allocated.
  template <class Lookup>
  std::optional<std::int64_t> evaluate(const FlatDim& dim, const Lookup& value_of) const;
  // The number of the only term with a symbol that is not known, when that term is coefficient * symbol; else kNone.
  template <class Known>
  std::uint32_t open_term(const FlatDim& dim, const Known& known) const;
  // The value of the symbol of that term which makes the dim `size`; nullopt when no whole number from 0 on does.
  template <class Lookup>
  std::optional<std::int64_t> solve(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                    const Lookup& value_of) const;
  // That value rounded down, whatever it is.
  template <class Lookup>
  std::optional<std::int64_t> estimate(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                       const Lookup& value_of) const;

 private:
  // What coefficient * symbol must be; nullopt when it does not fit.
  template <class Lookup>
  std::optional<std::int64_t> left_for(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                       const Lookup& value_of) const;
  template <class Lookup>
  static std::optional<std::int64_t> run(std::span<const Step> steps, const Lookup& value_of);

  struct Builder;

  std::vector<Step> steps_;
  std::vector<FlatTerm> terms_;
  std::vector<std::uint32_t> symbols_;
};

template <class Lookup>
std::optional<std::int64_t> Expressions::run(std::span<const Step> steps, const Lookup& value_of) {
  std::array<std::int64_t, kStackDepth> stack;
  std::size_t top = 0;  // the number of values on the stack
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::constant: stack[top++] = step.operand; break;
      case Step::Kind::symbol: {
        const std::optional<std::int64_t> value = value_of(step.operand);
        if (!value) return std::nullopt;
        stack[top++] = *value;
        break;
      }
      case Step::Kind::add:
        --top;
        if (__builtin_add_overflow(stack[top - 1], stack[top], &stack[top - 1])) return std::nullopt;
        break;
      case Step::Kind::multiply:
        --top;
        if (__builtin_mul_overflow(stack[top - 1], stack[top], &stack[top - 1])) return std::nullopt;
        break;
      case Step::Kind::divide:
        if (stack[top - 1] % step.operand != 0) return std::nullopt;
        stack[top - 1] /= step.operand;
        break;
      case Step::Kind::floor: stack[top - 1] = floor_div(stack[top - 1], step.operand); break;
      case Step::Kind::ceil: stack[top - 1] = ceil_div(stack[top - 1], step.operand); break;
    }
  }
  return stack[0];
}

template <class Lookup>
std::optional<std::int64_t> Expressions::evaluate(const FlatDim& dim, const Lookup& value_of) const {
  if (dim.kind == FlatDim::Kind::fixed) return dim.fixed;
  if (dim.kind == FlatDim::Kind::symbol) return value_of(std::int64_t{dim.symbol});
  std::int64_t sum = 0;
  for (const FlatTerm& term : terms(dim)) {
    const auto value = run(steps(term), value_of);
    if (!value || __builtin_add_overflow(sum, *value, &sum)) return std::nullopt;
  }
  if (sum % dim.denominator != 0) return std::nullopt;
  return sum / dim.denominator;
}

template <class Known>
std::uint32_t Expressions::open_term(const FlatDim& dim, const Known& known) const {
  std::uint32_t open = kNone;
  for (std::uint32_t i = 0; i < terms(dim).size(); ++i) {
    const FlatTerm& term = terms(dim)[i];
    bool all_known = true;
    for (const std::uint32_t symbol : symbols(term)) all_known = all_known && known(symbol);
    if (all_known) continue;
    if (open != kNone || term.alone == kNone) return kNone;
    open = i;
  }
  return open;
}

template <class Lookup>
std::optional<std::int64_t> Expressions::left_for(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                                  const Lookup& value_of) const {
  std::int64_t rest = 0, left = 0;
  for (std::uint32_t i = 0; i < terms(dim).size(); ++i) {
    if (i == term) continue;
    const auto value = run(steps(terms(dim)[i]), value_of);
    if (!value || __builtin_add_overflow(rest, *value, &rest)) return std::nullopt;
  }
  if (__builtin_mul_overflow(size, dim.denominator, &left) || __builtin_sub_overflow(left, rest, &left))
    return std::nullopt;
  // The one number whose quotient by -1 does not fit.
  return left == INT64_MIN ? std::nullopt : std::optional(left);
}

template <class Lookup>
std::optional<std::int64_t> Expressions::solve(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                               const Lookup& value_of) const {
  const auto left = left_for(dim, term, size, value_of);
  const std::int64_t coefficient = terms(dim)[term].coefficient;
  if (!left || *left % coefficient != 0 || *left / coefficient < 0) return std::nullopt;
  return *left / coefficient;
}

template <class Lookup>
std::optional<std::int64_t> Expressions::estimate(const FlatDim& dim, std::uint32_t term, std::int64_t size,
                                                  const Lookup& value_of) const {
  const auto left = left_for(dim, term, size, value_of);
  const std::int64_t coefficient = terms(dim)[term].coefficient;
  if (!left) return std::nullopt;
  return coefficient > 0 ? floor_div(*left, coefficient) : floor_div(-*left, -coefficient);
}

}  // namespace tensorspec::flat
