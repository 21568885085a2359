// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <algorithm>
#include <map>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace tensorspec {
namespace {

using Code = Violation::Code;

std::string place(const Violation& violation) {
  if (violation.tensor.empty()) return {};
  return violation.axis ? violation.tensor + " axis " + std::to_string(*violation.axis) : violation.tensor;
}

std::string dtypes_text(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType& dtype : dtypes) names.emplace_back(dtype.name());
  return join(names, " or ");
}

const TensorInfo* find_tensor(const std::vector<TensorInfo>& tensors, std::string_view name) {
  for (const TensorInfo& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

// How well the inputs fit a variant: shared tensors count, same ranks count more, and what is missing or unexpected
// counts against it.
struct Fit {
  std::size_t shared = 0, same_rank = 0, differing = 0;
  bool exact() const { return differing == 0 && same_rank == shared; }
  bool operator<(const Fit& other) const {
    if (same_rank != other.same_rank) return same_rank < other.same_rank;
    if (shared != other.shared) return shared < other.shared;
    return differing > other.differing;
  }
};

Fit fit_of(const Variant& variant, const std::vector<TensorInfo>& inputs) {
  Fit fit;
  for (const TensorContract& tensor : variant.inputs) {
    const TensorInfo* actual = find_tensor(inputs, tensor.name);
    if (!actual) continue;
    ++fit.shared;
    if (actual->shape.size() == tensor.shape.size()) ++fit.same_rank;
  }
  fit.differing = (variant.inputs.size() - fit.shared) + (inputs.size() - fit.shared);
  return fit;
}

// One call against one variant. Solves the symbols, then holds every axis against its dim.
class Check {
 public:
  Check(const Variant& variant, const Call& call, Policy policy, Verdict& verdict)
      : variant_(variant), call_(call), policy_(policy), verdict_(verdict) {}

  void run() {
    match(variant_.inputs, call_.inputs, false);
    // A request has no outputs; an answer has all of them.
    if (!call_.outputs.empty()) match(variant_.outputs, call_.outputs, true);
    solve();
    for (const Pair& pair : pairs_) check_axes(pair);
    check_weak_axes();
    check_batch_size();
    check_symbols();
  }

 private:
  struct Pair {
    const TensorContract* contract;
    const TensorInfo* actual;
    bool output;
  };
  struct Binding {
    std::int64_t value;
    std::string tensor;  // where it was read; empty: the batch size of the call
    std::size_t axis;
    bool weak;  // read through a weak claim: what follows from it warns
  };

  // doubt: why the call is let through with a warning; empty: it is not.
  void add(Violation violation, const std::string& doubt = {}) {
    const std::string where = place(violation);
    if (!where.empty()) violation.message = where + ": " + violation.message;
    if (!doubt.empty()) violation.message += "; " + doubt;
    (doubt.empty() ? verdict_.violations : verdict_.warnings).push_back(std::move(violation));
  }

  // The claim behind an axis when it is weak or has live rivals.
  const Claim* doubted(const Pair& pair, std::size_t axis) const {
    for (const Claim& claim : variant_.claims)
      if (claim.output == pair.output && claim.axis == axis && claim.tensor == pair.contract->name &&
          claim.dim == pair.contract->shape[axis])
        return &claim;
    return nullptr;
  }
  bool weak(const Pair& pair, std::size_t axis) const {
    const Claim* claim = doubted(pair, axis);
    return claim && (claim->certainty == Certainty::weak || claim->certainty == Certainty::open);
  }
  // Why a size other than the claimed one is let through; empty: it is not.
  std::string doubt(const Pair& pair, std::size_t axis) const {
    const Claim* claim = doubted(pair, axis);
    if (!claim) return {};
    for (const Dim& rival : claim->rivals)
      if (evaluate(rival) == pair.actual->shape[axis]) return "it may be " + rival.to_string();
    return weak(pair, axis) ? "the claim is weak" : "";
  }
  void add_tensor(Code code, const std::string& tensor, std::string expected, std::string actual, std::string message) {
    add({code, tensor, std::nullopt, std::move(expected), std::move(actual), false, std::move(message)});
  }
  void add_axis(Code code, const std::string& tensor, std::size_t axis, std::string expected, std::int64_t actual,
                const std::string& message, const std::string& why_doubted = {}) {
    add({code, tensor, axis, std::move(expected), std::to_string(actual), true,
         std::to_string(actual) + ", " + message},
        why_doubted);
  }

  void match(const std::vector<TensorContract>& contracts, const std::vector<TensorInfo>& tensors, bool outputs) {
    for (const TensorContract& contract : contracts) {
      const TensorInfo* actual = find_tensor(tensors, contract.name);
      if (!actual) {
        if (!contract.optional)
          add_tensor(Code::missing_tensor, contract.name, "present", "missing",
                     std::string("missing ") + (outputs ? "output" : "input"));
        continue;
      }
      if (actual->shape.size() != contract.shape.size()) {
        // An output may have been seen with several ranks; another entry may be the one that fits.
        const bool other_fits = std::any_of(contracts.begin(), contracts.end(), [&](const TensorContract& other) {
          return other.name == contract.name && other.shape.size() == actual->shape.size();
        });
        if (!other_fits && !reported_rank(contract.name))
          add_tensor(Code::rank, contract.name, "rank " + std::to_string(contract.shape.size()),
                     "rank " + std::to_string(actual->shape.size()),
                     "rank " + std::to_string(actual->shape.size()) + " " + bracketed(actual->shape) +
                         ", expected rank " + std::to_string(contract.shape.size()));
        continue;
      }
      check_dtype(contract, *actual);
      pairs_.push_back({&contract, actual, outputs});
    }
    for (const TensorInfo& tensor : tensors) {
      const bool known = std::any_of(contracts.begin(), contracts.end(),
                                     [&](const TensorContract& contract) { return contract.name == tensor.name; });
      if (!known)
        add_tensor(Code::unexpected_tensor, tensor.name, "absent", "present",
                   std::string("unexpected ") + (outputs ? "output" : "input"));
    }
  }

  bool reported_rank(const std::string& tensor) const {
    return std::any_of(verdict_.violations.begin(), verdict_.violations.end(), [&](const Violation& violation) {
      return violation.code == Code::rank && violation.tensor == tensor;
    });
  }

  void check_dtype(const TensorContract& contract, const TensorInfo& actual) {
    if (contract.dtypes.empty() || !actual.dtype.is_known()) return;
    if (std::find(contract.dtypes.begin(), contract.dtypes.end(), actual.dtype) != contract.dtypes.end()) return;
    const std::string wanted = dtypes_text(contract.dtypes);
    add_tensor(Code::dtype, contract.name, wanted, std::string(actual.dtype.name()),
               std::string(actual.dtype.name()) + ", expected " + wanted);
  }

  // Axes that are one bare symbol bind it; where they disagree the majority does, so that the odd one out is named.
  // Then expressions that are affine in one unknown symbol.
  void solve() {
    std::map<std::string, std::map<std::int64_t, std::size_t>> votes;
    const auto vote = [&](const Dim& dim, std::int64_t value) {
      if (const std::string* name = dim.as_symbol()) ++votes[*name][value];
    };
    for (const Pair& pair : pairs_)
      for (std::size_t axis = 0; axis < pair.contract->shape.size(); ++axis)
        vote(pair.contract->shape[axis], pair.actual->shape[axis]);
    if (variant_.batch_size && call_.batch_size) vote(*variant_.batch_size, *call_.batch_size);
    const auto bind = [&](const Dim& dim, std::int64_t value, const std::string& tensor, std::size_t axis) {
      const std::string* name = dim.as_symbol();
      if (!name || bindings_.contains(*name)) return;
      for (const auto& [other, count] : votes[*name])
        if (count > votes[*name][value]) return;
      bindings_.emplace(*name, Binding{value, tensor, axis, false});
    };
    for (const Pair& pair : pairs_)
      for (std::size_t axis = 0; axis < pair.contract->shape.size(); ++axis)
        bind(pair.contract->shape[axis], pair.actual->shape[axis], pair.contract->name, axis);
    if (variant_.batch_size && call_.batch_size) bind(*variant_.batch_size, *call_.batch_size, "", 0);
    // What only a weak claim can tell comes last.
    for (const bool weakly : {false, true})
      for (bool progress = true; progress;) {
        progress = false;
        for (const Pair& pair : pairs_)
          for (std::size_t axis = 0; axis < pair.contract->shape.size(); ++axis)
            if (weak(pair, axis) == weakly) progress = solve_affine(pair, axis, weakly) || progress;
      }
  }

  std::optional<std::int64_t> value_of(std::string_view name) const {
    const auto found = bindings_.find(std::string(name));
    return found == bindings_.end() ? std::nullopt : std::optional(found->second.value);
  }
  std::optional<std::int64_t> evaluate(const Dim& dim) const {
    return dim.evaluate([&](std::string_view name) { return value_of(name); });
  }

  // k*s + (known) = size gives s when it is whole; otherwise the axis is left to be reported.
  bool solve_affine(const Pair& pair, std::size_t axis, bool weakly) {
    const Dim& dim = pair.contract->shape[axis];
    const std::string* unknown = nullptr;
    std::int64_t coefficient = 0;
    std::optional<std::int64_t> rest = 0;
    for (const Dim::Term& term : dim.terms()) {
      bool open = false;
      for (const Dim::Factor& factor : term.factors)
        for (const std::string& name :
             factor.argument ? factor.argument->symbols() : std::vector<std::string>{factor.name})
          open = open || !bindings_.contains(name);
      if (open) {
        if (unknown || term.factors.size() != 1 || term.factors[0].argument) return false;
        unknown = &term.factors[0].name;
        coefficient = term.coefficient;
        continue;
      }
      std::optional<std::int64_t> value = term.coefficient;
      for (const Dim::Factor& factor : term.factors) {
        const auto known = Dim::evaluate(factor, [&](std::string_view name) { return value_of(name); });
        value = value && known ? checked_mul(*value, *known) : std::nullopt;
      }
      rest = rest && value ? checked_add(*rest, *value) : std::nullopt;
    }
    if (!unknown || !rest) return false;
    const auto scaled = checked_mul(pair.actual->shape[axis], dim.denominator());
    const auto left = scaled ? checked_sub(*scaled, *rest) : std::nullopt;
    if (!left || *left % coefficient != 0 || *left / coefficient < 0) return false;
    bindings_.emplace(*unknown, Binding{*left / coefficient, pair.contract->name, axis, weakly});
    return true;
  }

  // "(past = 8 from cache[0].key axis 2, seq = 4 from ids axis 1)", without the axis that is being told about.
  std::string because(const Dim& dim) const {
    std::vector<std::string> parts;
    for (const std::string& name : dim.symbols()) {
      const auto found = bindings_.find(name);
      if (found == bindings_.end()) continue;
      const Binding& b = found->second;
      parts.push_back(
          name + " = " + std::to_string(b.value) +
          (b.tensor.empty() ? " given with the call" : " from " + b.tensor + " axis " + std::to_string(b.axis)));
    }
    return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
  }

  void check_axes(const Pair& pair) {
    for (std::size_t axis = 0; axis < pair.contract->shape.size(); ++axis) {
      const Dim& dim = pair.contract->shape[axis];
      const std::int64_t actual = pair.actual->shape[axis];
      const std::string& tensor = pair.contract->name;
      if (const auto fixed = dim.as_integer()) {
        if (actual != *fixed)
          add_axis(Code::static_size, tensor, axis, std::to_string(*fixed), actual,
                   "expected " + std::to_string(*fixed));
        continue;
      }
      const std::string text = dim.to_string();
      if (const auto wanted = evaluate(dim)) {
        if (actual != *wanted)
          add_axis(Code::relation, tensor, axis, text + " = " + std::to_string(*wanted), actual,
                   "expected " + std::to_string(*wanted) + " = " + text + because(dim), doubt(pair, axis));
      } else if (cannot_hold(dim)) {
        add_axis(Code::relation, tensor, axis, text, actual, "no whole size makes it " + text + because(dim),
                 doubt(pair, axis));
      }
    }
  }

  // A weak claim may be wrong about the size, but axes that share it were always equal: that holds.
  void check_weak_axes() {
    struct Axis {
      const Pair* pair;
      std::size_t axis;
    };
    std::vector<std::pair<const Dim*, std::vector<Axis>>> groups;
    for (const Pair& pair : pairs_)
      for (std::size_t axis = 0; axis < pair.contract->shape.size(); ++axis) {
        if (!weak(pair, axis)) continue;
        const Dim& dim = pair.contract->shape[axis];
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return *known.first == dim; });
        if (group == groups.end()) group = groups.insert(group, {&dim, {}});
        group->second.push_back({&pair, axis});
      }
    const auto size_of = [](const Axis& at) { return at.pair->actual->shape[at.axis]; };
    for (const auto& [dim, axes] : groups) {
      std::map<std::int64_t, std::size_t> votes;
      for (const Axis& at : axes) ++votes[size_of(at)];
      const Axis* leader = &axes[0];
      for (const Axis& at : axes)
        if (votes[size_of(at)] > votes[size_of(*leader)]) leader = &at;
      for (const Axis& at : axes)
        if (size_of(at) != size_of(*leader))
          add_axis(Code::relation, at.pair->contract->name, at.axis, std::to_string(size_of(*leader)), size_of(at),
                   "expected " + std::to_string(size_of(*leader)) + ", as " + leader->pair->contract->name + " axis " +
                       std::to_string(leader->axis));
    }
  }

  // Not evaluated although at most one symbol is open: then no whole, non-negative value of that symbol gives the size.
  bool cannot_hold(const Dim& dim) const {
    std::size_t open = 0;
    bool nested = false;
    for (const std::string& name : dim.symbols()) open += bindings_.contains(name) ? 0 : 1;
    for (const Dim::Term& term : dim.terms())
      for (const Dim::Factor& factor : term.factors) nested = nested || factor.argument || term.factors.size() > 1;
    return open == 0 || (open == 1 && !nested);
  }

  void check_batch_size() {
    if (!variant_.batch_size || !call_.batch_size) return;
    const auto wanted = evaluate(*variant_.batch_size);
    if (!wanted || *wanted == *call_.batch_size) return;
    const std::string text = variant_.batch_size->to_string();
    add({Code::batch, "", std::nullopt, text + " = " + std::to_string(*wanted), std::to_string(*call_.batch_size), true,
         "batch size " + std::to_string(*call_.batch_size) + ", expected " + std::to_string(*wanted) + " = " + text +
             because(*variant_.batch_size)});
  }

  void check_symbols() {
    for (const Symbol& symbol : variant_.symbols) {
      const auto found = bindings_.find(symbol.name);
      if (found == bindings_.end()) continue;
      const Binding& b = found->second;
      const auto axis = b.tensor.empty() ? std::nullopt : std::optional(b.axis);
      const auto report = [&](Code code, const std::string& expected, const std::string& message,
                              const std::string& why_doubted) {
        add({code, b.tensor, axis, expected, std::to_string(b.value), true, std::to_string(b.value) + ", " + message},
            b.weak ? "it is read through a weak claim" : why_doubted);
      };
      if (b.value % symbol.multiple_of != symbol.residue)
        report_stride(symbol.name, symbol.multiple_of, symbol.residue, b.value, report, "");
      if (b.value % symbol.seen_multiple_of != symbol.seen_residue)
        report_stride(symbol.name, symbol.seen_multiple_of, symbol.seen_residue, b.value, report,
                      "all sizes seen were, but that is not claimed");
      if (policy_ == Policy::relations) continue;
      const bool low = symbol.min && b.value < *symbol.min, high = symbol.max && b.value > *symbol.max;
      if (!low && !high) continue;
      const std::string range = range_text(symbol);
      report(Code::range, symbol.name + " in " + range, "outside " + range + " (" + symbol.name + ")", "");
    }
  }

  template <class Report>
  void report_stride(const std::string& name, std::int64_t step, std::int64_t residue, std::int64_t value,
                     Report report, const std::string& why_doubted) {
    const std::int64_t below = floor_div(value - residue, step) * step + residue;
    const auto above = checked_add(below, step);
    std::string rule = "multiple of " + std::to_string(step);
    if (residue != 0) rule += " plus " + std::to_string(residue);
    std::string nearest = below >= 0 ? std::to_string(below) : "";
    if (above) nearest += (nearest.empty() ? "" : " or ") + std::to_string(*above);
    report(Code::stride, name + " a " + rule, "not a " + rule + " (" + name + "); " + nearest + " would fit",
           why_doubted);
  }

  static std::string range_text(const Symbol& symbol) {
    return (symbol.min ? std::to_string(*symbol.min) : "") + ".." + (symbol.max ? std::to_string(*symbol.max) : "");
  }

  const Variant& variant_;
  const Call& call_;
  Policy policy_;
  Verdict& verdict_;
  std::vector<Pair> pairs_;
  std::map<std::string, Binding> bindings_;
};

}  // namespace

std::string_view to_string(Violation::Code code) noexcept {
  switch (code) {
    case Code::missing_tensor: return "missing_tensor";
    case Code::unexpected_tensor: return "unexpected_tensor";
    case Code::rank: return "rank";
    case Code::dtype: return "dtype";
    case Code::static_size: return "static";
    case Code::relation: return "relation";
    case Code::range: return "range";
    case Code::stride: return "stride";
    case Code::unknown_variant: return "unknown_variant";
    case Code::batch: return "batch";
  }
  return "";
}

Checker::Checker(const Contract& contract) : variants_(contract.variants()) {
  for (Variant& variant : variants_) {
    // Of the claims only those that may be wrong change a verdict: the shapes say the rest.
    std::erase_if(variant.claims, [](const Claim& claim) {
      const bool sure = claim.certainty == Certainty::believed || claim.certainty == Certainty::declared;
      return sure && claim.rivals.empty();
    });
    variant.questions.clear();
  }
}

Verdict Checker::check(const Call& call, Policy policy) const {
  Verdict verdict;
  Fit best;
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    const Fit fit = fit_of(variants_[i], call.inputs);
    if (fit.shared == 0 && !fit.exact()) continue;
    if (fit.exact() || !verdict.variant || best < fit) {
      best = fit;
      verdict.variant = i;
    }
    if (fit.exact()) break;
  }
  if (verdict.variant) {
    Check(variants_[*verdict.variant], call, policy, verdict).run();
  } else {
    std::vector<std::string> names;
    for (const TensorInfo& tensor : call.inputs) names.push_back(tensor.name);
    verdict.violations.push_back({Code::unknown_variant, "", std::nullopt, "the inputs of a variant", join(names, ", "),
                                  false, "no variant has any of the inputs (" + join(names, ", ") + ")"});
  }
  verdict.ok = verdict.violations.empty();
  return verdict;
}

}  // namespace tensorspec
