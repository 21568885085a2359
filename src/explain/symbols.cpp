// SPDX-License-Identifier: Apache-2.0
#include "explain/symbols.hpp"

#include <algorithm>
#include <tuple>

#include "base/checked.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxSwaps = 64;  // each lowers the total, so it ends anyway

// The classes in an order that renaming or reordering tensors does not change: the batch, then inputs, then those that
// lead most tensors.
std::vector<std::size_t> canonical_order(const JoinedVariant& joined, const ClassTable& table, std::size_t batch) {
  using Place = std::tuple<bool, std::size_t, std::size_t>;  // output?, axis, rank
  std::vector<std::vector<Place>> places(table.size());
  for (const JoinedVariant::Tensor& tensor : joined.tensors())
    for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
      if (const std::size_t at = table.class_of(tensor.first_column + axis); at != ClassTable::kNone)
        places[at].emplace_back(tensor.output, axis, tensor.slot.rank);
  using Rank = std::tuple<bool, bool, std::ptrdiff_t, std::vector<Place>,
                          std::vector<std::pair<std::int64_t, std::uint64_t>>, std::size_t>;
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::sort(places[i].begin(), places[i].end());
    const auto leads = std::count_if(places[i].begin(), places[i].end(),
                                     [](const Place& place) { return !std::get<0>(place) && std::get<1>(place) == 0; });
    const auto& sizes = table[i].sizes;
    ranks.emplace_back(i != batch, !table[i].input, -leads, places[i],
                       std::vector<std::pair<std::int64_t, std::uint64_t>>(sizes.begin(), sizes.end()), i);
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> out;
  for (const Rank& rank : ranks) out.push_back(std::get<5>(rank));
  return out;
}

std::vector<std::int64_t> latent_steps(const ClassTable& table, const std::vector<StrideBelief>& strides) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < table.size(); ++i)
    out.push_back(strides[i] == StrideBelief::claimed && table[i].residue == 0 ? table[i].stride : 1);
  return out;
}

class Search {
 public:
  Search(const JoinedVariant& joined, const ClassTable& table, const std::vector<StrideBelief>& strides,
         std::size_t batch, const std::set<std::size_t>& fixed, const std::map<std::size_t, Dim>& apart)
      : table_(table),
        fixed_(fixed),
        solver_(table, latent_steps(table, strides), batch),
        order_(canonical_order(joined, table, batch)) {
    std::erase_if(order_, [&](std::size_t index) { return apart.contains(index); });
  }

  SymbolChoice run() {
    start();
    for (std::size_t i = 0; i < kMaxSwaps && improve(); ++i) {}
    // A form was held against the calls that have all of its classes. Where calls lack some, forms meet in other ways;
    // one that does not stand there is dropped.
    std::map<std::size_t, std::set<std::int64_t>> implied;
    for (std::size_t wrong = contradicted(implied); wrong != ClassTable::kNone; wrong = contradicted(implied)) {
      symbols_.push_back(wrong);
      symbols_ = ordered(symbols_);
      while (!take(symbols_)) {}
    }
    for (auto& [target, explanation] : explained_) solver_.add_rivals(target, basis_of(target, symbols_), explanation);
    return {std::move(symbols_), std::move(explained_), std::move(implied)};
  }

 private:
  using Total = std::pair<std::size_t, costs::Cost>;

  // What may explain a class: symbols that are inputs, and for an output the other symbols too.
  std::vector<std::size_t> basis_of(std::size_t target, const std::vector<std::size_t>& symbols) const {
    std::vector<std::size_t> basis;
    for (const std::size_t symbol : symbols)
      if (symbol != target && (table_[symbol].input || !table_[target].input)) basis.push_back(symbol);
    return basis;
  }

  void start() {
    for (const std::size_t next : order_) {
      if (fixed_.contains(next) || !solver_.explain(next, basis_of(next, symbols_))) symbols_.push_back(next);
    }
    // A longer list of symbols makes a choice among them dearer: what that leaves unexplained is a symbol too.
    while (!take(symbols_)) {}
  }

  bool take(const std::vector<std::size_t>& symbols) {
    std::size_t failed = ClassTable::kNone;
    auto explained = explain_with(symbols, &failed);
    if (explained) {
      explained_ = std::move(*explained);
      total_ = total_of(symbols_, explained_);
      return true;
    }
    symbols_.push_back(failed);
    symbols_ = ordered(symbols_);
    return false;
  }

  std::vector<std::size_t> ordered(const std::vector<std::size_t>& symbols) const {
    std::vector<std::size_t> out;
    for (const std::size_t candidate : order_)
      if (std::find(symbols.begin(), symbols.end(), candidate) != symbols.end()) out.push_back(candidate);
    return out;
  }

  // Everything that is no symbol, explained; nullopt when something (`failed`) cannot be.
  std::optional<std::map<std::size_t, Explanation>> explain_with(const std::vector<std::size_t>& symbols,
                                                                 std::size_t* failed = nullptr) {
    std::map<std::size_t, Explanation> out;
    for (const std::size_t target : order_) {
      if (std::find(symbols.begin(), symbols.end(), target) != symbols.end()) continue;
      auto found = solver_.explain(target, basis_of(target, symbols));
      if (!found) {
        if (failed) *failed = target;
        return std::nullopt;
      }
      out.emplace(target, std::move(*found));
    }
    return out;
  }

  static Total total_of(const std::vector<std::size_t>& symbols, const std::map<std::size_t, Explanation>& explained) {
    costs::Cost sum = 0;
    for (const auto& [target, explanation] : explained) sum += explanation.cost;
    return {symbols.size(), sum};
  }

  bool take_if_shorter(const std::vector<std::size_t>& symbols) {
    std::vector<std::size_t> candidate = ordered(symbols);
    auto explained = explain_with(candidate);
    if (!explained) return false;
    const Total total = total_of(candidate, *explained);
    if (total >= total_) return false;
    symbols_ = std::move(candidate);
    explained_ = std::move(*explained);
    total_ = total;
    return true;
  }

  // Leaves a symbol out that the others explain, or puts a class that is expressed by it in its place.
  bool improve() {
    for (const std::size_t symbol : symbols_) {
      if (fixed_.contains(symbol)) continue;
      std::vector<std::size_t> others = symbols_;
      std::erase(others, symbol);
      if (take_if_shorter(others)) return true;
      for (const std::size_t target : order_) {
        const auto found = explained_.find(target);
        if (found == explained_.end() || table_[target].input != table_[symbol].input) continue;
        const auto used = found->second.form.symbols();
        if (std::find(used.begin(), used.end(), symbol) == used.end()) continue;
        std::vector<std::size_t> swapped = others;
        swapped.push_back(target);
        if (take_if_shorter(swapped)) return true;
      }
    }
    return false;
  }

  // A class whose form fails in some call once absent symbols are read off the others, as a check does; kNone: none.
  std::size_t contradicted(std::map<std::size_t, std::set<std::int64_t>>& implied) const {
    implied.clear();
    // Classes differ in some call ever, so one of two with the same form is wrong in a call that left the sample.
    for (auto a = explained_.begin(); table_.saturated() && a != explained_.end(); ++a)
      for (auto b = std::next(a); b != explained_.end(); ++b)
        if (a->second.form == b->second.form) return b->first;
    for (const std::vector<std::int64_t>& row : table_.rows()) {
      const bool whole = std::all_of(symbols_.begin(), symbols_.end(),
                                     [&](std::size_t symbol) { return row[symbol] != ClassTable::kAbsent; });
      if (whole) continue;
      std::vector<std::int64_t> sizes = row;
      for (bool progress = true; progress;) {
        progress = false;
        for (const auto& [target, explanation] : explained_) {
          if (row[target] == ClassTable::kAbsent) continue;
          const auto read = solve(explanation.form, row[target], sizes);
          if (!read) continue;
          if (read->second < 0) return target;
          sizes[read->first] = read->second;
          implied[read->first].insert(read->second);
          progress = true;
        }
      }
      for (const auto& [target, explanation] : explained_) {
        const auto used = explanation.form.symbols();
        const bool known = std::all_of(used.begin(), used.end(),
                                       [&](std::size_t symbol) { return sizes[symbol] != ClassTable::kAbsent; });
        if (row[target] != ClassTable::kAbsent && known && explanation.form.evaluate(sizes) != row[target])
          return target;
      }
    }
    return ClassTable::kNone;
  }

  // The one absent symbol of a form that is affine in it, and its size; -1 when none is whole. nullopt: not one absent.
  static std::optional<std::pair<std::size_t, std::int64_t>> solve(const Form& form, std::int64_t target,
                                                                   const std::vector<std::int64_t>& sizes) {
    const Monomial* open = nullptr;
    Form rest = form;
    rest.terms.clear();
    rest.divisor = 1;
    for (const Monomial& term : form.terms) {
      const bool known = std::all_of(term.atoms.begin(), term.atoms.end(),
                                     [&](const Atom& atom) { return sizes[atom.symbol] != ClassTable::kAbsent; });
      if (known) {
        rest.terms.push_back(term);
        continue;
      }
      if (open || term.atoms.size() != 1 || term.atoms[0].divisor != 1) return std::nullopt;
      open = &term;
    }
    if (!open) return std::nullopt;
    const std::size_t symbol = open->atoms[0].symbol;
    const auto scaled = checked_mul(target, form.divisor);
    const auto known = rest.evaluate(sizes);
    const auto left = scaled && known ? checked_sub(*scaled, *known) : std::nullopt;
    if (!left || *left == INT64_MIN || *left % open->coefficient != 0 || *left / open->coefficient < 0)
      return std::pair(symbol, std::int64_t{-1});
    return std::pair(symbol, *left / open->coefficient);
  }

  const ClassTable& table_;
  const std::set<std::size_t>& fixed_;
  Solver solver_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> symbols_;
  std::map<std::size_t, Explanation> explained_;
  Total total_;
};

}  // namespace

SymbolChoice choose_symbols(const JoinedVariant& joined, const ClassTable& table,
                            const std::vector<StrideBelief>& strides, std::size_t batch,
                            const std::set<std::size_t>& fixed, const std::map<std::size_t, Dim>& apart) {
  return Search(joined, table, strides, batch, fixed, apart).run();
}

}  // namespace tensorspec
