// SPDX-License-Identifier: Apache-2.0
#include "check/sentences.hpp"

#include "base/checked.hpp"
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
      const Bound& bound = scratch_.symbols[s];
      if (variant_.source->symbols[s].name != name || bound.state == Bound::State::unknown) continue;
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
    case Doubt::rival: {
      for (const Claim& claim : variant_.source->claims)
        if (claim.output == finding.output && claim.axis == finding.axis &&
            claim.tensor == contract(finding.tensor).name && claim.dim == dim_of(finding) &&
            finding.rival < claim.rivals.size())
          return "it may be " + claim.rivals[finding.rival].to_string();
      return "";
    }
    case Doubt::weak_claim: return "the claim is weak";
    case Doubt::weak_source: return "it is read through a weak claim";
    case Doubt::not_claimed: return "all sizes seen were, but that is not claimed";
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
    case About::no_value:
    case About::same:
    case About::batch: return of_dim(finding);
    case About::stride:
    case About::seen_stride:
    case About::range: return of_symbol(finding);
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
    const std::string text = dim.to_string(), reason = because(dim);
    if (finding.about == About::no_value) {
      out.expected = text;
      out.message = out.actual + ", no whole size makes it " + text + reason;
    } else {
      out.expected = text + " = " + wanted;
      out.message = (finding.about == About::batch ? "batch size " : "") + out.actual + ", expected " + wanted + " = " +
                    text + reason;
    }
  }
  return out;
}

Violation Sentences::of_symbol(const Finding& finding) const {
  Violation out;
  out.actual = std::to_string(finding.actual);
  out.actual_is_number = true;
  const FlatSymbol& symbol = variant_.symbols[finding.symbol];
  const std::string& name = variant_.source->symbols[finding.symbol].name;
  if (finding.about == About::range) {
    out.expected = name + " in " + range_text(symbol);
    out.message = out.actual + ", outside " + range_text(symbol) + " (" + name + ")";
    return out;
  }
  const bool claimed = finding.about == About::stride;
  const std::int64_t step = claimed ? symbol.multiple_of : symbol.seen_multiple_of;
  const std::int64_t residue = claimed ? symbol.residue : symbol.seen_residue;
  std::string rule = "multiple of " + std::to_string(step);
  if (residue != 0) rule += " plus " + std::to_string(residue);
  const std::int64_t below = floor_div(finding.actual - residue, step) * step + residue;
  const auto above = checked_add(below, step);
  std::string nearest = below >= 0 ? std::to_string(below) : "";
  if (above) nearest += (nearest.empty() ? "" : " or ") + std::to_string(*above);
  out.expected = name + " a " + rule;
  out.message = out.actual + ", not a " + rule + " (" + name + "); " + nearest + " would fit";
  return out;
}

Violation Sentences::of_shapes(const Finding& finding) const {
  Violation out;
  out.expected = "a shape seen";
  out.actual = "another shape";
  (void)finding;
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
