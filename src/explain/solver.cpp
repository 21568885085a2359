// SPDX-License-Identifier: Apache-2.0
#include "explain/solver.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kFirstLook = 64;     // points that a form must fit before all are looked at
constexpr std::size_t kMaxRivals = 8;      // kept on a claim
constexpr std::size_t kMaxForPairs = 32;   // symbols among which pairs are tried
constexpr std::size_t kMaxForTriples = 8;  // and triples

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
  std::vector<Fitted> out;
  Points points = table_.points(target, symbols, kFirstLook);
  std::vector<Form> forms = fit_forms(points, stage);
  if (forms.empty()) return out;
  if (table_.calls() > kFirstLook) {
    points = table_.points(target, symbols);
    forms = fit_forms(points, stage);
  }
  if (forms.empty()) return out;
  const std::size_t witnesses = points.distinct();
  const auto [low, high] = std::minmax_element(points.target.begin(), points.target.end());
  const costs::Cost gain =
      static_cast<costs::Cost>(witnesses) * costs::log2(static_cast<std::uint64_t>(*high - *low) + 1);
  for (Form& form : forms) {
    if (form.affine() && table_.saturated() && !table_.holds_always(form, target, symbols)) continue;
    if (!solvable(form, table_[target])) continue;
    for (Monomial& term : form.terms)
      for (Atom& atom : term.atoms) atom.symbol = symbols[atom.symbol];
    const costs::Cost length = form.length(strides_);
    const std::size_t unknowns = form.unknowns(strides_);
    out.push_back({std::move(form), length, symbols.size(), unknowns, witnesses, gain});
  }
  return out;
}

void Solver::weigh(std::size_t target, std::span<const std::size_t> basis, Stage stage, std::vector<Weighed>& out) {
  each_subset(basis, [&](const std::vector<std::size_t>& symbols) {
    for (const Fitted& fitted : fits(target, symbols, stage))
      out.push_back({&fitted, fitted.length + costs::choice(basis.size(), symbols.size())});
  });
}

bool Solver::multiple_of_batch(const Fitted& fitted) const {
  const Form& form = fitted.form;
  return form.terms.size() == 1 && form.terms[0].atoms.size() == 1 && form.terms[0].atoms[0].symbol == batch_ &&
         form.affine() && form.constant == 0 && form.divisor == 1 && fitted.witnesses >= 2;
}

bool Solver::accepted(const Weighed& weighed) const {
  const Fitted& fitted = *weighed.fitted;
  if (multiple_of_batch(fitted)) return true;
  return fitted.gain > weighed.cost && fitted.witnesses >= fitted.unknowns + 2;
}

std::optional<Explanation> Solver::explain(std::size_t target, std::span<const std::size_t> basis) {
  std::vector<Weighed> all;
  for (const Stage stage : {Stage::sum, Stage::product, Stage::round}) {
    weigh(target, basis, stage, all);
    // Stable, so that equal lengths keep the order of the symbols.
    std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.fitted->symbols < b.fitted->symbols;
    });
    const auto best = std::find_if(all.begin(), all.end(), [&](const Weighed& weighed) { return accepted(weighed); });
    if (best != all.end()) return explanation(*best, all);
  }
  return std::nullopt;
}

Explanation Solver::explanation(const Weighed& best, const std::vector<Weighed>& all) const {
  const Fitted& claim = *best.fitted;
  Explanation out{claim.form, best.cost, claim.gain - best.cost, claim.witnesses, false, {}};
  // Two batch sizes are what the reference page asks for; a third one makes a coincidence unlikely. What only the
  // sample shows need not hold for the calls that left it.
  out.weak = (multiple_of_batch(claim) && claim.witnesses < 3) || (table_.saturated() && !claim.form.affine());
  for (const Weighed& other : all) {
    if (other.fitted == &claim || other.cost > best.cost + costs::kMargin) continue;
    if (other.fitted->witnesses < other.fitted->unknowns + 1) continue;
    if (out.rivals.size() < kMaxRivals) out.rivals.push_back(other.fitted->form);
  }
  return out;
}

}  // namespace tensorspec
