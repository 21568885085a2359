// SPDX-License-Identifier: Apache-2.0
#include "explain/forms.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"

namespace tensorspec {
namespace {

std::optional<std::int64_t> value_of(const Atom& atom, std::int64_t size) {
  if (atom.divisor == 1) return size;
  const auto scaled = checked_mul(atom.times, size);
  const auto moved = scaled ? checked_add(*scaled, atom.offset) : std::nullopt;
  if (!moved) return std::nullopt;
  return atom.up ? ceil_div(*moved, atom.divisor) : floor_div(*moved, atom.divisor);
}

bool plain(const Monomial& term) {
  return std::all_of(term.atoms.begin(), term.atoms.end(), [](const Atom& atom) { return atom.divisor == 1; });
}

// Coefficient and divisor over latents: what is left of the fraction once claimed strides are taken out.
std::pair<std::int64_t, std::int64_t> over_latents(const Form& form, std::span<const std::int64_t> strides) {
  std::int64_t coefficient = form.terms[0].coefficient;
  if (form.divisor == 1 || form.terms.size() != 1 || !plain(form.terms[0])) return {coefficient, form.divisor};
  for (const Atom& atom : form.terms[0].atoms) {
    const auto scaled = checked_mul(coefficient, strides[atom.symbol]);
    if (!scaled) return {form.terms[0].coefficient, form.divisor};
    coefficient = *scaled;
  }
  const std::int64_t common = std::gcd(coefficient, form.divisor);
  return {coefficient / common, form.divisor / common};
}

// The same rounding of another symbol stands earlier in the term.
bool repeats(const Monomial& term, std::size_t at) {
  const Atom& atom = term.atoms[at];
  return std::any_of(term.atoms.begin(), term.atoms.begin() + static_cast<std::ptrdiff_t>(at), [&](const Atom& other) {
    return other.divisor == atom.divisor && other.times == atom.times && other.offset == atom.offset &&
           other.up == atom.up;
  });
}

bool spelled(std::int64_t k) { return k < -1 || k > 1; }

}  // namespace

std::optional<std::int64_t> Form::evaluate(std::span<const std::int64_t> sizes) const {
  std::int64_t sum = constant;
  for (const Monomial& term : terms) {
    std::optional<std::int64_t> product = term.coefficient;
    for (const Atom& atom : term.atoms) {
      const auto value = value_of(atom, sizes[atom.symbol]);
      product = product && value ? checked_mul(*product, *value) : std::nullopt;
    }
    const auto next = product ? checked_add(sum, *product) : std::nullopt;
    if (!next) return std::nullopt;
    sum = *next;
  }
  if (sum % divisor != 0) return std::nullopt;
  return sum / divisor;
}

bool Form::affine() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Monomial& term) { return term.atoms.size() == 1 && plain(term); });
}

std::vector<std::size_t> Form::symbols() const {
  std::vector<std::size_t> out;
  for (const Monomial& term : terms)
    for (const Atom& atom : term.atoms) out.push_back(atom.symbol);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::size_t Form::unknowns(std::span<const std::int64_t> strides) const {
  const auto [first, below] = over_latents(*this, strides);
  std::size_t count = (constant != 0 ? 1u : 0u) + (below != 1 ? 1u : 0u) + (spelled(first) ? 1u : 0u);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0 && spelled(terms[i].coefficient)) ++count;
    for (std::size_t j = 0; j < terms[i].atoms.size(); ++j)
      if (const Atom& atom = terms[i].atoms[j]; atom.divisor != 1 && !repeats(terms[i], j))
        count += 1u + (atom.offset != 0 ? 1u : 0u) + (spelled(atom.times) ? 1u : 0u);
  }
  return count;
}

costs::Cost Form::length(std::span<const std::int64_t> strides) const {
  using namespace costs;
  const auto [first, below] = over_latents(*this, strides);
  Cost out = constant != 0 ? kTerm + integer(constant) : 0;
  if (constant < 0) out += kSign;
  if (below != 1) out += kFraction + integer(below);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::int64_t coefficient = i == 0 ? first : terms[i].coefficient;
    out += integer(coefficient) + (coefficient < 0 ? kSign : 0) + (i > 0 ? kTerm : 0);
    out += kProduct * static_cast<Cost>(terms[i].atoms.size() - 1);
    for (std::size_t j = 0; j < terms[i].atoms.size(); ++j) {
      const Atom& atom = terms[i].atoms[j];
      if (atom.divisor == 1) continue;
      if (repeats(terms[i], j)) {
        out += kRepeat;
        continue;
      }
      out += kRound + integer(atom.divisor) + integer(atom.times);
      if (atom.offset != 0) out += kTerm + integer(atom.offset) + (atom.offset < 0 ? kSign : 0);
    }
  }
  return out;
}

std::optional<Dim> Form::to_dim(std::span<const std::string> names) const {
  Result<Dim> sum = Dim(constant);
  for (const Monomial& term : terms) {
    Result<Dim> product = Dim(term.coefficient);
    for (const Atom& atom : term.atoms) {
      Result<Dim> factor = Dim::symbol(names[atom.symbol]);
      if (atom.divisor != 1) {
        factor = Dim::multiply(*factor, Dim(atom.times));
        if (factor.ok()) factor = Dim::add(*factor, Dim(atom.offset));
        if (factor.ok())
          factor = atom.up ? Dim::ceil_divide(*factor, atom.divisor) : Dim::floor_divide(*factor, atom.divisor);
      }
      if (!factor.ok()) return std::nullopt;
      product = Dim::multiply(*product, *factor);
      if (!product.ok()) return std::nullopt;
    }
    sum = Dim::add(*sum, *product);
    if (!sum.ok()) return std::nullopt;
  }
  sum = Dim::divide(*sum, divisor);
  if (!sum.ok()) return std::nullopt;
  return *sum;
}

}  // namespace tensorspec
