// SPDX-License-Identifier: Apache-2.0
#include "explain/declarations.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tensorspec {
namespace {

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

bool has_axis(const Evidence& evidence, const Declarations::Axis& axis) {
  for (const auto& [signature, state] : evidence.states())
    for (const auto* group : {&signature.inputs, &signature.outputs})
      for (const TensorSlot& slot : *group)
        if (slot.name == axis.tensor && axis.axis < slot.rank) return true;
  return false;
}

Error no_axis(const Declarations::Axis& axis) {
  return {ErrorCode::invalid_argument, axis_name(axis.tensor, axis.axis), "no call has that axis"};
}

// A learned step that leaves no size in a declared range gives way.
void drop_step_outside(Symbol& symbol, Variant& variant) {
  if (symbol.multiple_of == 1 || !symbol.max) return;
  const std::int64_t low = symbol.min.value_or(0);
  const std::int64_t first =
      low + ((symbol.residue - low) % symbol.multiple_of + symbol.multiple_of) % symbol.multiple_of;
  if (first <= *symbol.max) return;
  variant.questions.push_back({"the declared range of " + symbol.name + " has no multiple of " +
                                   std::to_string(symbol.multiple_of) + ", as all sizes seen were",
                               "widen the range, or leave out the calls",
                               {symbol.name},
                               {}});
  symbol.multiple_of = 1;
  symbol.residue = 0;
}
}  // namespace

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
        if (range.typical) symbol.typical = range.typical;
        drop_step_outside(symbol, variant);
        symbol.declared = true;
      }
    if (!found && !range.kept) return no_symbol(name, variants);
  }
  return {};
}

Error no_symbol(const std::string& name, const std::vector<Variant>& variants) {
  std::set<std::string> names;
  for (const Variant& variant : variants)
    for (const Symbol& symbol : variant.symbols) names.insert(symbol.name);
  const std::string there = names.empty() ? "there are none" : "there is " + join({names.begin(), names.end()}, ", ");
  return {ErrorCode::invalid_argument, name, "no symbol has that name; " + there.substr(0, 1000)};
}

Status check_declarations(const Declarations& declarations, const Evidence& evidence) {
  for (const auto& [learned, wanted] : declarations.names) {
    const auto name = Dim::parse(wanted);
    if (!name.ok() || !name->as_symbol()) return Error{ErrorCode::invalid_argument, wanted, "not a name for a symbol"};
  }
  for (const auto& [at, dim] : declarations.dims) {
    if (declarations.kept.contains(at)) continue;
    const auto axis = parse_axis_name(at);
    if (!axis) return Error{ErrorCode::invalid_argument, at, "not an axis, which is spelled like x[0]"};
    if (!has_axis(evidence, *axis)) return no_axis(*axis);
  }
  if (!declarations.batch || declarations.batch->kept || has_axis(evidence, *declarations.batch)) return {};
  return no_axis(*declarations.batch);
}

Status check_steps(const Declarations& declarations, const std::vector<Variant>& variants) {
  for (const auto& [name, step] : declarations.steps) {
    const auto has = [&, &name = name](const Variant& variant) { return variant.symbol(name) != nullptr; };
    if (declarations.kept.contains(name) || std::any_of(variants.begin(), variants.end(), has)) continue;
    return no_symbol(name, variants);
  }
  return {};
}

namespace {

bool by_hand(const Contract& contract) {
  return !contract.evidence() && std::all_of(contract.variants().begin(), contract.variants().end(),
                                             [](const Variant& variant) { return variant.calls == 0; });
}

void add_step(const Symbol& symbol, Declarations& out) {
  out.steps.try_emplace(symbol.name, Declarations::Step{symbol.multiple_of, symbol.residue});
  out.kept.insert(symbol.name);
}

void add_dim(const std::string& at, const Dim& dim, Declarations& out) {
  out.dims.try_emplace(at, dim);
  out.kept.insert(at);
}

void add_symbol(const Symbol& symbol, bool declared, Declarations& out) {
  if (!declared) return;
  if (symbol.min || symbol.max) out.ranges.try_emplace(symbol.name, Declarations::Range{symbol.min, symbol.max, true});
  if (symbol.multiple_of != 1) add_step(symbol, out);
}

void add_axes(const std::vector<TensorContract>& tensors, bool hand, Declarations& out) {
  for (const TensorContract& tensor : tensors)
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const std::string at = axis_name(tensor.name, axis);
      const std::string* name = tensor.shape[axis].as_symbol();
      if (name && (hand || !is_learned_name(*name))) out.axis_names.try_emplace(at, *name);
      if (hand) add_dim(at, tensor.shape[axis], out);
      if (hand && name && *name == "batch" && !out.batch) out.batch = Declarations::Axis{tensor.name, axis, true};
    }
}

// Ranges and steps that the calls do not give: a person wrote them into the file.
void add_edited(const Contract& contract, Declarations& out) {
  const auto learned = explain(*contract.evidence(), out);
  if (!learned.ok()) return;
  for (std::size_t i = 0; i < contract.variants().size() && i < learned->variants().size(); ++i)
    for (const Symbol& symbol : contract.variants()[i].symbols) {
      const Symbol* own = learned->variants()[i].symbol(symbol.name);
      if (!own || own->at != symbol.at) continue;
      if (symbol.declared && symbol.typical != own->typical) out.ranges[symbol.name].typical = symbol.typical;
      if (symbol.declared) continue;
      if (symbol.min != own->min || symbol.max != own->max)
        out.ranges.try_emplace(symbol.name, Declarations::Range{symbol.min, symbol.max, true});
      // A step that was claimed by a rule of another version is still one that all sizes keep.
      const bool kept = std::max(own->multiple_of, own->seen_multiple_of) % symbol.multiple_of == 0;
      if (symbol.multiple_of != 1 && !kept) add_step(symbol, out);
    }
}

}  // namespace

Declarations declarations_of(const Contract& contract) {
  Declarations out;
  out.no_batch = contract.no_batch();
  const bool hand = by_hand(contract);
  for (const Variant& variant : contract.variants()) {
    for (const Symbol& symbol : variant.symbols) {
      if (symbol.source == Symbol::Source::declared && !out.batch) out.batch = parse_axis_name(symbol.at);
      add_symbol(symbol, symbol.declared || hand, out);
    }
    for (const auto* group : {&variant.inputs, &variant.outputs}) add_axes(*group, hand, out);
    for (const Claim& claim : variant.claims) {
      if (claim.certainty != Certainty::declared) continue;
      const std::string at = axis_name(claim.tensor, claim.axis);
      add_dim(at, claim.dim, out);
      if (const std::string* name = claim.dim.as_symbol()) out.axis_names.try_emplace(at, *name);
    }
  }
  if (contract.evidence()) add_edited(contract, out);
  return out;
}

}  // namespace tensorspec
