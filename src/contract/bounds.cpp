// SPDX-License-Identifier: Apache-2.0
#include "contract/bounds.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "base/checked.hpp"

namespace tensorspec::diffing {
namespace {

constexpr std::int64_t kMaxClasses = 4096;

bool infinite(std::int64_t bound) { return bound == kNoLimit || bound == -kNoLimit; }

// A number too large for 64 bits: as an outer bound it is no limit, as an inner one the largest number.
std::int64_t beyond(bool negative, bool lower) {
  if (negative) return lower ? -kNoLimit : -kNoLimit + 1;
  return lower ? kNoLimit - 1 : kNoLimit;
}

std::int64_t plus(std::int64_t a, std::int64_t b, bool lower) {
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  const auto sum = checked_add(a, b);
  return sum && !infinite(*sum) && *sum != INT64_MIN ? *sum : beyond(a < 0, lower);
}

std::int64_t times(std::int64_t a, std::int64_t b, bool lower) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  if (infinite(a) || infinite(b)) return negative ? -kNoLimit : kNoLimit;
  const auto product = checked_mul(a, b);
  return product && !infinite(*product) && *product != INT64_MIN ? *product : beyond(negative, lower);
}

Interval add(const Interval& a, const Interval& b) { return {plus(a.low, b.low, true), plus(a.high, b.high, false)}; }

Interval multiply(const Interval& a, const Interval& b) {
  Interval out{kNoLimit, -kNoLimit};
  for (const std::int64_t x : {a.low, a.high})
    for (const std::int64_t y : {b.low, b.high}) {
      out.low = std::min(out.low, times(x, y, true));
      out.high = std::max(out.high, times(x, y, false));
    }
  return out;
}

Interval bounds(const Dim::Factor& factor, const Domains& domains) {
  if (factor.kind == Dim::Factor::Kind::symbol) {
    const auto found = domains.find(factor.name);
    return found == domains.end() ? Interval{0, kNoLimit} : Interval{found->second.low, found->second.high};
  }
  Interval out = diffing::bounds(*factor.argument, domains);
  const auto round = [&](std::int64_t bound) {
    if (infinite(bound)) return bound;
    return factor.kind == Dim::Factor::Kind::ceil ? ceil_div(bound, factor.divisor) : floor_div(bound, factor.divisor);
  };
  return {round(out.low), round(out.high)};
}

// With every symbol replaced by period*n + r, each floor and ceil comes out whole, and what is left is a polynomial.
std::optional<std::int64_t> period(const Dim& dim) {
  std::int64_t common = 1;
  for (const Dim::Term& term : dim.terms())
    for (const Dim::Factor& factor : term.factors) {
      if (!factor.argument) continue;
      const auto inner = period(*factor.argument);
      const auto whole = inner ? checked_mul(*inner, factor.divisor) : std::nullopt;
      if (!whole || *whole > kMaxClasses) return std::nullopt;
      common = std::lcm(common, *whole);
      if (common > kMaxClasses) return std::nullopt;
    }
  const auto out = checked_mul(common, dim.denominator());
  return out && *out <= kMaxClasses ? out : std::nullopt;
}

// A symbol as first + step*n, n being the symbol's new meaning, for each of `classes` values of first.
struct Split {
  std::string name;
  std::int64_t first = 0, step = 1, classes = 1, spread = 0;  // spread 0: a class is one size

  std::optional<Dim> at(std::int64_t index) const {
    const auto offset = checked_mul(step, index);
    const auto start = offset ? checked_add(first, *offset) : std::nullopt;
    if (!start) return std::nullopt;
    if (spread == 0) return Dim(*start);
    auto scaled = Dim::multiply(Dim(spread), Dim::symbol(name));
    auto sum = scaled.ok() ? Dim::add(*scaled, Dim(*start)) : std::move(scaled);
    return sum.ok() ? std::optional(std::move(sum).value()) : std::nullopt;
  }
};

std::vector<Split> splits_of(const Dim& dim, const Domains& domains) {
  std::vector<Split> fine, points, coarse;
  std::int64_t classes = 1, total = 1;  // of `fine` and of `points`; saturating
  const auto count_in = [](std::int64_t& product, std::int64_t more) {
    product = std::min(checked_mul(product, more).value_or(kMaxClasses + 1), kMaxClasses + 1);
  };
  const std::int64_t whole = period(dim).value_or(1);
  for (const std::string& name : dim.symbols()) {
    const auto found = domains.find(name);
    const Domain domain = found == domains.end() ? Domain() : found->second;
    const std::int64_t size = domain.count(kMaxClasses + 1), wanted = whole / std::gcd(whole, domain.step);
    const auto spread = checked_mul(domain.step, wanted);
    points.push_back({name, domain.low, domain.step, size, 0});
    coarse.push_back({name, domain.low, domain.step, 1, size == 1 ? 0 : domain.step});
    if (size <= wanted) fine.push_back(points.back());
    else if (spread) fine.push_back({name, domain.low, domain.step, wanted, *spread});
    else fine.push_back(coarse.back());
    count_in(classes, fine.back().classes);
    count_in(total, size);
  }
  if (total <= kMaxClasses) return points;
  return classes <= kMaxClasses ? fine : coarse;
}

std::size_t size_of(const Dim& dim) {
  std::size_t size = 1;
  for (const Dim::Term& term : dim.terms()) {
    size += 1 + term.factors.size();
    for (const Dim::Factor& factor : term.factors) size += factor.argument ? size_of(*factor.argument) : 0;
  }
  return size;
}

// Whether `holds` is true of the expression in every class of sizes that make its floors and ceils come out whole.
bool in_every_class(const Dim& dim, const Domains& domains, Effort& effort,
                    const std::function<bool(const Dim&)>& holds) {
  if (holds(dim)) return true;
  const std::vector<Split> splits = splits_of(dim, domains);
  std::vector<std::int64_t> index(splits.size(), 0);
  while (effort.spend(20 * size_of(dim))) {
    std::map<std::string, Dim> values;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      auto value = splits[i].at(index[i]);
      if (!value) return false;
      values.emplace(splits[i].name, *std::move(value));
    }
    const auto replaced = dim.substitute(values);
    if (!replaced.ok() || !holds(*replaced)) return false;
    std::size_t i = 0;
    while (i < splits.size() && ++index[i] == splits[i].classes) index[i++] = 0;
    if (i == splits.size()) return true;
  }
  return false;
}

bool any_empty(const Dim& dim, const Domains& domains) {
  for (const std::string& name : dim.symbols())
    if (const auto found = domains.find(name); found != domains.end() && found->second.empty()) return true;
  return false;
}

// One term of a sum as a progression: from, from + step, ... for `span` further.
struct Atom {
  Interval interval;
  std::int64_t step = 0, anchor = 0;  // step 0: one value
};

std::optional<Atom> atom_of(const Dim::Term& term, const Domains& domains) {
  if (term.factors.empty()) return Atom{{term.coefficient, term.coefficient}, 0, term.coefficient};
  if (term.factors.size() != 1) return std::nullopt;
  const Dim::Factor& factor = term.factors[0];
  Interval interval = bounds(factor, domains);
  std::int64_t step = 1;
  const auto domain_of = [&](const std::string& name) {
    const auto found = domains.find(name);
    return found == domains.end() ? Domain() : found->second;
  };
  if (!factor.argument) {
    step = domain_of(factor.name).step;
  } else {
    // Rounding (a*s+b)/d passes over no whole number when a step of s adds at most d.
    const auto& terms = factor.argument->terms();
    const std::vector<std::string> names = factor.argument->symbols();
    if (names.size() != 1 || terms[0].factors.size() != 1 || terms[0].factors[0].argument || terms[0].coefficient < 1 ||
        terms.size() > 2 || (terms.size() == 2 && !terms[1].factors.empty()))
      return std::nullopt;
    const auto rise = checked_mul(terms[0].coefficient, domain_of(names[0]).step);
    if (!rise || *rise > factor.divisor) return std::nullopt;
  }
  const auto scaled = checked_mul(step, term.coefficient < 0 ? -term.coefficient : term.coefficient);
  const auto anchor = checked_mul(interval.low, term.coefficient);
  if (!scaled || !anchor || infinite(interval.low)) return std::nullopt;
  const bool point = interval.low == interval.high;
  interval = multiply(interval, {term.coefficient, term.coefficient});
  return Atom{interval, point ? 0 : *scaled, *anchor};
}

}  // namespace

Domain Domain::of(const Symbol& symbol) {
  Domain out;
  const std::int64_t least = symbol.min.value_or(0);
  out.step = symbol.multiple_of;
  // The residue is below the stride and both are bounds or smaller than 2^63, so only the sum needs care.
  const std::int64_t past = (least - symbol.residue) % out.step;
  const auto first = checked_add(least, past == 0 ? 0 : past < 0 ? -past : out.step - past);
  if (!first) return Domain{1, 0, 1};
  out.low = *first;
  if (symbol.max) out.high = *symbol.max < out.low ? *symbol.max : *symbol.max - (*symbol.max - out.low) % out.step;
  if (out.low == out.high) out.step = 1;
  return out;
}

bool Domain::contains(std::int64_t size) const noexcept {
  return size >= low && size <= high && (size - low) % step == 0;
}

std::int64_t Domain::count(std::int64_t limit) const noexcept {
  if (empty()) return 0;
  if (high == kNoLimit) return limit;
  return std::min((high - low) / step, limit - 1) + 1;
}

std::optional<std::int64_t> Domain::at_least(std::int64_t size) const noexcept {
  if (empty()) return std::nullopt;
  if (size <= low) return low;
  const auto up = checked_mul(ceil_div(size - low, step), step);
  const auto out = up ? checked_add(low, *up) : std::nullopt;
  return out && *out <= high ? out : std::nullopt;
}

std::optional<std::int64_t> Domain::at_most(std::int64_t size) const noexcept {
  if (empty() || size < low) return std::nullopt;
  size = std::min(size, high);
  return size - (size - low) % step;
}

Interval bounds(const Dim& dim, const Domains& domains) {
  Interval sum{0, 0};
  for (const Dim::Term& term : dim.terms()) {
    Interval product{term.coefficient, term.coefficient};
    for (const Dim::Factor& factor : term.factors) product = multiply(product, bounds(factor, domains));
    sum = add(sum, product);
  }
  if (!infinite(sum.low)) sum.low = ceil_div(sum.low, dim.denominator());
  if (!infinite(sum.high)) sum.high = floor_div(sum.high, dim.denominator());
  return sum;
}

bool always_zero(const Dim& dim, const Domains& domains, Effort& effort) {
  return any_empty(dim, domains) ||
         in_every_class(dim, domains, effort, [](const Dim& d) { return d.terms().empty(); });
}

bool always_whole(const Dim& dim, const Domains& domains, Effort& effort) {
  return any_empty(dim, domains) ||
         in_every_class(dim, domains, effort, [](const Dim& d) { return d.denominator() == 1; });
}

bool always_within(const Dim& dim, const Domains& domains, const Domain& target, std::int64_t floor, bool whole,
                   Effort& effort) {
  if (any_empty(dim, domains)) return true;
  const Interval interval = bounds(dim, domains);
  if (std::max(interval.low, floor) < target.low || interval.high > target.high) return false;
  if (target.step == 1) return whole || always_whole(dim, domains, effort);
  const auto above = Dim::subtract(dim, Dim(target.low));
  const auto steps = above.ok() ? Dim::divide(*above, target.step) : above;
  return steps.ok() && always_whole(*steps, domains, effort);
}

std::optional<Progression> image(const Dim& dim, const Domains& domains) {
  if (dim.denominator() != 1 || any_empty(dim, domains)) return std::nullopt;
  std::vector<Atom> atoms;
  std::set<std::string> used;
  Progression out{{0, 0}, 1, 0};
  for (const Dim::Term& term : dim.terms()) {
    for (const Dim::Factor& factor : term.factors)
      for (const std::string& name : factor.argument ? factor.argument->symbols() : std::vector{factor.name})
        if (!used.insert(name).second) return std::nullopt;
    const auto atom = atom_of(term, domains);
    const auto anchor = atom ? checked_add(out.anchor, atom->anchor) : std::nullopt;
    if (!anchor) return std::nullopt;
    out.anchor = *anchor;
    out.interval = add(out.interval, atom->interval);
    if (atom->step != 0) atoms.push_back(*atom);
  }
  if (atoms.empty()) return out;
  // The finest steps first: a coarser one leaves no gap while it is no longer than what is covered so far.
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.step < b.step; });
  out.step = atoms[0].step;
  Interval covered{0, 0};
  for (const Atom& atom : atoms) {
    if (atom.step % out.step != 0 || atom.step > plus(covered.high, out.step, true)) return std::nullopt;
    const bool open = infinite(atom.interval.low) || infinite(atom.interval.high);
    covered.high = plus(covered.high, open ? kNoLimit : plus(atom.interval.high, -atom.interval.low, false), false);
  }
  out.anchor = (out.anchor % out.step + out.step) % out.step;
  return out;
}

}  // namespace tensorspec::diffing
