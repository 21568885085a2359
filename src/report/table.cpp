// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

// Cells are bounded, since names in files may be of any kind: a row takes what it says, not what the longest name
// takes.
constexpr std::size_t kMaxCell = 320, kMaxPadded = 80, kCellEnd = 60;

// What is longer loses its middle.
std::string shown(const std::string& cell) {
  const std::size_t width = width_of(cell);
  if (width <= kMaxCell) return cell;
  const auto at_point = [&](std::size_t number) {
    std::size_t at = 0;
    for (std::size_t seen = 0; at < cell.size(); ++at)
      if ((static_cast<unsigned char>(cell[at]) & 0xC0) != 0x80 && seen++ == number) break;
    return at;
  };
  return cell.substr(0, at_point(kMaxCell - kCellEnd - 3)) + "..." + cell.substr(at_point(width - kCellEnd));
}

std::string shape_text(const std::vector<Dim>& shape) {
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.to_string());
  return "[" + join(dims, ", ") + "]";
}

std::string dtype_text(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType& dtype : dtypes) names.emplace_back(printable(dtype.name()));
  return names.empty() ? "any" : join(names, "|");
}

std::string range_text(const Symbol& symbol) {
  if (!symbol.min && !symbol.max) return "any size";
  const std::string low = symbol.min ? std::to_string(*symbol.min) : "",
                    high = symbol.max ? std::to_string(*symbol.max) : "";
  return low == high ? low : low + ".." + high;
}

std::vector<std::string> symbol_row(const Symbol& symbol) {
  std::string range = range_text(symbol);
  if (symbol.multiple_of != 1) {
    range += " step " + std::to_string(symbol.multiple_of);
    if (symbol.residue != 0) range += " from " + std::to_string(symbol.residue);
  }
  std::string source(to_string(symbol.source));
  if (symbol.source == Symbol::Source::observed) source = printable(symbol.at);
  else if (symbol.source == Symbol::Source::inferred) source += " from " + printable(symbol.at);
  if (symbol.declared) range += " declared";
  return {symbol.name, range, symbol.seen == 0 ? "" : counted(symbol.seen, "size"), source};
}

// Axes with the same expression for the same reason are told once: "mask[1] and 3 more = past+seq".
std::string claims_text(const std::vector<const Claim*>& same) {
  std::string text = printable(axis_name(same[0]->tensor, same[0]->axis));
  if (same.size() == 2) text += ", " + printable(axis_name(same[1]->tensor, same[1]->axis));
  if (same.size() > 2) text += " and " + std::to_string(same.size() - 1) + " more";
  return text + " = " + same[0]->dim.to_string();
}

std::string evidence_text(const Claim& claim) {
  std::string text = claim.witnesses == 0 ? "" : counted(claim.witnesses, "size");
  if (claim.margin_bits) text += (text.empty() ? "" : ", ") + std::to_string(*claim.margin_bits) + " bits to spare";
  return text;
}

void add_variant(const Variant& variant, std::string& out) {
  std::vector<std::vector<std::string>> tensors, symbols, sure, unsure;
  const auto add = [&](const char* side, const std::vector<TensorContract>& group) {
    for (const TensorContract& tensor : group)
      tensors.push_back({side, printable(tensor.name), dtype_text(tensor.dtypes), shape_text(tensor.shape),
                         tensor.optional ? "(not always)" : ""});
  };
  add("input", variant.inputs);
  add("output", variant.outputs);
  for (const Symbol& symbol : variant.symbols) symbols.push_back(symbol_row(symbol));
  std::vector<std::vector<const Claim*>> groups;
  for (const Claim& claim : variant.claims) {
    if (claim.certainty != Certainty::believed && claim.certainty != Certainty::declared) continue;
    // A name or a fixed size that was declared stands in the shape already.
    if (claim.dim.as_symbol() || claim.dim.as_integer()) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) {
      return known[0]->dim == claim.dim && known[0]->certainty == claim.certainty;
    });
    if (group == groups.end()) group = groups.insert(group, std::vector<const Claim*>());
    group->push_back(&claim);
  }
  for (const Certainty certainty : {Certainty::declared, Certainty::believed}) {
    bool told = false;
    for (const auto& group : groups)
      if (group[0]->certainty == certainty)
        sure.push_back({std::exchange(told, true) ? "" : std::string(to_string(certainty)), claims_text(group),
                        evidence_text(*group[0])});
  }
  for (const Bound& bound : variant.bounds)
    sure.push_back({&bound == &variant.bounds[0] ? "so far" : "", bound.symbol + " <= " + bound.at_most,
                    counted(bound.witnesses, "pair") + " of sizes, warns"});
  for (const Question& question : variant.questions)
    unsure.push_back({unsure.empty() ? "not sure" : "", printable(question.text), printable(question.ask)});
  if (unsure.empty()) unsure.push_back({"not sure", "nothing"});
  out += align(tensors, "  ");
  if (!symbols.empty()) out += "\n" + align(symbols, "  ");
  out += "\n" + align(sure, "") + align(unsure, "");
}

}  // namespace

std::string align(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min(width_of(row[i]), kMaxPadded));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = shown(row[i]);
      line += cell;
      line.append(std::max(widths[i], width_of(cell)) - width_of(cell) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string to_table(const Contract& contract) {
  std::uint64_t calls = 0, distinct = 0;
  for (const Variant& variant : contract.variants()) {
    calls += variant.calls;
    distinct += variant.distinct;
  }
  const std::string variants = counted(contract.variants().size(), "variant");
  std::string out = calls == 0
                        ? variants + ", declared\n"
                        : counted(calls, "call") + " (" + std::to_string(distinct) + " different), " + variants + "\n";
  for (std::size_t i = 0; i < contract.variants().size(); ++i) {
    const Variant& variant = contract.variants()[i];
    out += "\n";
    if (contract.variants().size() > 1)
      out += "variant " + std::to_string(i) + ": " + counted(variant.calls, "call") + " (" +
             std::to_string(variant.distinct) + " different)\n\n";
    add_variant(variant, out);
  }
  return out;
}

}  // namespace tensorspec
