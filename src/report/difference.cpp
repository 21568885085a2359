// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

using What = Difference::What;

std::string range_text(const SizeRange& sizes) {
  if (!sizes.max && sizes.min.value_or(0) == 0 && sizes.multiple_of == 1) return "any size";
  const std::string low = sizes.min ? std::to_string(*sizes.min) : "",
                    high = sizes.max ? std::to_string(*sizes.max) : "";
  if (low == high) return low;
  std::string text = low + ".." + high;
  if (sizes.multiple_of != 1) text += " step " + std::to_string(sizes.multiple_of);
  return text;
}

bool is_expression(const std::string& dim) { return dim.find_first_of("+-*/(") != std::string::npos; }

// Sizes where they tell the difference, else the dims.
std::string axis_text(const Difference& row, bool old) {
  const std::string& dim = old ? row.older : row.newer;
  const auto& sizes = old ? row.older_sizes : row.newer_sizes;
  if (row.older_sizes == row.newer_sizes || !sizes || parse_int64(dim)) return dim;
  const bool named = is_expression(row.older) || is_expression(row.newer);
  return named ? dim + " (" + range_text(*sizes) + ")" : range_text(*sizes);
}

// The fault that is reported most: a size that varies on one side alone.
std::string static_text(const Difference& row) {
  if (row.what == What::rank) {
    const auto older = parse_int64(row.older), newer = parse_int64(row.newer);
    const bool one_more = older && newer && (*older - *newer == 1 || *newer - *older == 1);
    return one_more ? "; is the batch an axis on one side alone?" : "";
  }
  if (row.what != What::axis || row.change == Change::equal) return "";
  const bool older = parse_int64(row.older).has_value(), newer = parse_int64(row.newer).has_value();
  if (older == newer) return "";
  return older ? "; static in the old, " + printable(row.newer) + " in the new"
               : "; " + printable(row.older) + " in the old, static in the new";
}

std::string place_text(const Difference& row) {
  if (row.what == What::batch_size) return "batch size";
  return printable(row.tensor) + (row.what == What::axis ? " axis " + std::to_string(row.axis) : "");
}

std::string change_text(const Difference& row) {
  const bool found = row.change != Change::equal;
  std::string text = (found ? std::string(to_string(row.change)) : "no difference found") + ": ";
  const bool sizes = row.what == What::axis || row.what == What::batch_size;
  if (sizes) text += axis_text(row, true) + " -> " + axis_text(row, false);
  else if (row.what == What::rank) text += "rank " + row.older + " -> rank " + row.newer;
  else text += printable(row.older) + " -> " + printable(row.newer);
  const auto& witness = row.lost ? row.lost : row.gained;
  if (witness && (sizes || row.what == What::dtype)) text += ", for instance " + printable(witness->text);
  if (!row.proved) text += " (not proved)";
  return text + static_text(row);
}

std::string counted_axes(std::size_t count) { return std::to_string(count) + (count == 1 ? " axis" : " axes"); }

std::string summary(const ContractDifference& difference) {
  struct Count {
    std::size_t axes = 0, tensors = 0, variants = 0;
  };
  std::array<Count, 4> counts;
  std::size_t unproved = 0;
  for (const VariantDifference& variant : difference.variants) {
    if (!variant.older || !variant.newer) ++counts[static_cast<std::size_t>(variant.change)].variants;
    for (const Difference& row : variant.differences) {
      unproved += row.proved ? 0 : 1;
      if (!row.proved && row.change == Change::equal) continue;
      Count& count = counts[static_cast<std::size_t>(row.change)];
      ++(row.what == What::axis || row.what == What::batch_size ? count.axes : count.tensors);
    }
  }
  std::vector<std::string> parts;
  for (const Change change : {Change::broken, Change::narrower, Change::wider, Change::equal}) {
    const Count& count = counts[static_cast<std::size_t>(change)];
    std::vector<std::string> what;
    if (count.variants > 0) what.push_back(counted(count.variants, "variant"));
    if (count.tensors > 0) what.push_back(counted(count.tensors, "tensor"));
    if (count.axes > 0) what.push_back(counted_axes(count.axes));
    if (!what.empty()) parts.push_back(std::string(to_string(change)) + ": " + join(what, ", "));
  }
  if (parts.empty()) parts.emplace_back("equal");
  if (unproved > 0) parts.push_back("not proved: " + counted_axes(unproved));
  return join(parts, "; ");
}

std::string variant_title(const VariantDifference& variant) {
  std::string title = "variant ";
  if (variant.older) title += std::to_string(*variant.older);
  if (variant.older && variant.newer && *variant.older != *variant.newer) title += " -> ";
  if (variant.newer && variant.older != variant.newer) title += std::to_string(*variant.newer);
  std::vector<std::string> names(variant.inputs.begin(),
                                 variant.inputs.begin() + std::min<std::ptrdiff_t>(std::ssize(variant.inputs), 3));
  if (variant.inputs.size() > 4) names.push_back("and " + std::to_string(variant.inputs.size() - 3) + " more");
  else names = variant.inputs;
  return title + " (" + printable(join(names, ", ")) + ")";
}

std::vector<std::string> rows_text(const VariantDifference& variant) {
  struct Group {
    std::string place, text;
    std::vector<std::string> alike;
    std::size_t more = 0;
  };
  std::vector<Group> groups;
  for (const Difference& row : variant.differences) {
    if (row.change == Change::equal && row.proved) continue;
    const std::vector<std::string> alike = {std::string(to_string(row.what)), std::string(to_string(row.change)),
                                            axis_text(row, true), axis_text(row, false), static_text(row)};
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.alike == alike; });
    if (known == groups.end()) groups.push_back({place_text(row), change_text(row), alike, 0});
    else ++known->more;
  }
  std::vector<std::string> out;
  for (const Group& group : groups)
    out.push_back(group.place + (group.more == 0 ? "" : " and " + std::to_string(group.more) + " more") + ": " +
                  group.text);
  for (const std::string& note : variant.notes) out.push_back("note: " + printable(note));
  return out;
}

}  // namespace

std::string to_text(const ContractDifference& difference) {
  std::string out = summary(difference) + "\n";
  for (const VariantDifference& variant : difference.variants) {
    if (!variant.older || !variant.newer) {
      out += "\n" + variant_title(variant) + ": " + std::string(to_string(variant.change)) + ": only in the " +
             (variant.older ? "old" : "new") + " contract\n";
      continue;
    }
    const std::vector<std::string> rows = rows_text(variant);
    if (rows.empty()) continue;
    out += "\n" + (difference.variants.size() > 1 ? variant_title(variant) + "\n" : std::string());
    for (const std::string& row : rows) out += (difference.variants.size() > 1 ? "  " : "") + row + "\n";
  }
  return out;
}

}  // namespace tensorspec
