// SPDX-License-Identifier: Apache-2.0
#include "check/sentences.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace tensorspec::flat {
namespace {

using About = Finding::About;
using Doubt = Finding::Doubt;

std::string dtype_name(const TensorView& tensor) {
  return std::string(tensor.dtype == DType::Kind::other ? tensor.spelling : DType(tensor.dtype).name());
}

std::string range_text(const FlatSymbol& symbol) {
  return (symbol.min ? std::to_string(*symbol.min) : "") + ".." + (symbol.max ? std::to_string(*symbol.max) : "");
}

}  // namespace

const TensorContract& Sentences::contract(std::uint32_t tensor) const {
  const Variant& variant = *variant_.source;
  return tensor < variant_.inputs ? variant.inputs[tensor] : variant.outputs[tensor - variant_.inputs];
}

const Dim& Sentences::dim_of(const Finding& finding) const {
  return finding.about == About::batch ? *variant_.source->batch_size : contract(finding.tensor).shape[finding.axis];
}

// " (past = 8 from cache[0].key axis 2, seq = 4 from ids axis 1)"
std::string Sentences::because(const Dim& dim) const {
  std::vector<std::string> parts;
  for (const std::string& name : dim.symbols())
    for (std::size_t s = 0; s < variant_.symbols.size(); ++s) {
      const Binding& bound = scratch_.symbols[s];
      if (variant_.source->symbols[s].name != name || bound.state == Binding::State::unknown) continue;
      parts.push_back(name + " = " + std::to_string(bound.value) +
                      (bound.at.tensor == Place::kBatch
                           ? " given with the call"
                           : " from " + contract(bound.at.tensor).name + " axis " + std::to_string(bound.at.axis)));
    }
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

void Sentences::add(const Finding& finding) {
  Violation violation = violation_of(finding);
  violation.code = code_of(finding.about);
  if (finding.tensor != kNone) {
    const bool unexpected = finding.about == About::unexpected;
    const TensorList& given = finding.output ? call_.outputs : call_.inputs;
    violation.tensor = unexpected ? std::string(given.name(finding.tensor)) : contract(finding.tensor).name;
  }
  if (finding.axis != kNone) violation.axis = finding.axis;
  if (!violation.tensor.empty())
    violation.message = violation.tensor + (violation.axis ? " axis " + std::to_string(*violation.axis) : "") + ": " +
                        violation.message;
  const std::string doubt = doubt_of(finding);
  if (!doubt.empty()) violation.message += "; " + doubt;
  (finding.doubt == Doubt::none ? verdict_.violations : verdict_.warnings).push_back(std::move(violation));
}

std::string Sentences::doubt_of(const Finding& finding) const {
  switch (finding.doubt) {
    case Doubt::none: return "";
    case Doubt::rival:
      return "it may be " + variant_.axis({finding.tensor, finding.axis}).claim->rivals[finding.rival].to_string();
    case Doubt::weak_claim: return "the claim is weak";
    case Doubt::weak_source: return "it is read through a weak claim";
    case Doubt::not_claimed: return finding.about == About::above ? "" : "all sizes seen were, but that is not claimed";
    case Doubt::not_kept: return "";
  }
  return "";
}

Violation Sentences::violation_of(const Finding& finding) const {
  switch (finding.about) {
    case About::missing:
    case About::unexpected:
    case About::rank:
    case About::dtype: return of_tensor(finding);
    case About::fixed:
    case About::value:
    case About::same:
    case About::batch: return of_dim(finding);
    case About::no_value: return of_no_value(finding);
    case About::stride:
    case About::seen_stride:
    case About::range: return of_symbol(finding);
    case About::above: return of_bound(finding);
    case About::unseen: return of_shapes(finding);
  }
  return {};
}

Violation Sentences::of_tensor(const Finding& finding) const {
  Violation out;
  const std::string group = finding.output ? " output" : " input";
  if (finding.about == About::missing) {
    out.expected = "present";
    out.actual = "missing";
    out.message = "missing" + group;
  } else if (finding.about == About::unexpected) {
    out.expected = "absent";
    out.actual = "present";
    out.message = "unexpected" + group;
  } else if (finding.about == About::rank) {
    out.expected = "rank " + std::to_string(contract(finding.tensor).shape.size());
    out.actual = "rank " + std::to_string(finding.given.rank);
    out.message = out.actual + " " +
                  bracketed(Shape(finding.given.extents, finding.given.extents + finding.given.rank)) + ", expected " +
                  out.expected;
  } else {
    std::vector<std::string> names;
    for (const DType& dtype : contract(finding.tensor).dtypes) names.emplace_back(dtype.name());
    out.expected = join(names, " or ");
    out.actual = dtype_name(finding.given);
    out.message = out.actual + ", expected " + out.expected;
  }
  return out;
}

Violation Sentences::of_dim(const Finding& finding) const {
  Violation out;
  out.actual = std::to_string(finding.actual);
  out.actual_is_number = true;
  const std::string wanted = std::to_string(finding.wanted);
  if (finding.about == About::fixed) {
    out.expected = wanted;
    out.message = out.actual + ", expected " + wanted;
  } else if (finding.about == About::same) {
    out.expected = wanted;
    out.message = out.actual + ", expected " + wanted + ", as " + contract(finding.leader.tensor).name + " axis " +
                  std::to_string(finding.leader.axis);
  } else {
    const Dim& dim = dim_of(finding);
    out.expected = dim.to_string() + " = " + wanted;
    out.message = (finding.about == About::batch ? "batch size " : "") + out.actual + ", expected " + wanted + " = " +
                  dim.to_string() + because(dim);
  }
  return out;
}

Progression Sentences::allowed(std::uint32_t symbol) const {
  const FlatSymbol& rules = variant_.symbols[symbol];
  Progression out{0, INT64_MAX, rules.multiple_of, rules.residue};
  if (policy_ == Policy::relations) return out;
  out.low = rules.min.value_or(0);
  out.high = rules.max.value_or(INT64_MAX);
  return out;
}

std::optional<std::int64_t> Sentences::value_with(const FlatDim& dim, std::uint32_t symbol, std::int64_t value) const {
  const auto size = variant_.expressions.evaluate(dim, [&](std::int64_t s) {
    const Binding& bound = scratch_.symbols[static_cast<std::size_t>(s)];
    if (s == symbol) return std::optional(value);
    return bound.state == Binding::State::unknown ? std::nullopt : std::optional(bound.value);
  });
  return size && *size >= 0 ? size : std::nullopt;
}

Nearest Sentences::as_sizes(const FlatDim& dim, std::uint32_t symbol, const Nearest& values) const {
  Nearest out;
  if (values.below) out.below = value_with(dim, symbol, *values.below);
  if (values.above) out.above = value_with(dim, symbol, *values.above);
  if (out.below && out.above && *out.below > *out.above) std::swap(out.below, out.above);
  return out;
}

// No size of the axis fits when all symbols are known; then another size of one of them may.
Violation Sentences::of_no_value(const Finding& finding) const {
  const Dim& dim = dim_of(finding);
  const FlatDim& flat = variant_.axis({finding.tensor, finding.axis}).dim;
  const std::string reason = because(dim);
  Violation out;
  out.expected = dim.to_string();
  out.actual = std::to_string(finding.actual);
  out.actual_is_number = true;
  out.message = out.actual + ", no whole size makes it " + out.expected + reason;
  std::string fits;
  const auto known = [&](std::uint32_t s) { return scratch_.symbols[s].state != Binding::State::unknown; };
  const std::uint32_t open = variant_.expressions.open_term(flat, known);
  if (open != kNone) {
    const FlatTerm& term = variant_.expressions.terms(flat)[open];
    // The size is k*s + rest with a rest that is whole: a multiple of k, give or take the rest.
    const std::int64_t k = term.coefficient;
    const auto rest = value_with(flat, term.alone, 0);
    if (flat.denominator == 1 && k > 1 && rest) {
      const std::string residue = *rest % k == 0 ? "" : " plus " + std::to_string(*rest % k);
      out.message =
          out.actual + ", not a multiple of " + std::to_string(k) + residue + " (" + out.expected + ")" + reason;
    }
    const auto estimate = variant_.expressions.estimate(flat, open, finding.actual, [&](std::int64_t s) {
      const Binding& bound = scratch_.symbols[static_cast<std::size_t>(s)];
      return bound.state == Binding::State::unknown ? std::nullopt : std::optional(bound.value);
    });
    const auto whole = [&](std::int64_t value) { return value_with(flat, term.alone, value).has_value(); };
    if (estimate) fits = as_sizes(flat, term.alone, nearest(allowed(term.alone), *estimate, whole)).text();
  } else {
    for (const std::uint32_t symbol : variant_.expressions.symbols(flat)) {
      const auto whole = [&](std::int64_t value) { return value_with(flat, symbol, value).has_value(); };
      const std::string text =
          known(symbol) ? nearest(allowed(symbol), scratch_.symbols[symbol].value, whole).text() : std::string();
      if (text.empty()) continue;
      fits = variant_.source->symbols[symbol].name + " = " + text;
      break;
    }
  }
  if (!fits.empty()) out.message += "; " + fits;
  return out;
}

Violation Sentences::of_symbol(const Finding& finding) const {
  const FlatSymbol& symbol = variant_.symbols[finding.symbol];
  const Binding& bound = scratch_.symbols[finding.symbol];
  const std::string& name = variant_.source->symbols[finding.symbol].name;
  Progression all = allowed(finding.symbol);
  Violation out;
  std::string rule;
  if (finding.about == About::range) {
    const std::string range = range_text(symbol);
    out.expected = name + " in " + range;
    rule = "outside " + range;
  } else {
    const bool claimed = finding.about == About::stride;
    all.step = claimed ? symbol.multiple_of : symbol.seen_multiple_of;
    all.residue = claimed ? symbol.residue : symbol.seen_residue;
    std::string multiple = "multiple of " + std::to_string(all.step);
    if (all.residue != 0) multiple += " plus " + std::to_string(all.residue);
    out.expected = name + " a " + multiple;
    rule = "not a " + multiple;
  }
  Nearest fits =
      nearest(all, bound.value, [&](std::int64_t value) { return value % symbol.multiple_of == symbol.residue; });
  out.actual = std::to_string(finding.actual);
  out.actual_is_number = true;
  const FlatDim* dim = bound.at.tensor == Place::kBatch ? nullptr : &variant_.axis(bound.at).dim;
  if (dim && dim->kind != FlatDim::Kind::symbol) {
    // Read through an expression: the sizes are those of the axis.
    fits = as_sizes(*dim, finding.symbol, fits);
    out.message = out.actual + ", so " + name + " = " + std::to_string(bound.value) + " is " + rule;
  } else {
    out.message = (dim ? "" : "batch size ") + out.actual + ", " + rule + " (" + name + ")";
  }
  const std::string text = fits.text();
  if (!text.empty()) out.message += "; " + text;
  return out;
}

Violation Sentences::of_bound(const Finding& finding) const {
  const std::string& low = variant_.source->symbols[finding.symbol].name;
  const std::string& high = variant_.source->symbols[finding.other].name;
  const Binding &low_binding = scratch_.symbols[finding.symbol], &high_binding = scratch_.symbols[finding.other];
  Violation out;
  out.expected = low + " <= " + high;
  out.actual = std::to_string(finding.actual);
  out.actual_is_number = true;
  out.message = out.actual + ", so " + low + " = " + std::to_string(low_binding.value) + " is above " + high + " = " +
                std::to_string(high_binding.value) + ", which it was in no call";
  return out;
}

// "ids [2, 9], mask [2, 9]". The extents are those of all inputs, one after another.
std::string Sentences::shapes_text(const std::vector<std::uint32_t>& tensors,
                                   std::span<const std::int64_t> extents) const {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (const std::uint32_t t : tensors) {
    if (parts.size() == kMost) {
      parts.push_back("..");
      break;
    }
    const FlatTensor& tensor = variant_.tensors[t];
    const auto shape = extents.subspan(tensor.first_axis, tensor.rank);
    parts.push_back(std::string(tensor.name) + " " + bracketed(Shape(shape.begin(), shape.end())));
  }
  return join(parts, ", ");
}

Violation Sentences::of_shapes(const Finding& finding) const {
  Violation out;
  out.expected = "a shape seen";
  std::vector<std::uint32_t> tensors;
  Shape given;
  bool complete = true;
  for (std::uint32_t t = 0; t < variant_.inputs; ++t) {
    tensors.push_back(t);
    const std::int64_t* extents = scratch_.extents[t];
    complete = complete && extents;
    if (extents) given.insert(given.end(), extents, extents + variant_.tensors[t].rank);
  }
  const SeenShapes& seen = variant_.seen;
  if (seen.size() == 0 || !complete) {
    out.actual = "unknown";
    out.message = seen.size() == 0
                      ? "no calls are kept with the contract, so nobody knows whether these shapes were seen"
                      : "no recorded call was without an input";
    return out;
  }
  if (finding.inputs_seen) {
    out.actual = shapes_text(tensors, given);
    out.message = out.actual + ": seen, but with other outputs or another batch size";
  } else {
    // Only what is different is told.
    const auto nearest = seen.nearest(scratch_.extents.data());
    std::erase_if(tensors, [&](std::uint32_t t) {
      const std::uint32_t first = variant_.tensors[t].first_axis, last = first + variant_.tensors[t].rank;
      return std::equal(given.begin() + first, given.begin() + last, nearest.begin() + first);
    });
    out.actual = shapes_text(tensors, given);
    out.message = out.actual + ": not a shape seen; the nearest is " + shapes_text(tensors, nearest);
  }
  if (finding.doubt == Doubt::not_kept)
    out.message += "; of the many calls seen only " + std::to_string(seen.size()) + " are kept";
  return out;
}

Violation unknown_variant(const TensorList& inputs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs.present(i)) names.emplace_back(inputs.name(i));
  Violation out;
  out.code = Violation::Code::unknown_variant;
  out.expected = "the inputs of a variant";
  out.actual = join(names, ", ");
  out.message = "no variant has any of the inputs (" + out.actual + ")";
  return out;
}

}  // namespace tensorspec::flat
