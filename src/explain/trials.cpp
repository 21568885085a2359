// SPDX-License-Identifier: Apache-2.0
#include "explain/trials.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "explain/fit.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kFewSizes = 4;            // with fewer, axes that were equal may be so by chance
constexpr std::size_t kFewCalls = 6;            // with fewer, a tie may be real though it is not claimed
constexpr std::size_t kMaxTied = 8;             // symbols among which ties are looked for
constexpr costs::Cost kTie = 20 * costs::kBit;  // a longer form ties nothing
constexpr std::size_t kMaxSplits = 3;           // per symbol

class Trials {
 public:
  Trials(const Contract& contract, std::size_t index, const std::vector<InputAxis>& axes, const SeenCalls& seen,
         const std::map<std::string, SymbolSizes>& symbols)
      : contract_(contract),
        variant_(contract.variants()[index]),
        index_(index),
        axes_(axes),
        seen_(seen),
        symbols_(symbols) {}

  std::vector<Trial> run() {
    if (!seen_.accepted.empty()) {
      add_batch();
      if (seen_.accepted.size() == 1) add_vary();
      add_unties();
      add_breaks();
    }
    for (const auto& [name, sizes] : symbols_) {
      if (sizes.seen.size() < kFewSizes) add_splits(name, sizes);
      add_off_step(name, sizes);
    }
    judge();
    return choose_batch(std::move(out_));
  }

 private:
  std::string name_of(std::size_t axis) const {
    return axis_name(variant_.inputs[axes_[axis].tensor].name, axes_[axis].axis);
  }

  // The batch size that every call had, given or (with none given) 1; nullopt: it varied, or is a symbol.
  std::optional<std::int64_t> fixed_batch() const {
    if (variant_.batch_size || contract_.no_batch()) return std::nullopt;
    const auto first = seen_.accepted[0].batch_size;
    for (const SeenCall& call : seen_.accepted)
      if (call.batch_size != first) return std::nullopt;
    if (first) return first;
    for (const Symbol& symbol : variant_.symbols)
      if (symbol.source == Symbol::Source::inferred || symbol.source == Symbol::Source::declared) return std::nullopt;
    return 1;
  }

  // Axes that may be the batch: the first of each tensor; the second of those whose first is something else.
  std::vector<std::size_t> batch_axes(std::int64_t batch) const {
    std::vector<std::size_t> out;
    const auto follows = [&](std::size_t axis) { return axes_[axis].dim->as_integer() == batch; };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool second = axes_[i].axis == 1 && !follows(i - 1);
      if ((axes_[i].axis == 0 || second) && follows(i)) out.push_back(i);
    }
    if (!out.empty()) return out;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (const auto size = axes_[i].dim->as_integer();
          axes_[i].axis == 0 && size && *size >= batch && *size % batch == 0)
        out.push_back(i);
    return out;
  }

  void add_batch_of(const std::vector<std::size_t>& all, const std::vector<std::size_t>& some, std::int64_t batch) {
    Trial trial{.kind = Trial::Kind::batch, .text = "batch sizes other than " + std::to_string(batch)};
    const std::int64_t next = batch == 2 ? 3 : 2;
    for (const std::size_t axis : some)
      if (const auto size = checked_mul(*axes_[axis].dim->as_integer() / batch, next))
        trial.sizes.emplace_back(axis, *size);
    if (seen_.accepted[0].batch_size) trial.batch_size = next;
    else trial.text = name_of(some[0]) + " other than " + axes_[some[0]].dim->to_string();
    trial.watched = all;
    out_.push_back(std::move(trial));
  }

  // All axes that may follow; then, for when the model refuses that, without those of one kind of tensor, the last
  // first (what is optional comes last), and of one kind alone.
  void add_batch() {
    const auto batch = fixed_batch();
    if (!batch) return;
    const std::vector<std::size_t> all = batch_axes(*batch);
    if (all.empty()) return;
    add_batch_of(all, all, *batch);
    std::vector<std::vector<std::size_t>> kinds;
    for (const std::size_t axis : all) {
      const auto& shape = variant_.inputs[axes_[axis].tensor].shape;
      auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) {
        return axes_[known[0]].axis == axes_[axis].axis && variant_.inputs[axes_[known[0]].tensor].shape == shape;
      });
      if (kind == kinds.end()) kind = kinds.insert(kind, std::vector<std::size_t>());
      kind->push_back(axis);
    }
    if (kinds.size() < 2) return;
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
      std::vector<std::size_t> some;
      std::set_difference(all.begin(), all.end(), kind->begin(), kind->end(), std::back_inserter(some));
      add_batch_of(all, some, *batch);
    }
    for (const std::vector<std::size_t>& kind : kinds) add_batch_of(all, kind, *batch);
  }

  // Of the trials of the batch the first that was not refused.
  static std::vector<Trial> choose_batch(std::vector<Trial> all) {
    bool found = false;
    std::erase_if(all, [&](const Trial& trial) {
      if (trial.kind != Trial::Kind::batch) return false;
      return found || trial.state == Trial::State::refused || !(found = true);
    });
    return all;
  }

  // Twice the size keeps every step.
  void add_vary() {
    std::map<std::int64_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (const auto size = axes_[i].dim->as_integer(); size && *size > 1 && *size <= kMaxExtent / 2)
        groups[*size].push_back(i);
    for (const auto& [size, group] : groups) {
      Trial trial{.kind = Trial::Kind::vary, .text = name_of(group[0]) + " other than " + std::to_string(size)};
      for (const std::size_t axis : group) trial.sizes.emplace_back(axis, 2 * size);
      out_.push_back(std::move(trial));
    }
  }

  void add_split(Trial::Kind kind, const std::string& name, const SymbolSizes& sizes, std::size_t from,
                 const std::vector<std::size_t>& moved) {
    if (sizes.candidates.empty() || moved.empty()) return;
    Trial trial{.kind = kind, .text = name_of(moved[0]) + " apart from " + name_of(from), .symbol = name};
    const auto best = std::min_element(sizes.candidates.begin(), sizes.candidates.end(),
                                       [](const auto& a, const auto& b) { return a.order < b.order; });
    for (const std::size_t axis : moved) trial.sizes.emplace_back(axis, best->size);
    out_.push_back(std::move(trial));
  }

  void add_splits(const std::string& name, const SymbolSizes& sizes) {
    std::vector<std::size_t> bare;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (const std::string* symbol = axes_[i].dim->as_symbol(); symbol && *symbol == name) bare.push_back(i);
    if (bare.size() < 2) return;
    std::vector<std::size_t> later;
    for (std::size_t i = 1; i < bare.size(); ++i)
      if (axes_[bare[i]].tensor == axes_[bare[i - 1]].tensor) later.push_back(bare[i]);
    if (!later.empty()) {
      const auto first = std::find_if(bare.begin(), bare.end(),
                                      [&](std::size_t axis) { return axes_[axis].tensor == axes_[later[0]].tensor; });
      add_split(Trial::Kind::split_tensor, name, sizes, *first, later);
    }
    const std::vector<std::size_t> family = families(name);
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (const std::size_t axis : bare) groups[family[axes_[axis].tensor]].push_back(axis);
    std::size_t splits = 0;
    const std::size_t home = family[axes_[bare[0]].tensor];
    for (const auto& [of, group] : groups)
      if (of != home && splits++ < kMaxSplits) add_split(Trial::Kind::split, name, sizes, bare[0], group);
  }

  // Per input a number that it shares with those that have another symbol, or all dims, in common.
  std::vector<std::size_t> families(const std::string& but) const {
    std::vector<std::size_t> family(variant_.inputs.size());
    std::iota(family.begin(), family.end(), std::size_t{0});
    for (std::size_t a = 0; a < family.size(); ++a)
      for (std::size_t b = a + 1; b < family.size(); ++b)
        if (family[a] != family[b] && related(variant_.inputs[a], variant_.inputs[b], but))
          std::replace(family.begin(), family.end(), std::size_t{family[b]}, std::size_t{family[a]});
    return family;
  }

  static bool related(const TensorContract& a, const TensorContract& b, const std::string& but) {
    if (a.shape == b.shape) return true;
    std::set<std::string> names;
    for (const Dim& dim : a.shape)
      for (std::string& name : dim.symbols()) names.insert(std::move(name));
    names.erase(but);
    return std::any_of(b.shape.begin(), b.shape.end(), [&](const Dim& dim) {
      const auto theirs = dim.symbols();
      return std::any_of(theirs.begin(), theirs.end(), [&](const std::string& name) { return names.contains(name); });
    });
  }

  // Axes of inputs that a form was believed to explain on few calls: the most doubtful first.
  void add_breaks() {
    std::vector<const Claim*> claims;
    for (const Claim& claim : variant_.claims) {
      if (claim.output || claim.certainty == Certainty::declared || claim.witnesses >= kFewSizes) continue;
      const bool told =
          std::any_of(claims.begin(), claims.end(), [&](const Claim* other) { return other->dim == claim.dim; });
      if (!told) claims.push_back(&claim);
    }
    std::stable_sort(claims.begin(), claims.end(), [](const Claim* a, const Claim* b) {
      return a->margin_bits.value_or(0) < b->margin_bits.value_or(0);
    });
    for (const Claim* claim : claims) {
      Trial trial{.kind = Trial::Kind::untie,
                  .text = axis_name(claim->tensor, claim->axis) + " other than " + claim->dim.to_string()};
      trial.tie = claim->dim;
      for (std::size_t i = 0; i < axes_.size(); ++i)
        if (variant_.inputs[axes_[i].tensor].name == claim->tensor && axes_[i].axis == claim->axis) trial.axis = i;
      trial.without = without(*claim);
      if (trial.without) out_.push_back(std::move(trial));
    }
  }

  // What the same calls teach when the axis is a size of its own, and so are the symbols that explained it.
  std::shared_ptr<const Variant> without(const Claim& claim) const {
    Declarations declarations = declarations_of(contract_);
    declarations.free_axes.insert(axis_name(claim.tensor, claim.axis));
    for (const std::string& name : claim.dim.symbols())
      if (const Symbol* symbol = variant_.symbol(name)) declarations.free_axes.insert(symbol->at);
    const auto contract = explain(*contract_.evidence(), declarations);
    if (!contract.ok() || contract->variants().size() <= index_) return nullptr;
    return std::make_shared<const Variant>(contract->variants()[index_]);
  }

  void add_off_step(const std::string& name, const SymbolSizes& sizes) {
    if (sizes.symbol->seen_multiple_of == 1) return;
    const auto size = size_off_step(sizes);
    if (!size) return;
    Trial trial{.kind = Trial::Kind::off_step,
                .text = name + " only in steps of " + std::to_string(sizes.symbol->seen_multiple_of),
                .symbol = name};
    trial.size = *size;
    out_.push_back(std::move(trial));
  }

  // The shortest form of other symbols that every call obeyed, for symbols whose calls are too few to believe it.
  void add_unties() {
    if (seen_.accepted.size() >= kFewCalls || symbols_.size() > kMaxTied || symbols_.size() < 2) return;
    std::vector<std::string> names;
    for (const auto& [name, sizes] : symbols_) names.push_back(name);
    std::vector<bool> tied(names.size(), false);
    for (std::size_t target = 0; target < names.size(); ++target) {
      if (symbols_.at(names[target]).symbol->source != Symbol::Source::observed) continue;
      std::optional<Form> best;
      for (std::size_t a = 0; a < names.size(); ++a) {
        if (a == target || tied[a]) continue;
        shortest(target, {a}, names, best);
        for (std::size_t b = a + 1; b < names.size(); ++b)
          if (b != target && !tied[b]) shortest(target, {a, b}, names, best);
      }
      const auto dim = best ? best->to_dim(names) : std::nullopt;
      if (!dim) continue;
      tied[target] = true;
      out_.push_back({.kind = Trial::Kind::untie,
                      .text = symbols_.at(names[target]).symbol->at + " other than " + dim->to_string(),
                      .symbol = names[target],
                      .tie = *dim});
    }
  }

  void shortest(std::size_t target, const std::vector<std::size_t>& from, const std::vector<std::string>& names,
                std::optional<Form>& best) const {
    Points points;
    points.symbols.resize(from.size());
    std::set<std::int64_t> targets;
    for (const SeenCall& call : seen_.accepted) {
      const Sizes sizes = sizes_in(variant_, axes_, call);
      if (sizes.size() != symbols_.size()) continue;
      points.target.push_back(sizes.at(names[target]));
      targets.insert(points.target.back());
      for (std::size_t s = 0; s < from.size(); ++s) points.symbols[s].push_back(sizes.at(names[from[s]]));
    }
    if (targets.size() < 2) return;
    const std::vector<std::int64_t> ones(names.size(), 1);
    for (const Stage stage : {Stage::sum, Stage::product})
      for (Form& form : fit_forms(points, stage)) {
        for (Monomial& term : form.terms)
          for (Atom& atom : term.atoms) atom.symbol = from[atom.symbol];
        const costs::Cost length = form.length(ones);
        if (length <= kTie && (!best || length < best->length(ones))) best = std::move(form);
      }
  }

  bool shown_by(const Trial& trial, const SeenCall& call, const Sizes& sizes) const {
    const auto moved = [&](std::size_t axis) { return axes_[axis].dim->as_integer() != call.extents[axis]; };
    const auto takes = [&](std::size_t axis) {
      return std::any_of(trial.sizes.begin(), trial.sizes.end(),
                         [&](const auto& entry) { return entry.first == axis; });
    };
    const auto found = sizes.find(trial.symbol);
    switch (trial.kind) {
      case Trial::Kind::batch:
        return std::all_of(trial.watched.begin(), trial.watched.end(),
                           [&](std::size_t axis) { return moved(axis) == takes(axis); });
      case Trial::Kind::vary:
        return std::all_of(trial.sizes.begin(), trial.sizes.end(),
                           [&](const auto& entry) { return moved(entry.first); });
      case Trial::Kind::off_step:
        return found != sizes.end() &&
               (found->second - symbols_.at(trial.symbol).first) % symbols_.at(trial.symbol).step != 0;
      case Trial::Kind::untie:
        if (trial.symbol.empty()) return evaluate(*trial.tie, sizes) != call.extents[trial.axis];
        return found != sizes.end() && evaluate(*trial.tie, sizes) != found->second;
      case Trial::Kind::split_tensor:
      case Trial::Kind::split: break;
    }
    // Every axis of the group away from every other axis of the symbol.
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::string* name = axes_[i].dim->as_symbol();
      if (!name || *name != trial.symbol || takes(i)) continue;
      for (const auto& [axis, size] : trial.sizes)
        if (call.extents[axis] == call.extents[i]) return false;
    }
    return true;
  }

  void judge() {
    for (const SeenCall& call : seen_.rejected) {
      const Sizes sizes = sizes_in(variant_, axes_, call);
      std::vector<Trial*> shown;
      for (Trial& trial : out_)
        if (shown_by(trial, call, sizes)) shown.push_back(&trial);
      for (Trial* trial : shown)
        if (shown.size() == 1) trial->state = Trial::State::refused;
        else if (trial->state == Trial::State::untried) trial->state = Trial::State::suspect;
    }
  }

  const Contract& contract_;
  const Variant& variant_;
  std::size_t index_;
  const std::vector<InputAxis>& axes_;
  const SeenCalls& seen_;
  const std::map<std::string, SymbolSizes>& symbols_;
  std::vector<Trial> out_;
};

}  // namespace

std::vector<Trial> trials_of(const Contract& contract, std::size_t variant, const std::vector<InputAxis>& axes,
                             const SeenCalls& seen, const std::map<std::string, SymbolSizes>& symbols) {
  return Trials(contract, variant, axes, seen, symbols).run();
}

}  // namespace tensorspec
