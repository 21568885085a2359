// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/explain.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"
#include "explain/batch.hpp"
#include "explain/bounds.hpp"
#include "explain/declarations.hpp"
#include "explain/declared_dims.hpp"
#include "explain/names.hpp"
#include "explain/questions.hpp"
#include "explain/strides.hpp"
#include "explain/symbols.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kNone = ClassTable::kNone;
constexpr std::size_t kSizesTold = 3;

// How people and exporters call a batch.
bool is_batch_name(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name == "n" || name == "b" || name == "bs" || name.find("batch") != std::string::npos;
}

// Models repeat what they do for each sample of a batch; they do not pool over it.
bool divides(const Form& form, std::size_t symbol) {
  for (const Monomial& term : form.terms)
    for (const Atom& atom : term.atoms)
      if (atom.symbol == symbol && (atom.divisor != 1 || form.divisor != 1)) return true;
  return false;
}

// One variant on its way from joined evidence to a Variant.
class VariantExplainer {
 public:
  VariantExplainer(const JoinedVariant& joined, Names& names, const Declarations& declarations)
      : joined_(joined),
        names_(names),
        declarations_(declarations),
        table_(joined),
        declared_(joined, table_, declarations),
        strides_(judge_strides(joined, table_)) {}

  Variant run() {
    told_batch();
    choice_ = choose_symbols(joined_, table_, strides_, batch_, fixed_symbols(), declared_.apart());
    for (const auto& [symbol, sizes] : choice_.implied) table_.add_sizes(symbol, sizes);
    if (!choice_.implied.empty()) strides_ = judge_strides(joined_, table_);
    if (source_ == Symbol::Source::inferred && !declarations_.no_batch) infer_batch_of_choice();
    name_symbols();
    write_dims();
    write_tensors();
    ask(questions_of_variant(joined_, table_, batch_ != kNone || declarations_.no_batch));
    if (source_ == Symbol::Source::inferred && batch_ != kNone)
      ask(questions_of_inferred_batch(joined_, table_, batch_));
    write_claims();
    add_bounds();
    ask_about_symbols();
    return std::move(variant_);
  }

 private:
  void ask(std::vector<Question> questions) {
    for (Question& question : questions) variant_.questions.push_back(std::move(question));
  }

  void add_bounds() {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (table_[i].input && i != batch_ && is_symbol(i)) inputs.push_back(i);
    variant_.bounds = find_bounds(table_, inputs, class_names_);
  }

  void ask_about_symbols() {
    for (const Symbol& symbol : variant_.symbols) ask(questions_of_stride(symbol));
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (!table_[i].input && is_symbol(i) && !in_inputs(class_names_[i]))
        ask(questions_of_output(*variant_.symbol(class_names_[i])));
  }

  // A declared dim of an input may have a symbol that only outputs show.
  bool in_inputs(const std::string& name) const {
    for (const TensorContract& tensor : variant_.inputs)
      for (const Dim& dim : tensor.shape) {
        const auto names = dim.symbols();
        if (std::binary_search(names.begin(), names.end(), name)) return true;
      }
    return false;
  }

  // The batch as declared or given; otherwise it is inferred once the symbols are known.
  void told_batch() {
    if (declarations_.batch) {
      for (const JoinedVariant::Tensor& tensor : joined_.tensors())
        if (tensor.slot.name == declarations_.batch->tensor && declarations_.batch->axis < tensor.slot.rank) {
          batch_ = table_.class_of(tensor.first_column + declarations_.batch->axis);
          source_ = Symbol::Source::declared;
          return;
        }
    }
    if (const auto given = joined_.batch_column()) {
      batch_ = table_.class_of(*given);
      source_ = Symbol::Source::given;
    }
  }

  // What an earlier contract or a model file calls otherwise is no batch.
  void infer_batch_of_choice() {
    const std::size_t found = infer_batch(joined_, table_, choice_.symbols);
    if (found == kNone) return;
    for (const auto& [target, explanation] : choice_.explained)
      if (divides(explanation.form, found)) return;
    bool named = false, batch = false;
    for (const AxisKey& axis : axes_of(found)) {
      const auto kept = declarations_.axis_names.find(axis_name(std::get<1>(axis), std::get<2>(axis)));
      if (kept == declarations_.axis_names.end()) continue;
      named = true;
      batch = batch || is_batch_name(kept->second);
    }
    if (!named || batch) batch_ = found;
  }

  bool is_symbol(std::size_t index) const {
    return index != kNone && !choice_.explained.contains(index) && !declared_.apart().contains(index);
  }

  // Symbols whatever explains them.
  std::set<std::size_t> fixed_symbols() const {
    std::set<std::size_t> out = declared_.symbols();
    if (is_symbol(batch_)) out.insert(batch_);
    return out;
  }

  std::vector<AxisKey> axes_of(std::size_t index) const {
    std::vector<AxisKey> axes;
    for (const JoinedVariant::Tensor& tensor : joined_.tensors())
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
        if (table_.class_of(tensor.first_column + axis) == index)
          axes.emplace_back(tensor.output, tensor.slot.name, axis);
    return axes;
  }

  // batch first, then in display order.
  void name_symbols() {
    std::set<std::string> taken;
    class_names_.resize(table_.size());
    std::vector<std::size_t> order;
    if (is_symbol(batch_)) order.push_back(batch_);
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (i != batch_ && is_symbol(i)) order.push_back(i);
    for (const std::size_t index : order) {
      const std::string learned = index == batch_ ? name_of_batch() : names_.name_of(axes_of(index), taken);
      taken.insert(learned);
      class_names_[index] = names_.shown(learned);
      add_symbol(index);
    }
    name_fixed();
  }

  std::string name_of_batch() const {
    for (const auto& [column, dim] : declared_.by_column())
      if (const std::string* name = dim.as_symbol(); name && table_.class_of(column) == batch_) return *name;
    return "batch";
  }

  // A name declared for an axis that never varied is a symbol all the same.
  void name_fixed() {
    for (const JoinedVariant::Tensor& tensor : joined_.tensors())
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis) {
        const std::size_t column = tensor.first_column + axis;
        const Dim* declared = declared_.of(column);
        const std::string* name = declared && table_.class_of(column) == kNone ? declared->as_symbol() : nullptr;
        if (!name || variant_.symbol(*name)) continue;
        Symbol symbol;
        symbol.name = *name;
        symbol.min = symbol.max = symbol.typical = fixed_names_[*name] = *joined_.constant(column);
        symbol.seen = 1;
        symbol.source = Symbol::Source::observed;
        symbol.at = axis_name(tensor.slot.name, axis);
        variant_.symbols.push_back(std::move(symbol));
      }
  }

  void add_symbol(std::size_t index) {
    const ColumnClass& entry = table_[index];
    Symbol symbol;
    symbol.name = class_names_[index];
    symbol.source = index == batch_ ? source_ : Symbol::Source::observed;
    symbol.min = entry.minimum;
    symbol.max = entry.maximum;
    symbol.seen = entry.sizes.size();
    std::uint64_t most = 0;
    for (const auto& [size, count] : entry.sizes)
      if (count > most) {
        most = count;
        symbol.typical = size;
      }
    const StrideBelief belief = strides_[index];
    if (belief == StrideBelief::claimed) {
      symbol.multiple_of = entry.stride;
      symbol.residue = entry.residue;
    } else if (belief == StrideBelief::seen) {
      symbol.seen_multiple_of = entry.stride;
      symbol.seen_residue = entry.residue;
    }
    if (const auto step = declarations_.steps.find(symbol.name); step != declarations_.steps.end())
      declare_step(step->second, entry, symbol);
    if (const auto axes = axes_of(index); !axes.empty())
      symbol.at = axis_name(std::get<1>(axes[0]), std::get<2>(axes[0]));
    variant_.symbols.push_back(std::move(symbol));
  }

  void declare_step(const Declarations::Step& step, const ColumnClass& entry, Symbol& symbol) {
    symbol.multiple_of = step.multiple_of;
    symbol.residue = step.residue;
    symbol.seen_multiple_of = 1;
    symbol.seen_residue = 0;
    symbol.declared = true;
    std::vector<std::string> outside;
    for (const auto& [size, count] : entry.sizes)
      if (size % step.multiple_of != step.residue) outside.push_back(std::to_string(size));
    if (outside.empty()) return;
    variant_.questions.push_back({"the declared step of " + symbol.name + " leaves out sizes that were seen (" +
                                      join_some(std::move(outside), kSizesTold) + ")",
                                  "change the step, or leave out the calls",
                                  {symbol.name},
                                  {}});
  }

  // A form that Dim cannot hold (nothing that is fitted is) would leave the axis as a symbol of its own.
  void write_dims() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (const auto apart = declared_.apart().find(i); apart != declared_.apart().end()) {
        dims_.push_back(apart->second);
        continue;
      }
      const auto found = choice_.explained.find(i);
      const auto dim = found == choice_.explained.end() ? std::nullopt : found->second.form.to_dim(class_names_);
      dims_.push_back(dim ? *dim : Dim::symbol(class_names_[i]));
    }
  }

  Dim dim_of(std::size_t column) const {
    if (const Dim* declared = declared_.of(column)) return *declared;
    const std::size_t index = table_.class_of(column);
    return index == kNone ? Dim(*joined_.constant(column)) : dims_[index];
  }

  void write_tensors() {
    for (const JoinedVariant::Tensor& tensor : joined_.tensors()) {
      TensorContract out{tensor.slot.name, {tensor.dtypes.begin(), tensor.dtypes.end()}, {}, tensor.optional, {}};
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
        out.shape.push_back(dim_of(tensor.first_column + axis));
      (tensor.output ? variant_.outputs : variant_.inputs).push_back(std::move(out));
    }
    if (const auto given = joined_.batch_column(); given && table_.class_of(*given) != kNone)
      variant_.batch_size = dim_of(*given);
    variant_.calls = joined_.calls();
    variant_.distinct = joined_.distinct();
  }

  // A claim for each axis that has an expression, in display order; what is open about them is asked once a class.
  void write_claims() {
    std::set<std::size_t> asked;
    auto agreement = held_against_calls(joined_, table_, declared_, class_names_, fixed_names_);
    for (const JoinedVariant::Tensor& tensor : joined_.tensors())
      for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis) {
        const std::size_t column = tensor.first_column + axis, index = table_.class_of(column);
        if (const Dim* declared = declared_.of(column)) {
          variant_.claims.push_back(
              declared_claim(*declared, agreement[column], tensor.output, tensor.slot.name, axis));
          continue;
        }
        const auto found = choice_.explained.find(index);
        if (found == choice_.explained.end()) continue;
        Claim claim = claim_of(index, found->second);
        claim.output = tensor.output;
        claim.tensor = tensor.slot.name;
        claim.axis = axis;
        if (asked.insert(index).second) {
          std::vector<std::string> axes;
          for (const auto& [output, name, at] : axes_of(index)) axes.push_back(axis_name(name, at));
          ask(questions_of_claim(table_, found->second, claim, axes, class_names_));
        }
        variant_.claims.push_back(std::move(claim));
      }
  }

  Claim claim_of(std::size_t index, const Explanation& explanation) const {
    Claim claim;
    claim.dim = dims_[index];
    claim.certainty = explanation.weak ? Certainty::weak : Certainty::believed;
    claim.witnesses = explanation.witnesses;
    if (explanation.margin >= 0) claim.margin_bits = explanation.margin / costs::kBit;
    for (const Form& form : explanation.rivals) {
      const auto dim = form.to_dim(class_names_);
      if (dim && *dim != claim.dim && std::find(claim.rivals.begin(), claim.rivals.end(), *dim) == claim.rivals.end())
        claim.rivals.push_back(*dim);
    }
    return claim;
  }

  // With the calls that agree as witnesses; those that do not are asked about.
  Claim declared_claim(const Dim& dim, const Agreement& calls, bool output, const std::string& tensor,
                       std::size_t axis) {
    if (calls.against > 0)
      variant_.questions.push_back({axis_name(tensor, axis) + " is declared as " + dim.to_string() + "; " +
                                        counted(calls.against, "different call") + " of " +
                                        std::to_string(calls.against + calls.witnesses) + " had another size (" +
                                        calls.example + ")",
                                    "change the declaration, or leave out the calls",
                                    {axis_name(tensor, axis)},
                                    {}});
    return {output, tensor, axis, dim, Certainty::declared, calls.witnesses, std::nullopt, {}, {}};
  }

  const JoinedVariant& joined_;
  Names& names_;
  const Declarations& declarations_;
  ClassTable table_;
  DeclaredDims declared_;
  std::vector<StrideBelief> strides_;  // by class
  SymbolChoice choice_;
  std::size_t batch_ = kNone;
  Symbol::Source source_ = Symbol::Source::inferred;
  std::vector<std::string> class_names_;                          // of symbols, by class
  std::vector<Dim> dims_;                                         // by class
  std::map<std::string, std::int64_t, std::less<>> fixed_names_;  // of axes that never varied
  Variant variant_;
};

}  // namespace

Result<Contract> explain(const Evidence& evidence, const Declarations& declarations) {
  if (evidence.states().empty()) return Error{ErrorCode::nothing_found, "", "no call that the model accepted"};
  TRY_VOID(check_declarations(declarations, evidence));
  std::map<std::vector<TensorSlot>, std::vector<std::pair<const Signature*, const State*>>> variants;
  for (const auto& [signature, state] : evidence.states()) variants[signature.inputs].emplace_back(&signature, &state);
  Contract::Data data;
  Names names(declarations);
  for (const auto& [inputs, states] : variants) {
    const JoinedVariant joined(states, !declarations.no_batch);
    data.variants.push_back(VariantExplainer(joined, names, declarations).run());
  }
  if (const std::string* learned = names.unused()) return no_symbol(*learned, data.variants);
  TRY_VOID(check_steps(declarations, data.variants));
  TRY_VOID(apply_ranges(declarations, data.variants));
  data.no_batch = declarations.no_batch;
  data.evidence = evidence;
  return Contract::make(std::move(data));
}

}  // namespace tensorspec
