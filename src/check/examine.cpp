// SPDX-License-Identifier: Apache-2.0
#include "check/examine.hpp"

#include <algorithm>

namespace tensorspec::flat {
namespace {

using About = Finding::About;
using Doubt = Finding::Doubt;

// How well the inputs fit a variant: shared tensors count, same ranks count more, and what is missing or unexpected
// counts against it.
struct Fit {
  std::size_t shared = 0, same_rank = 0, differing = 0;
  bool exact() const noexcept { return differing == 0 && same_rank == shared; }
  bool operator<(const Fit& other) const noexcept {
    if (same_rank != other.same_rank) return same_rank < other.same_rank;
    if (shared != other.shared) return shared < other.shared;
    return differing > other.differing;
  }
};

Fit fit_of(const FlatVariant& variant, const TensorList& inputs) noexcept {
  Fit fit;
  std::size_t given = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) given += inputs.present(i) ? 1 : 0;
  for (std::uint32_t t = 0; t < variant.inputs; ++t) {
    const std::size_t found = inputs.find(variant.tensors[t].name, t);
    if (found == inputs.size()) continue;
    ++fit.shared;
    if (inputs.view(found).rank == variant.tensors[t].rank) ++fit.same_rank;
  }
  fit.differing = (variant.inputs - fit.shared) + (given - fit.shared);
  return fit;
}

// Solves the symbols, then holds every axis against its dim.
class Examination {
 public:
  Examination(const FlatVariant& variant, const CallTensors& call, Policy policy, const Scratch& scratch, Findings& out)
      : variant_(variant),
        call_(call),
        policy_(policy),
        extents_(scratch.extents),
        bound_(scratch.symbols),
        out_(out) {}

  void run() {
    std::fill_n(extents_.begin(), variant_.tensors.size(), nullptr);
    std::fill_n(bound_.begin(), variant_.symbols.size(), Binding{});
    match(call_.inputs, false);
    // A request has no outputs; an answer has all of them.
    outputs_ = call_.outputs.size() != 0;
    if (outputs_) match(call_.outputs, true);
    for (std::size_t s = 0; s < variant_.symbols.size(); ++s) bind(s);
    solve();
    for (std::uint32_t t = 0; t < variant_.tensors.size(); ++t)
      if (extents_[t]) check_axes(t);
    check_weak_axes();
    check_batch_size();
    for (std::uint32_t s = 0; s < variant_.symbols.size(); ++s)
      if (bound_[s].state != Binding::State::unknown) check_symbol(s);
    for (const FlatBound& bound : variant_.bounds) check_bound(bound);
    if (policy_ == Policy::seen && conforms_) check_seen();
  }

 private:
  void add(const Finding& finding) {
    conforms_ = conforms_ && finding.doubt != Doubt::none;
    out_.add(finding);
  }
  void add_tensor(About about, bool output, std::uint32_t tensor, const TensorView& given) {
    Finding finding;
    finding.about = about;
    finding.output = output;
    finding.tensor = tensor;
    finding.given = given;
    add(finding);
  }
  Finding at_axis(About about, Place at) const {
    Finding finding;
    finding.about = about;
    if (at.tensor == Place::kBatch) {
      finding.actual = *call_.batch_size;
      return finding;
    }
    finding.output = variant_.tensors[at.tensor].output;
    finding.tensor = at.tensor;
    finding.axis = at.axis;
    finding.actual = extents_[at.tensor][at.axis];
    return finding;
  }

  void match(const TensorList& tensors, bool output) {
    const auto group = variant_.group(output);
    const std::uint32_t first = output ? variant_.inputs : 0;
    for (std::uint32_t i = 0; i < group.size(); ++i) match(group[i], first + i, tensors, i);
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
      if (!tensors.present(i)) continue;
      const std::string_view name = tensors.name(i);
      if (i < group.size() && group[i].name == name) continue;
      const auto same = [&](const FlatTensor& contract) { return contract.name == name; };
      if (std::none_of(group.begin(), group.end(), same)) add_tensor(About::unexpected, output, i, tensors.view(i));
    }
  }

  void match(const FlatTensor& contract, std::uint32_t number, const TensorList& tensors, std::size_t guess) {
    const std::size_t found = tensors.find(contract.name, guess);
    if (found == tensors.size()) {
      if (!contract.optional) add_tensor(About::missing, contract.output, number, {});
      return;
    }
    const TensorView given = tensors.view(found);
    if (given.rank != contract.rank) {
      // An output may have been seen with several ranks; the first of them speaks for all.
      const auto group = variant_.group(contract.output);
      const auto fits = [&](const FlatTensor& other) {
        return other.name == contract.name && other.rank == given.rank;
      };
      if (contract.twin == number && std::none_of(group.begin(), group.end(), fits))
        add_tensor(About::rank, contract.output, number, given);
      return;
    }
    if (!contract.takes(given)) add_tensor(About::dtype, contract.output, number, given);
    extents_[number] = pointer_to(given.extents);
  }

  std::optional<std::int64_t> size(Place at) const noexcept {
    if (at.tensor == Place::kBatch) return call_.batch_size;
    return extents_[at.tensor] ? std::optional(extents_[at.tensor][at.axis]) : std::nullopt;
  }
  auto value_of() const noexcept {
    return [this](std::int64_t symbol) {
      const Binding& bound = bound_[static_cast<std::size_t>(symbol)];
      return bound.state == Binding::State::unknown ? std::nullopt : std::optional(bound.value);
    };
  }
  std::optional<std::int64_t> evaluate(const FlatDim& dim) const noexcept {
    return variant_.expressions.evaluate(dim, value_of());
  }

  // The first place with the size that most of them have.
  std::optional<Place> spokesman(const std::vector<Place>& places) const noexcept {
    std::optional<Place> best;
    std::size_t most = 0, given = 0;
    for (const Place at : places) given += size(at) ? 1 : 0;
    for (std::size_t i = 0; i < places.size() && 2 * most <= given; ++i) {
      const auto value = size(places[i]);
      if (!value) continue;
      std::size_t votes = 0;
      for (const Place at : places) votes += size(at) == value ? 1 : 0;
      if (votes <= most) continue;
      most = votes;
      best = places[i];
    }
    return best;
  }

  // Axes that are one bare symbol bind it; where they disagree the majority does, so that the odd one out is named.
  void bind(std::size_t symbol) {
    if (const auto at = spokesman(variant_.symbols[symbol].bare))
      bound_[symbol] = {Binding::State::sure, *at, *size(*at)};
  }

  // Then expressions that are affine in one unknown symbol. What only a weak claim can tell comes last.
  void solve() {
    for (const bool weakly : {false, true})
      for (bool progress = true; progress;) {
        progress = false;
        for (const Place at : variant_.solvable)
          if (extents_[at.tensor] && variant_.axis(at).weak == weakly) progress = solve(at, weakly) || progress;
      }
  }

  // False also when no whole size fits: the axis is left to be reported.
  bool solve(Place at, bool weakly) {
    const FlatDim& dim = variant_.axis(at).dim;
    const auto known = [&](std::uint32_t s) { return bound_[s].state != Binding::State::unknown; };
    const std::uint32_t term = variant_.expressions.open_term(dim, known);
    if (term == kNone) return false;
    const auto value = variant_.expressions.solve(dim, term, extents_[at.tensor][at.axis], value_of());
    if (!value) return false;
    bound_[variant_.expressions.terms(dim)[term].alone] = {weakly ? Binding::State::weak : Binding::State::sure, at,
                                                           *value};
    return true;
  }

  void check_axes(std::uint32_t tensor) {
    for (std::uint32_t axis = 0; axis < variant_.tensors[tensor].rank; ++axis) {
      const Place at{tensor, axis};
      const FlatDim& dim = variant_.axis(at).dim;
      const std::int64_t actual = extents_[tensor][axis];
      const auto wanted = evaluate(dim);
      if (wanted ? *wanted == actual : !cannot_hold(dim)) continue;
      Finding finding = at_axis(!wanted                            ? About::no_value
                                : dim.kind == FlatDim::Kind::fixed ? About::fixed
                                                                   : About::value,
                                at);
      finding.wanted = wanted.value_or(0);
      if (dim.kind != FlatDim::Kind::fixed) doubt(variant_.axis(at), finding);
      add(finding);
    }
  }

  // Whether a size other than the claimed one is let through.
  void doubt(const FlatAxis& axis, Finding& finding) const {
    const auto rivals = axis.rivals.of(variant_.rivals);
    for (std::uint32_t i = 0; i < rivals.size(); ++i)
      if (rivals[i] && evaluate(*rivals[i]) == finding.actual) {
        finding.doubt = Doubt::rival;
        finding.rival = i;
        return;
      }
    if (axis.weak) finding.doubt = Doubt::weak_claim;
  }

  // Not evaluated although at most one symbol is open: then no whole, non-negative value of that symbol gives the size.
  bool cannot_hold(const FlatDim& dim) const noexcept {
    const auto symbols = variant_.expressions.symbols(dim);
    const auto open = std::count_if(symbols.begin(), symbols.end(),
                                    [&](std::uint32_t s) { return bound_[s].state == Binding::State::unknown; });
    return open == 0 || (open == 1 && !dim.nested);
  }

  // A weak claim may be wrong about the size, but axes that share it were always equal: that holds. Groups are reported
  // in the order of their first axes.
  void check_weak_axes() {
    if (variant_.weak_groups.empty()) return;
    for (std::uint32_t t = 0; t < variant_.tensors.size(); ++t)
      for (std::uint32_t axis = 0; extents_[t] && axis < variant_.tensors[t].rank; ++axis) {
        const std::uint32_t group = variant_.axis({t, axis}).weak_group;
        if (group == kNone) continue;
        const std::vector<Place>& axes = variant_.weak_groups[group];
        const auto first = std::find_if(axes.begin(), axes.end(), [&](Place at) { return size(at).has_value(); });
        if (*first == Place{t, axis}) check_same(axes);
      }
  }
  void check_same(const std::vector<Place>& axes) {
    const Place leader = *spokesman(axes);
    for (const Place at : axes) {
      if (!size(at) || size(at) == size(leader)) continue;
      Finding finding = at_axis(About::same, at);
      finding.leader = leader;
      finding.wanted = *size(leader);
      add(finding);
    }
  }

  void check_batch_size() {
    if (!variant_.batch || !call_.batch_size) return;
    const auto wanted = evaluate(*variant_.batch);
    if (!wanted || *wanted == *call_.batch_size) return;
    Finding finding = at_axis(About::batch, {Place::kBatch, 0});
    finding.wanted = *wanted;
    add(finding);
  }

  void check_symbol(std::uint32_t number) {
    const FlatSymbol& symbol = variant_.symbols[number];
    const Binding& bound = bound_[number];
    const auto report = [&](About about, Doubt doubt) {
      Finding finding = at_axis(about, bound.at);
      finding.symbol = number;
      finding.doubt = bound.state == Binding::State::weak ? Doubt::weak_source : doubt;
      add(finding);
    };
    if (bound.value % symbol.multiple_of != symbol.residue) report(About::stride, Doubt::none);
    if (bound.value % symbol.seen_multiple_of != symbol.seen_residue) report(About::seen_stride, Doubt::not_claimed);
    if (policy_ == Policy::relations) return;
    if ((symbol.min && bound.value < *symbol.min) || (symbol.max && bound.value > *symbol.max))
      report(About::range, Doubt::none);
  }

  // Never more than a warning: that it was so in every call is no rule.
  void check_bound(const FlatBound& bound) {
    const Binding &low = bound_[bound.low], &high = bound_[bound.high];
    if (low.state == Binding::State::unknown || high.state == Binding::State::unknown || low.value <= high.value)
      return;
    Finding finding = at_axis(About::above, low.at);
    finding.symbol = bound.low;
    finding.other = bound.high;
    finding.doubt = Doubt::not_claimed;
    add(finding);
  }

  void check_seen() {
    const SeenShapes::Found found = variant_.seen.find(extents_.data(), outputs_, call_.batch_size);
    if (found.answer == SeenShapes::Answer::seen) return;
    Finding finding;
    finding.about = About::unseen;
    finding.inputs_seen = found.inputs;
    if (found.answer == SeenShapes::Answer::not_kept) finding.doubt = Doubt::not_kept;
    add(finding);
  }

  const FlatVariant& variant_;
  const CallTensors& call_;
  Policy policy_;
  std::span<const std::int64_t*> extents_;
  std::span<Binding> bound_;
  Findings& out_;
  bool outputs_ = false;
  bool conforms_ = true;
};

}  // namespace

Violation::Code code_of(About about) noexcept {
  using Code = Violation::Code;
  switch (about) {
    case About::missing: return Code::missing_tensor;
    case About::unexpected: return Code::unexpected_tensor;
    case About::rank: return Code::rank;
    case About::dtype: return Code::dtype;
    case About::fixed: return Code::static_size;
    case About::value:
    case About::no_value:
    case About::above:
    case About::same: return Code::relation;
    case About::batch: return Code::batch;
    case About::stride:
    case About::seen_stride: return Code::stride;
    case About::range:
    case About::unseen: return Code::range;
  }
  return Code::relation;
}

std::optional<std::uint32_t> choose_variant(const FlatContract& contract, const TensorList& inputs) noexcept {
  std::optional<std::uint32_t> chosen;
  Fit best;
  for (std::uint32_t i = 0; i < contract.variants().size(); ++i) {
    const Fit fit = fit_of(contract.variants()[i], inputs);
    if (fit.exact()) return i;
    if (fit.shared == 0 || (chosen && !(best < fit))) continue;
    best = fit;
    chosen = i;
  }
  return chosen;
}

void examine(const FlatVariant& variant, const CallTensors& call, Policy policy, const Scratch& scratch,
             Findings& out) {
  Examination(variant, call, policy, scratch, out).run();
}

}  // namespace tensorspec::flat
