// SPDX-License-Identifier: Apache-2.0
#include "explain/symbols.hpp"

#include <algorithm>
#include <tuple>

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
         std::size_t batch)
      : table_(table),
        batch_(batch),
        solver_(table, latent_steps(table, strides), batch),
        order_(canonical_order(joined, table, batch)) {}

  SymbolChoice run() {
    start();
    for (std::size_t i = 0; i < kMaxSwaps && improve(); ++i) {}
    return {std::move(symbols_), std::move(explained_)};
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
      if (next == batch_ || !solver_.explain(next, basis_of(next, symbols_))) symbols_.push_back(next);
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
      if (symbol == batch_) continue;
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

  const ClassTable& table_;
  std::size_t batch_;
  Solver solver_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> symbols_;
  std::map<std::size_t, Explanation> explained_;
  Total total_;
};

}  // namespace

SymbolChoice choose_symbols(const JoinedVariant& joined, const ClassTable& table,
                            const std::vector<StrideBelief>& strides, std::size_t batch) {
  return Search(joined, table, strides, batch).run();
}

}  // namespace tensorspec
