// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dim.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/checked.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxTerms = 64;
constexpr std::size_t kMaxFactors = 16;
constexpr int kMaxLevels = 32;

using Factor = Dim::Factor;
using Term = Dim::Term;
using Factors = std::vector<Factor>;

Error overflow() { return Error{ErrorCode::overflow, "", "in an expression over symbols"}; }

int compare_factor(const Factor& a, const Factor& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == Factor::Kind::symbol) return a.name.compare(b.name);
  if (const int order = Dim::compare(*a.argument, *b.argument)) return order;
  return a.divisor < b.divisor ? -1 : a.divisor > b.divisor ? 1 : 0;
}

// Descending degree, then names: the constant comes last.
int compare_factors(const Factors& a, const Factors& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const int order = compare_factor(a[i], b[i])) return order;
  return 0;
}

int level_of(const Dim& dim);
int level_of(const Factors& factors) {
  int level = 0;
  for (const Factor& factor : factors)
    if (factor.argument) level = std::max(level, 1 + level_of(*factor.argument));
  return level;
}
int level_of(const Dim& dim) {
  int level = 0;
  for (const Term& term : dim.terms()) level = std::max(level, level_of(term.factors));
  return level;
}

// Sorted, equal monomials added up, zeros dropped.
Result<std::vector<Term>> collect(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return compare_factors(a.factors, b.factors) < 0; });
  std::vector<Term> out;
  for (Term& term : terms) {
    if (!out.empty() && compare_factors(out.back().factors, term.factors) == 0) {
      const auto sum = checked_add(out.back().coefficient, term.coefficient);
      if (!sum) return overflow();
      out.back().coefficient = *sum;
    } else {
      out.push_back(std::move(term));
    }
  }
  std::erase_if(out, [](const Term& term) { return term.coefficient == 0; });
  if (out.size() > kMaxTerms) return Error{ErrorCode::dim_too_large, "", "more than 64 terms"};
  return out;
}

Result<std::vector<Term>> scaled(const std::vector<Term>& terms, std::int64_t factor) {
  std::vector<Term> out = terms;
  for (Term& term : out) {
    const auto product = checked_mul(term.coefficient, factor);
    if (!product) return overflow();
    term.coefficient = *product;
  }
  return out;
}

}  // namespace

Dim::Dim() = default;

Dim::Dim(std::int64_t value) {
  if (value != 0) terms_.push_back({value, {}});
}

Dim Dim::symbol(std::string name) {
  Dim dim;
  dim.terms_.push_back({1, {Factor{Factor::Kind::symbol, std::move(name), nullptr, 1}}});
  return dim;
}

int Dim::compare(const Dim& a, const Dim& b) {
  if (a.denominator_ != b.denominator_) return a.denominator_ < b.denominator_ ? -1 : 1;
  const std::size_t common = std::min(a.terms_.size(), b.terms_.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (const int order = compare_factors(a.terms_[i].factors, b.terms_[i].factors)) return order;
    const std::int64_t x = a.terms_[i].coefficient, y = b.terms_[i].coefficient;
    if (x != y) return x < y ? -1 : 1;
  }
  return a.terms_.size() == b.terms_.size() ? 0 : a.terms_.size() < b.terms_.size() ? -1 : 1;
}

Result<Dim> Dim::make(std::vector<Term> terms, std::int64_t denominator) {
  Dim dim;
  TRY(dim.terms_, collect(std::move(terms)));
  for (const Term& term : dim.terms_) {
    if (term.factors.size() > kMaxFactors) return Error{ErrorCode::dim_too_large, "", "more than 16 factors in a term"};
    if (level_of(term.factors) > kMaxLevels) return Error{ErrorCode::dim_too_large, "", "more than 32 levels"};
    if (term.coefficient == INT64_MIN) return overflow();
  }
  std::int64_t divisor = denominator;
  for (const Term& term : dim.terms_) divisor = std::gcd(divisor, term.coefficient);
  for (Term& term : dim.terms_) term.coefficient /= divisor;
  dim.denominator_ = denominator / divisor;
  return dim;
}

Result<Dim> Dim::add(const Dim& a, const Dim& b) {
  const auto common = checked_mul(a.denominator_ / std::gcd(a.denominator_, b.denominator_), b.denominator_);
  if (!common) return overflow();
  TRY(std::vector<Term> terms, scaled(a.terms_, *common / a.denominator_));
  TRY(const std::vector<Term> more, scaled(b.terms_, *common / b.denominator_));
  terms.insert(terms.end(), more.begin(), more.end());
  return make(std::move(terms), *common);
}

Result<Dim> Dim::subtract(const Dim& a, const Dim& b) {
  TRY(const Dim negative, multiply(b, Dim(-1)));
  return add(a, negative);
}

Result<Dim> Dim::multiply(const Dim& a, const Dim& b) {
  const auto denominator = checked_mul(a.denominator_, b.denominator_);
  if (!denominator) return overflow();
  std::vector<Term> terms;
  for (const Term& x : a.terms_) {
    for (const Term& y : b.terms_) {
      const auto coefficient = checked_mul(x.coefficient, y.coefficient);
      if (!coefficient) return overflow();
      Term term{*coefficient, x.factors};
      term.factors.insert(term.factors.end(), y.factors.begin(), y.factors.end());
      std::sort(term.factors.begin(), term.factors.end(),
                [](const Factor& p, const Factor& q) { return compare_factor(p, q) < 0; });
      terms.push_back(std::move(term));
    }
  }
  return make(std::move(terms), *denominator);
}

Result<Dim> Dim::divide(const Dim& a, std::int64_t d) {
  if (d < 1) return Error{ErrorCode::invalid_argument, "", "a divisor must be at least 1"};
  const auto denominator = checked_mul(a.denominator_, d);
  if (!denominator) return overflow();
  return make(a.terms_, *denominator);
}

// Whole multiples of the divisor leave the brackets, then common factors cancel: floor((8*w+11)/8) is w+1,
// floor((4*h+6)/8) is floor((2*h+3)/4), floor((2*h+1)/4) is floor(h/2).
Result<Dim> Dim::round(const Dim& a, std::int64_t d, bool up) {
  if (d < 1) return Error{ErrorCode::invalid_argument, "", "a divisor must be at least 1"};
  const auto divisor = checked_mul(a.denominator_, d);
  if (!divisor) return overflow();
  std::vector<Term> whole, rest;
  std::int64_t common = *divisor, constant = 0;
  for (const Term& term : a.terms_) {
    const std::int64_t quotient = term.factors.empty()          ? floor_div(term.coefficient, *divisor)
                                  : term.coefficient % *divisor ? 0
                                                                : term.coefficient / *divisor;
    const std::int64_t left = term.coefficient - quotient * *divisor;
    if (quotient != 0) whole.push_back({quotient, term.factors});
    if (left == 0) continue;
    if (term.factors.empty()) {
      constant = left;
    } else {
      rest.push_back({left, term.factors});
      common = std::gcd(common, left);
    }
  }
  TRY(Dim out, make(std::move(whole), 1));
  if (rest.empty()) return add(out, Dim(up && constant > 0 ? 1 : 0));
  for (Term& term : rest) term.coefficient /= common;
  constant = up ? ceil_div(constant, common) : floor_div(constant, common);
  if (constant != 0) rest.push_back({constant, {}});
  TRY(Dim argument, make(std::move(rest), 1));
  if (*divisor == common) return add(out, argument);
  Factor factor{up ? Factor::Kind::ceil : Factor::Kind::floor, "", std::make_shared<const Dim>(std::move(argument)),
                *divisor / common};
  TRY(const Dim rounded, make({Term{1, {std::move(factor)}}}, 1));
  return add(out, rounded);
}

Result<Dim> Dim::floor_divide(const Dim& a, std::int64_t d) { return round(a, d, false); }
Result<Dim> Dim::ceil_divide(const Dim& a, std::int64_t d) { return round(a, d, true); }

Result<Dim> Dim::substitute(const std::map<std::string, Dim>& values) const {
  Dim sum;
  for (const Term& term : terms_) {
    Dim product(term.coefficient);
    for (const Factor& factor : term.factors) {
      Dim value;
      if (factor.kind == Factor::Kind::symbol) {
        const auto found = values.find(factor.name);
        value = found == values.end() ? Dim::symbol(factor.name) : found->second;
      } else {
        TRY(const Dim argument, factor.argument->substitute(values));
        TRY(value, round(argument, factor.divisor, factor.kind == Factor::Kind::ceil));
      }
      TRY(product, multiply(product, value));
    }
    TRY(sum, add(sum, product));
  }
  return divide(sum, denominator_);
}

std::optional<std::int64_t> Dim::as_integer() const noexcept {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_[0].factors.empty() && denominator_ == 1) return terms_[0].coefficient;
  return std::nullopt;
}

const std::string* Dim::as_symbol() const noexcept {
  if (terms_.size() != 1 || terms_[0].coefficient != 1 || terms_[0].factors.size() != 1 || denominator_ != 1)
    return nullptr;
  const Factor& factor = terms_[0].factors[0];
  return factor.kind == Factor::Kind::symbol ? &factor.name : nullptr;
}

namespace {
void add_symbols(const Dim& dim, std::set<std::string>& names) {
  for (const Term& term : dim.terms())
    for (const Factor& factor : term.factors) {
      if (factor.argument) add_symbols(*factor.argument, names);
      else names.insert(factor.name);
    }
}
}  // namespace

std::vector<std::string> Dim::symbols() const {
  std::set<std::string> names;
  add_symbols(*this, names);
  return {names.begin(), names.end()};
}

std::optional<std::int64_t> Dim::evaluate(const Factor& factor, const Lookup& lookup) {
  if (factor.kind == Factor::Kind::symbol) return lookup(factor.name);
  const auto argument = factor.argument->evaluate(lookup);
  if (!argument) return std::nullopt;
  return factor.kind == Factor::Kind::ceil ? ceil_div(*argument, factor.divisor) : floor_div(*argument, factor.divisor);
}

std::optional<std::int64_t> Dim::evaluate(const Lookup& lookup) const {
  std::int64_t sum = 0;
  for (const Term& term : terms_) {
    std::int64_t product = term.coefficient;
    for (const Factor& factor : term.factors) {
      const auto value = evaluate(factor, lookup);
      const auto next = value ? checked_mul(product, *value) : std::nullopt;
      if (!next) return std::nullopt;
      product = *next;
    }
    const auto next = checked_add(sum, product);
    if (!next) return std::nullopt;
    sum = *next;
  }
  if (sum % denominator_ != 0) return std::nullopt;
  return sum / denominator_;
}

}  // namespace tensorspec
