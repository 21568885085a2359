// SPDX-License-Identifier: Apache-2.0
#include "explain/solver.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "explain/families.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kFirstLook = 64;      // points that a form must fit before all are looked at
constexpr std::size_t kMaxRivals = 128;     // kept on a claim; where more fit, any size may be right
constexpr std::int64_t kMaxGrid = 1 << 14;  // sizes tried to show that two forms are the same
constexpr std::size_t kMaxForPairs = 32;    // symbols among which pairs are tried
constexpr std::size_t kMaxForTriples = 8;   // and triples

template <class Visit>
void each_subset(std::span<const std::size_t> basis, Visit visit) {
  const std::size_t n = basis.size();
  for (std::size_t i = 0; i < n; ++i) visit(std::vector{basis[i]});
  if (n > kMaxForPairs) return;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) visit(std::vector{basis[i], basis[j]});
  if (n > kMaxForTriples) return;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) visit(std::vector{basis[i], basis[j], basis[k]});
}

// Where a call lacks the symbol, its size is read off the target: every size of the target, ever, must give a whole
// one.
bool solvable(const Form& form, const ColumnClass& target) {
  if (!form.affine() || form.terms.size() != 1) return true;
  const std::int64_t times = form.terms[0].coefficient;
  const auto whole = [&](std::int64_t size) {
    const auto scaled = checked_mul(size, form.divisor);
    const auto rest = scaled ? checked_sub(*scaled, form.constant) : std::nullopt;
    return rest && *rest != INT64_MIN && *rest % times == 0 && *rest / times >= 0;
  };
  const auto step = checked_mul(target.stride, form.divisor);
  return step && *step % times == 0 && whole(target.minimum) && whole(target.maximum);
}

// More sizes of every rounded symbol were seen than integers stand in its rounding; with fewer, some rounding fits
// whatever the others do.
bool refutable(const Form& form, const Points& points) {
  for (const Monomial& term : form.terms)
    for (const Atom& atom : term.atoms) {
      if (atom.divisor == 1) continue;
      Form own{{{term.atoms.size() == 1 ? term.coefficient : 1, {atom}}}, 0, 1};
      if (term.atoms.size() == 1) own.constant = form.constant;
      own.terms[0].atoms[0].symbol = 0;
      static constexpr std::int64_t kOne[] = {1};
      const auto& sizes = points.symbols[atom.symbol];
      if (std::set(sizes.begin(), sizes.end()).size() <= own.unknowns(kOne)) return false;
    }
  return true;
}

// After how many steps of a symbol its part of a form repeats, but for a constant; nullopt: too many.
std::optional<std::int64_t> period_of(const Form& form, const Monomial& term, const Atom& atom,
                                      std::span<const Step> steps) {
  if (form.divisor > kMaxGrid || std::count_if(term.atoms.begin(), term.atoms.end(),
                                               [&](const Atom& other) { return other.symbol == atom.symbol; }) > 1)
    return std::nullopt;
  const auto run = checked_mul(atom.times, steps[atom.symbol].step);
  if (!run) return std::nullopt;
  // What the exact quotient leaves as a remainder repeats after that many.
  std::int64_t whole = term.coefficient % form.divisor * (*run % form.divisor) % form.divisor;
  for (const Atom& other : term.atoms)
    if (other.symbol != atom.symbol && other.divisor == 1 && steps[other.symbol].first == 0)
      whole = whole * (steps[other.symbol].step % form.divisor) % form.divisor;
  return checked_mul(atom.divisor / std::gcd(atom.divisor, *run), form.divisor / std::gcd(form.divisor, whole));
}

}  // namespace

Solver::Solver(const ClassTable& table, std::vector<std::int64_t> strides, std::size_t batch)
    : table_(table), strides_(std::move(strides)), batch_(batch) {}

const std::vector<Solver::Fitted>& Solver::fits(std::size_t target, const std::vector<std::size_t>& symbols,
                                                Stage stage) {
  Key key{{target}, stage};
  key.first.insert(key.first.end(), symbols.begin(), symbols.end());
  const auto found = cache_.find(key);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(std::move(key), fit(target, symbols, stage)).first->second;
}

std::vector<Solver::Fitted> Solver::fit(std::size_t target, const std::vector<std::size_t>& symbols,
                                        Stage stage) const {
  Points points = table_.points(target, symbols, kFirstLook);
  std::vector<Form> forms = fit_forms(points, stage);
  if (forms.empty()) return {};
  if (table_.calls() > kFirstLook) {
    points = table_.points(target, symbols);
    forms = fit_forms(points, stage);
  }
  return worth_weighing(target, symbols, points, std::move(forms));
}

std::vector<Solver::Fitted> Solver::worth_weighing(std::size_t target, const std::vector<std::size_t>& symbols,
                                                   const Points& points, std::vector<Form> forms) const {
  std::vector<Fitted> out;
  if (forms.empty()) return out;
  const std::size_t witnesses = points.distinct();
  const auto [low, high] = std::minmax_element(points.target.begin(), points.target.end());
  const costs::Cost gain =
      static_cast<costs::Cost>(witnesses) * costs::log2(static_cast<std::uint64_t>(*high - *low) + 1);
  for (Form& form : forms) {
    if (form.affine() && table_.saturated() && !table_.holds_always(form, target, symbols)) continue;
    if (!solvable(form, table_[target])) continue;
    const bool can_fail = refutable(form, points);
    for (Monomial& term : form.terms)
      for (Atom& atom : term.atoms) atom.symbol = symbols[atom.symbol];
    const costs::Cost length = form.length(strides_);
    const std::size_t unknowns = form.unknowns(strides_);
    out.push_back({std::move(form), length, symbols.size(), unknowns, witnesses, gain, can_fail});
  }
  return out;
}

void Solver::weigh(std::size_t target, std::span<const std::size_t> basis, Stage stage, std::vector<Weighed>& out) {
  each_subset(basis, [&](const std::vector<std::size_t>& symbols) {
    for (const Fitted& fitted : fits(target, symbols, stage))
      out.push_back({&fitted, fitted.length + costs::choice(basis.size(), symbols.size()), stage});
  });
}

bool Solver::multiple_of_batch(const Fitted& fitted) const {
  const Form& form = fitted.form;
  return form.terms.size() == 1 && form.terms[0].atoms.size() == 1 && form.terms[0].atoms[0].symbol == batch_ &&
         form.affine() && form.constant == 0 && form.divisor == 1 && fitted.witnesses >= 2;
}

bool Solver::accepted(const Weighed& weighed, costs::Cost margin) const {
  const Fitted& fitted = *weighed.fitted;
  if (multiple_of_batch(fitted)) return true;
  return fitted.gain > weighed.cost + margin && fitted.witnesses >= fitted.unknowns + 2;
}

std::optional<Explanation> Solver::explain(std::size_t target, std::span<const std::size_t> basis) {
  std::vector<Weighed> all;
  // Sums and products compete by length: 6*a+b-6 may fit where a*b is meant. Roundings come last, there are so many.
  weigh(target, basis, Stage::sum, all);
  for (const Stage stage : {Stage::product, Stage::round}) {
    weigh(target, basis, stage, all);
    sort(all);
    // An output follows from the inputs somehow; an input need not follow from others, and of roundings there are many.
    const costs::Cost margin = stage == Stage::round && table_[target].input ? costs::kMargin : 0;
    const auto best =
        std::find_if(all.begin(), all.end(), [&](const Weighed& weighed) { return accepted(weighed, margin); });
    if (best != all.end()) return explanation(*best, stage);
  }
  return std::nullopt;
}

bool Solver::uses_output(const Form& form) const {
  const std::vector<std::size_t> used = form.symbols();
  return std::any_of(used.begin(), used.end(), [&](std::size_t symbol) { return !table_[symbol].input; });
}

Explanation Solver::explanation(const Weighed& best, Stage stage) const {
  const Fitted& claim = *best.fitted;
  Explanation out{claim.form, best.cost, claim.gain - best.cost, claim.witnesses, false, stage, {}};
  // Two batch sizes are what the reference page asks for; a third one makes a coincidence unlikely. What only the
  // sample shows need not hold for the calls that left it.
  out.weak = (multiple_of_batch(claim) && claim.witnesses < 3) || (table_.saturated() && !claim.form.affine());
  return out;
}

// Forms of the stages that were searched; and of later stages those over the symbols of the claim that are the same on
// the steps seen: 2*h may be 8*ceil(h/4) while every h was a multiple of 4. An output that another output explains
// follows from the inputs all the same: any form of theirs is a rival.
void Solver::add_rivals(std::size_t target, std::span<const std::size_t> basis, Explanation& explanation) {
  std::vector<Weighed> all;
  const std::vector<std::size_t> used = explanation.form.symbols();
  const bool by_output = uses_output(explanation.form);
  std::vector<std::size_t> own, inputs;
  for (const std::size_t symbol : basis) {
    if (std::binary_search(used.begin(), used.end(), symbol)) own.push_back(symbol);
    if (table_[symbol].input) inputs.push_back(symbol);
  }
  for (const Stage stage : {Stage::sum, Stage::product, Stage::round}) {
    if (stage <= explanation.stage) {
      weigh(target, basis, stage, all);
      continue;
    }
    if (by_output) weigh(target, inputs, stage, all);
    for (const Fitted& fitted : fits(target, own, stage))
      all.push_back({&fitted, fitted.length + costs::choice(basis.size(), own.size()), stage});
  }
  const std::vector<Fitted> moved = other_offsets(target, explanation.form);
  for (const Fitted& fitted : moved)
    all.push_back({&fitted, fitted.length + costs::choice(basis.size(), used.size()), explanation.stage});
  sort(all);
  const auto [claimed, seen] = steps();
  for (const Weighed& other : all) {
    if (other.cost > explanation.cost + costs::kMargin) break;
    if (!other.fitted->can_fail || other.fitted->witnesses < other.fitted->unknowns + 1) continue;
    // Where every symbol keeps its claimed step, the claim is as good; a size off the step is refused for that already.
    if (same_on(claimed, other.fitted->form, explanation.form)) continue;
    const bool of_inputs = by_output && !uses_output(other.fitted->form);
    if (other.stage > explanation.stage && !of_inputs && !same_on(seen, other.fitted->form, explanation.form)) continue;
    if (explanation.rivals.size() == kMaxRivals) {
      explanation.weak = true;
      return;
    }
    explanation.rivals.push_back(other.fitted->form);
  }
}

std::vector<Solver::Fitted> Solver::other_offsets(std::size_t target, Form form) const {
  const std::vector<std::size_t> symbols = form.symbols();
  for (Monomial& term : form.terms)
    for (Atom& atom : term.atoms)
      atom.symbol =
          static_cast<std::size_t>(std::lower_bound(symbols.begin(), symbols.end(), atom.symbol) - symbols.begin());
  const Points points = table_.points(target, symbols);
  std::vector<Form> forms;
  fit::offsets(points, form, forms);
  return worth_weighing(target, symbols, points, std::move(forms));
}

std::pair<Solver::Steps, Solver::Steps> Solver::steps() const {
  Steps claimed, seen;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    claimed.push_back({strides_[i], 0});
    seen.push_back({table_[i].stride, table_[i].residue});
  }
  return {std::move(claimed), std::move(seen)};
}

// Stable, so that equal lengths keep the order of the symbols.
void Solver::sort(std::vector<Weighed>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.fitted->symbols < b.fitted->symbols;
  });
}

// In each symbol such a form is a line plus something periodic, so two periods of every symbol tell.
bool Solver::same_on(const Steps& steps, const Form& a, const Form& b) {
  if (a.symbols() != b.symbols()) return false;
  std::map<std::size_t, std::int64_t> period;
  for (const std::size_t symbol : a.symbols()) period[symbol] = 1;
  for (const Form* form : {&a, &b})
    for (const Monomial& term : form->terms)
      for (const Atom& atom : term.atoms) {
        const auto length = period_of(*form, term, atom, steps);
        if (!length) return false;
        std::int64_t& whole = period[atom.symbol];
        whole = std::lcm(whole, *length);
        if (whole > kMaxGrid) return false;
      }
  std::int64_t grid = 1;
  for (const auto& [symbol, length] : period) {
    grid *= 2 * length + 1;
    if (grid > kMaxGrid) return false;
  }
  std::vector<std::int64_t> sizes(steps.size(), 0);
  for (std::int64_t place = 0; place < grid; ++place) {
    std::int64_t rest = place;
    for (const auto& [symbol, length] : period) {
      const auto size = checked_mul(rest % (2 * length + 1), steps[symbol].step);
      if (!size || *size > kMaxExtent) return false;
      sizes[symbol] = *size + steps[symbol].first;
      rest /= 2 * length + 1;
    }
    const auto x = a.evaluate(sizes);
    if (!x || x != b.evaluate(sizes)) return false;
  }
  return true;
}

}  // namespace tensorspec
