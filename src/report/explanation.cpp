// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kAxesTold = 6, kRivalsTold = 6;

// Axes by dim, in display order of the first.
struct Group {
  Dim dim;
  std::vector<std::string> axes;
};

std::vector<Group> groups_of(const Variant& variant) {
  std::vector<Group> out;
  for (const auto* side : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *side)
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        auto group =
            std::find_if(out.begin(), out.end(), [&](const Group& known) { return known.dim == tensor.shape[axis]; });
        if (group == out.end()) group = out.insert(group, {tensor.shape[axis], {}});
        group->axes.push_back(printable(axis_name(tensor.name, axis)));
      }
  return out;
}

// "past = 12, seq = 1: any size but 13"
std::string example_against(const Variant& variant, const Dim& dim) {
  std::map<std::string, std::int64_t, std::less<>> sizes;
  std::vector<std::string> parts;
  for (const std::string& name : dim.symbols()) {
    const Symbol* symbol = variant.symbol(name);
    sizes[name] = symbol ? symbol->typical.value_or(symbol->min.value_or(1)) : 1;
    parts.push_back(name + " = " + std::to_string(sizes[name]));
  }
  const auto value = dim.evaluate([&](std::string_view name) { return std::optional(sizes.find(name)->second); });
  return value ? join(parts, ", ") + ": any size but " + std::to_string(*value) : "";
}

const Claim* claim_of(const Variant& variant, const Dim& dim) {
  const auto found =
      std::find_if(variant.claims.begin(), variant.claims.end(), [&](const Claim& claim) { return claim.dim == dim; });
  return found == variant.claims.end() ? nullptr : &*found;
}

std::string why(const Claim& claim) {
  const std::string witnesses = counted(claim.witnesses, "different size");
  std::string margin;
  if (claim.margin_bits)
    margin = "; writing it down saves " + std::to_string(*claim.margin_bits) + " bits over writing the sizes down";
  switch (claim.certainty) {
    case Certainty::declared: return "declared; " + witnesses + " agree";
    case Certainty::believed: return "believed: no call broke it at " + witnesses + margin;
    case Certainty::weak: return "weak: no call broke it at " + witnesses + ", which does not rule out chance" + margin;
    case Certainty::open: break;
  }
  return "open";
}

void add_expression(const Variant& variant, const Group& group, std::string& out) {
  out += join_some(group.axes, kAxesTold) + " = " + group.dim.to_string() + "\n";
  const Claim* claim = claim_of(variant, group.dim);
  if (!claim) {
    out += "  written by hand\n";
    return;
  }
  out += "  " + why(*claim) + "\n";
  if (!claim->rivals.empty()) {
    std::vector<std::string> rivals;
    for (const Dim& rival : claim->rivals) rivals.push_back(rival.to_string());
    out += "  fits as well: " + join_some(std::move(rivals), kRivalsTold) +
           "; a call that only one of these allows warns\n";
  }
  const std::string example = example_against(variant, group.dim);
  if (example.empty()) return;
  const bool warns = claim->certainty == Certainty::weak || claim->certainty == Certainty::open;
  out += std::string("  ") + (warns ? "a call against it warns" : "refuted by a call against it") +
         "; for instance at " + example + "\n";
}

void add_symbol(const Variant& variant, const Group& group, std::string& out) {
  const std::string& name = *group.dim.as_symbol();
  out += name + ": " + join_some(group.axes, kAxesTold) + "\n";
  const Symbol* symbol = variant.symbol(name);
  if (!symbol) return;
  const bool seen = symbol->seen > 0;
  if (group.axes.size() > 1 && seen)
    out += "  one size: they were equal in every call, at " + counted(symbol->seen, "different size") +
           "; refuted by a call in which they differ\n";
  if (symbol->source == Symbol::Source::inferred)
    out += "  taken for the batch: it leads the inputs; --batch says otherwise\n";
  if (symbol->declared) out += "  its limits are declared\n";
  else if (seen && symbol->min && symbol->max)
    out += "  " + std::to_string(*symbol->min) + ".." + std::to_string(*symbol->max) +
           " were seen; a size beyond is outside of policy range, not of the relations\n";
  const auto step = [](std::int64_t multiple, std::int64_t residue) {
    return "multiples of " + std::to_string(multiple) + (residue == 0 ? "" : " plus " + std::to_string(residue));
  };
  if (symbol->multiple_of != 1)
    out += "  only " + step(symbol->multiple_of, symbol->residue) + ": " +
           (seen ? counted(symbol->seen, "size") + " kept to it, more than round numbers explain" : "declared") + "\n";
  if (symbol->seen_multiple_of != 1)
    out += "  so far " + step(symbol->seen_multiple_of, symbol->seen_residue) + " (" + counted(symbol->seen, "size") +
           "), which may be chance: a size off it warns\n";
}

// A size that was declared is one of the claims; the others are told together.
void add_fixed(const Variant& variant, const Group& group, std::vector<std::string>& fixed, std::string& out) {
  Group declared{group.dim, {}};
  for (const std::string& axis : group.axes) {
    const bool claimed = std::any_of(variant.claims.begin(), variant.claims.end(), [&](const Claim& claim) {
      return printable(axis_name(claim.tensor, claim.axis)) == axis;
    });
    if (claimed) declared.axes.push_back(axis);
    else fixed.push_back(axis + " = " + group.dim.to_string());
  }
  if (!declared.axes.empty()) add_expression(variant, declared, out);
}

}  // namespace

std::string to_explanation(const Contract& contract) {
  std::string out;
  for (std::size_t i = 0; i < contract.variants().size(); ++i) {
    const Variant& variant = contract.variants()[i];
    if (contract.variants().size() > 1) out += (i == 0 ? "" : "\n") + ("variant " + std::to_string(i)) + "\n\n";
    std::vector<std::string> fixed;
    for (const Group& group : groups_of(variant)) {
      if (group.dim.as_integer()) add_fixed(variant, group, fixed, out);
      else if (group.dim.as_symbol()) add_symbol(variant, group, out);
      else add_expression(variant, group, out);
    }
    for (const Bound& bound : variant.bounds)
      out += bound.symbol + " <= " + bound.at_most + "\n  so far: in " + std::to_string(bound.witnesses) +
             " different pairs of sizes it never was above; a call in which it is warns\n";
    if (!fixed.empty())
      out += "fixed: " + join(fixed, ", ") + "\n  the same in " +
             (variant.calls == 0 ? "what was written by hand" : "every call") +
             "; refuted by a call with another size\n";
  }
  return out;
}

}  // namespace tensorspec
