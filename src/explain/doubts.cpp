// SPDX-License-Identifier: Apache-2.0
#include "explain/doubts.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tensorspec {
namespace {

constexpr std::size_t kWitnesses = 4;  // distinct points after which a claim with no rival is left alone
constexpr std::size_t kPoints = 5;     // that the forms with most integers need

using Predicted = std::map<std::pair<std::size_t, std::optional<std::int64_t>>, std::size_t>;

Predicted predicted(const Doubt& doubt, const Sizes& sizes) {
  Predicted out;
  for (std::size_t i = 0; i < doubt.forms.size(); ++i) ++out[{doubt.group[i], evaluate(*doubt.forms[i], sizes)}];
  return out;
}

}  // namespace

std::size_t Doubt::told_apart(const Sizes& sizes) const {
  std::map<std::size_t, std::size_t> together;
  for (const std::size_t number : group) ++together[number];
  std::size_t before = 0, after = 0;
  for (const auto& [number, count] : together) before += count * count;
  for (const auto& [prediction, count] : predicted(*this, sizes)) after += count * count;
  return (before - after) / 2;
}

bool Doubt::take(const Sizes& sizes) {
  const bool tells = told_apart(sizes) > 0;
  Predicted numbers = predicted(*this, sizes);
  std::size_t next = 0;
  for (auto& [prediction, number] : numbers) number = next++;
  for (std::size_t i = 0; i < forms.size(); ++i) group[i] = numbers.at({group[i], evaluate(*forms[i], sizes)});
  if (left == 0) return tells;
  --left;
  return true;
}

std::vector<Doubt> doubts_of(const Variant& variant) {
  std::vector<Doubt> out;
  std::vector<const Claim*> told;
  for (const Claim& claim : variant.claims) {
    if (claim.certainty == Certainty::declared) continue;
    const bool again =
        std::any_of(told.begin(), told.end(), [&](const Claim* other) { return other->dim == claim.dim; });
    if (again) continue;
    told.push_back(&claim);
    const std::string text = axis_name(claim.tensor, claim.axis) + " = " + claim.dim.to_string();
    Doubt doubt{text, claim.witnesses < kWitnesses ? kWitnesses - claim.witnesses : 0, {&claim.dim}, {}};
    for (const Dim& rival : claim.rivals) doubt.forms.push_back(&rival);
    doubt.group.resize(doubt.forms.size(), 0);
    out.push_back(std::move(doubt));
  }
  for (const Symbol& symbol : variant.symbols) {
    const auto stands_in = [&](const TensorContract& tensor) {
      return std::any_of(tensor.shape.begin(), tensor.shape.end(), [&](const Dim& dim) {
        const auto names = dim.symbols();
        return std::binary_search(names.begin(), names.end(), symbol.name);
      });
    };
    const bool input = std::any_of(variant.inputs.begin(), variant.inputs.end(), stands_in);
    const bool output = std::any_of(variant.outputs.begin(), variant.outputs.end(), stands_in);
    if (output && !input && symbol.source == Symbol::Source::observed)
      out.push_back({symbol.at + " from the inputs", symbol.seen < kPoints ? kPoints - symbol.seen : 1, {}, {}});
  }
  return out;
}

}  // namespace tensorspec
