// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/explain.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "base/try.hpp"
#include "explain/joined.hpp"

namespace tensorspec {
namespace {

using AxisKey = std::tuple<bool, std::string, std::size_t>;  // output?, tensor, axis

// Names of symbols over all variants: the same axis has the same name wherever it varies.
class Names {
 public:
  explicit Names(const Declarations& declarations) : declarations_(declarations) {}

  std::string name_of(const std::vector<AxisKey>& axes, const std::set<std::string>& taken) {
    for (const AxisKey& axis : axes) {
      if (const auto known = by_axis_.find(axis); known != by_axis_.end() && !taken.contains(known->second))
        return remember(axes, known->second);
      const auto kept = declarations_.axis_names.find(axis_name(std::get<1>(axis), std::get<2>(axis)));
      if (kept != declarations_.axis_names.end() && !taken.contains(kept->second)) return remember(axes, kept->second);
    }
    return remember(axes, "s" + std::to_string(next_++));
  }
  std::string shown(const std::string& learned) const {
    const auto wanted = declarations_.names.find(learned);
    return wanted == declarations_.names.end() ? learned : wanted->second;
  }

 private:
  std::string remember(const std::vector<AxisKey>& axes, const std::string& name) {
    for (const AxisKey& axis : axes) by_axis_.emplace(axis, name);
    return name;
  }

  const Declarations& declarations_;
  std::map<AxisKey, std::string> by_axis_;
  std::size_t next_ = 0;
};

// One variant on its way from joined evidence to a Variant.
class VariantExplainer {
 public:
  VariantExplainer(const JoinedVariant& joined, Names& names, const Declarations& declarations)
      : joined_(joined), names_(names), declarations_(declarations) {}

  Variant run() {
    classify();
    choose_batch();
    multiples_of_batch();
    name_symbols();
    write_tensors();
    ask();
    return std::move(variant_);
  }

 private:
  // Columns that were equal in every call and varied.
  struct Class {
    std::vector<std::size_t> columns;
    std::string symbol;                 // its name once chosen
    std::optional<std::int64_t> times;  // this many times the batch
  };

  void classify() {
    class_of_.assign(joined_.columns(), kNone);
    for (std::size_t column = 0; column < joined_.columns(); ++column) {
      if (joined_.constant(column)) continue;
      const auto same = std::find_if(classes_.begin(), classes_.end(), [&](const Class& c) {
        return std::all_of(
                   c.columns.begin(), c.columns.end(),
                   [&](std::size_t other) { return joined_.equal(other, column) || !comparable(other, column); }) &&
               std::any_of(c.columns.begin(), c.columns.end(),
                           [&](std::size_t other) { return joined_.equal(other, column); });
      });
      class_of_[column] = static_cast<std::size_t>(same - classes_.begin());
      if (same == classes_.end()) classes_.push_back({});
      classes_[class_of_[column]].columns.push_back(column);
    }
  }
  bool comparable(std::size_t a, std::size_t b) const { return joined_.witness(a, b).has_value(); }

  void choose_batch() {
    if (declarations_.batch) {
      for (const JoinedVariant::Tensor& tensor : joined_.tensors())
        if (tensor.slot.name == declarations_.batch->tensor && declarations_.batch->axis < tensor.slot.rank) {
          batch_ = class_of_[tensor.first_column + declarations_.batch->axis];
          source_ = Symbol::Source::declared;
          return;
        }
    }
    if (const auto given = joined_.batch_column()) {
      batch_ = class_of_[*given];
      source_ = Symbol::Source::given;
      return;
    }
    infer_batch();
  }

  // Not told: the size on axis 0 of most varying inputs, the first of those with equally many.
  void infer_batch() {
    std::map<std::size_t, std::size_t> votes;
    for (const JoinedVariant::Tensor& tensor : joined_.tensors())
      if (!tensor.output && tensor.slot.rank > 0 && class_of_[tensor.first_column] != kNone)
        ++votes[class_of_[tensor.first_column]];
    for (const auto& [candidate, count] : votes)
      if (batch_ == kNone || count > votes[batch_]) batch_ = candidate;
    source_ = Symbol::Source::inferred;
  }

  // A whole multiple of the batch size counts only where the batch size was told: an axis that merely happens to grow
  // with another is no batch.
  void multiples_of_batch() {
    if (batch_ == kNone || source_ == Symbol::Source::inferred) return;
    const std::size_t batch = classes_[batch_].columns.back();
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const std::size_t column = classes_[i].columns.front();
      const auto seen = joined_.witness(column, batch);
      if (i == batch_ || !seen || seen->second == 0 || seen->first % seen->second != 0) continue;
      const std::int64_t k = seen->first / seen->second;
      const JoinedVariant::Term terms[] = {{column, 1}, {batch, -k}};
      if (k > 1 && joined_.holds(terms, 0) && joined_.distinct_beside(batch, column) >= 2) classes_[i].times = k;
    }
  }

  std::vector<AxisKey> axes_of(const Class& c) const {
    std::vector<AxisKey> axes;
    for (const JoinedVariant::Tensor& tensor : joined_.tensors())
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
        if (std::find(c.columns.begin(), c.columns.end(), tensor.first_column + axis) != c.columns.end())
          axes.emplace_back(tensor.output, tensor.slot.name, axis);
    return axes;
  }

  void name_symbols() {
    std::set<std::string> taken;
    if (batch_ != kNone) {
      classes_[batch_].symbol = "batch";
      taken.insert("batch");
      add_symbol(classes_[batch_], source_);
    }
    for (Class& c : classes_) {
      if (!c.symbol.empty() || c.times) continue;
      c.symbol = names_.name_of(axes_of(c), taken);
      taken.insert(c.symbol);
      add_symbol(c, Symbol::Source::observed);
    }
  }

  void add_symbol(const Class& c, Symbol::Source source) {
    const std::size_t column = c.columns.front();
    Symbol symbol;
    symbol.name = names_.shown(c.symbol);
    symbol.source = source;
    symbol.min = joined_.minimum(column);
    symbol.max = joined_.maximum(column);
    for (const std::size_t other : c.columns) {
      symbol.min = std::min(*symbol.min, joined_.minimum(other));
      symbol.max = std::max(*symbol.max, joined_.maximum(other));
    }
    const auto sizes = joined_.sizes(column);
    symbol.seen = sizes.size();
    std::uint64_t most = 0;
    for (const auto& [size, count] : sizes)
      if (count > most) {
        most = count;
        symbol.typical = size;
      }
    if (const auto axes = axes_of(c); !axes.empty()) symbol.at = axis_name(std::get<1>(axes[0]), std::get<2>(axes[0]));
    variant_.symbols.push_back(std::move(symbol));
  }

  Dim dim_of(std::size_t column) const {
    if (class_of_[column] == kNone) return Dim(*joined_.constant(column));
    const Class& c = classes_[class_of_[column]];
    if (!c.times) return Dim::symbol(names_.shown(c.symbol));
    return Dim::multiply(Dim(*c.times), Dim::symbol(names_.shown("batch"))).value();
  }

  void write_tensors() {
    for (const JoinedVariant::Tensor& tensor : joined_.tensors()) {
      TensorContract out{tensor.slot.name, {tensor.dtypes.begin(), tensor.dtypes.end()}, {}, tensor.optional, {}};
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis) {
        const std::size_t column = tensor.first_column + axis;
        out.shape.push_back(dim_of(column));
        if (class_of_[column] != kNone && classes_[class_of_[column]].times) add_claim(tensor, axis, column);
      }
      (tensor.output ? variant_.outputs : variant_.inputs).push_back(std::move(out));
    }
    if (const auto given = joined_.batch_column(); given && class_of_[*given] != kNone)
      variant_.batch_size = dim_of(*given);
    variant_.calls = joined_.calls();
    variant_.distinct = joined_.distinct();
  }

  void add_claim(const JoinedVariant::Tensor& tensor, std::size_t axis, std::size_t column) {
    Claim claim;
    claim.output = tensor.output;
    claim.tensor = tensor.slot.name;
    claim.axis = axis;
    claim.dim = dim_of(column);
    claim.witnesses = joined_.distinct_beside(classes_[batch_].columns.back(), column);
    // Two batch sizes are what the reference page asks for; a third one makes a coincidence unlikely.
    claim.certainty = claim.witnesses >= 3 ? Certainty::believed : Certainty::weak;
    if (claim.certainty == Certainty::weak)
      variant_.questions.push_back(
          {axis_name(claim.tensor, axis) + " was " + claim.dim.to_string() + " at two batch sizes only",
           "record a call with a third batch size",
           {axis_name(claim.tensor, axis)},
           {}});
    variant_.claims.push_back(std::move(claim));
  }

  void ask() {
    if (joined_.distinct() == 1) {
      variant_.questions.push_back(
          {"calls of one size say nothing about what varies", "record calls of other sizes", {}, {}});
      return;
    }
    const auto given = joined_.batch_column();
    if (given && class_of_[*given] == kNone)
      variant_.questions.push_back({"only batch size " + std::to_string(*joined_.constant(*given)) + " was seen",
                                    "record a call with another batch size",
                                    {"batch"},
                                    {}});
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const JoinedVariant& joined_;
  Names& names_;
  const Declarations& declarations_;
  std::vector<Class> classes_;
  std::vector<std::size_t> class_of_;
  std::size_t batch_ = kNone;
  Symbol::Source source_ = Symbol::Source::observed;
  Variant variant_;
};

Status apply_ranges(const Declarations& declarations, std::vector<Variant>& variants) {
  for (const auto& [name, range] : declarations.ranges) {
    bool found = false;
    for (Variant& variant : variants)
      for (Symbol& symbol : variant.symbols) {
        if (symbol.name != name) continue;
        found = true;
        const auto outside = [&](const std::optional<std::int64_t>& seen) {
          return (range.min && *seen < *range.min) || (range.max && *seen > *range.max);
        };
        if (outside(symbol.min) || outside(symbol.max))
          variant.questions.push_back({"the declared range of " + name + " leaves out sizes that were seen (" +
                                           std::to_string(*symbol.min) + ".." + std::to_string(*symbol.max) + ")",
                                       "widen the range, or leave out the calls",
                                       {name},
                                       {}});
        if (range.min) symbol.min = range.min;
        if (range.max) symbol.max = range.max;
        symbol.declared = true;
      }
    if (!found && !range.kept) return Error{ErrorCode::invalid_argument, name, "no symbol has that name"};
  }
  return {};
}

Status check_declarations(const Declarations& declarations, const Evidence& evidence) {
  for (const auto& [learned, wanted] : declarations.names) {
    const auto name = Dim::parse(wanted);
    if (!name.ok() || !name->as_symbol()) return Error{ErrorCode::invalid_argument, wanted, "not a name for a symbol"};
  }
  if (!declarations.batch) return {};
  for (const auto& [signature, state] : evidence.states())
    for (const auto* group : {&signature.inputs, &signature.outputs})
      for (const TensorSlot& slot : *group)
        if (slot.name == declarations.batch->tensor && declarations.batch->axis < slot.rank) return {};
  if (declarations.batch->kept) return {};
  return Error{ErrorCode::invalid_argument, axis_name(declarations.batch->tensor, declarations.batch->axis),
               "no call has that axis"};
}

// batch, s0, s1: names that explain gives itself.
bool is_learned_name(const std::string& name) {
  return name == "batch" ||
         (name.size() > 1 && name[0] == 's' && name.find_first_not_of("0123456789", 1) == std::string::npos);
}

std::optional<Declarations::Axis> parse_axis_name(const std::string& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string::npos || text.back() != ']') return std::nullopt;
  const auto axis = parse_int64(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (!axis || *axis < 0) return std::nullopt;
  return Declarations::Axis{text.substr(0, open), static_cast<std::size_t>(*axis), true};
}

}  // namespace

Declarations declarations_of(const Contract& contract) {
  Declarations out;
  for (const Variant& variant : contract.variants()) {
    for (const Symbol& symbol : variant.symbols)
      if (symbol.source == Symbol::Source::declared && !out.batch) out.batch = parse_axis_name(symbol.at);
    for (const Symbol& symbol : variant.symbols)
      if (symbol.declared) out.ranges.try_emplace(symbol.name, Declarations::Range{symbol.min, symbol.max, true});
    for (const auto* group : {&variant.inputs, &variant.outputs})
      for (const TensorContract& tensor : *group)
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
          const std::string* name = tensor.shape[axis].as_symbol();
          if (name && !is_learned_name(*name)) out.axis_names.try_emplace(axis_name(tensor.name, axis), *name);
        }
  }
  return out;
}

Result<Contract> explain(const Evidence& evidence, const Declarations& declarations) {
  if (evidence.states().empty()) return Error{ErrorCode::nothing_found, "", "no call that the model accepted"};
  TRY_VOID(check_declarations(declarations, evidence));
  std::map<std::vector<TensorSlot>, std::vector<std::pair<const Signature*, const State*>>> variants;
  for (const auto& [signature, state] : evidence.states()) variants[signature.inputs].emplace_back(&signature, &state);
  Contract::Data data;
  Names names(declarations);
  for (const auto& [inputs, states] : variants) {
    const JoinedVariant joined(states);
    data.variants.push_back(VariantExplainer(joined, names, declarations).run());
  }
  for (const auto& [learned, wanted] : declarations.names) {
    bool used = false;
    for (const Variant& variant : data.variants) used = used || variant.symbol(wanted);
    if (!used) return Error{ErrorCode::invalid_argument, learned, "no symbol has that name"};
  }
  TRY_VOID(apply_ranges(declarations, data.variants));
  data.evidence = evidence;
  return Contract::make(std::move(data));
}

}  // namespace tensorspec
