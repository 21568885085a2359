// SPDX-License-Identifier: Apache-2.0
#include "cli/ladder.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::cli {
namespace {

// Ladders are lists of sizes or plans; larger files are none.
constexpr std::uint64_t kMaxLadderBytes = std::uint64_t{64} << 20;

Json axes_json(const std::vector<OutsideAxis>& axes) {
  Json::Array out;
  for (const OutsideAxis& axis : axes) {
    Json entry = Json().add("symbol", axis.symbol).add("axes", Json::Array(axis.axes.begin(), axis.axes.end()));
    entry.add("calls", axis.calls).add("distinct", axis.distinct);
    entry.add("smallest", axis.smallest).add("largest", axis.largest);
    out.push_back(entry.add("at_least", axis.at_least).add("at_most", axis.at_most));
  }
  return out;
}

// The calls of the variant; without evidence none, but its ranges still tell what is not covered.
Result<Workload> calls_of(const Contract& contract, std::size_t variant) {
  auto load = workload_of(contract, variant);
  if (load.ok() || load.error().code != ErrorCode::no_evidence) return load;
  return planned_symbols(contract, variant);
}

}  // namespace

Result<std::vector<Ladder>> load_ladders(const std::string& path, std::string_view symbol) {
  TRY(const std::string text, load_file(path, kMaxLadderBytes));
  auto ladders = parse_ladders(text, symbol);
  if (!ladders.ok()) return within(std::move(ladders).error(), path, ": ");
  return ladders;
}

const Ladder* ladder_of(const std::vector<Ladder>& ladders, std::size_t variant, std::size_t variants,
                        const Workload& load) {
  const auto has = [&](const std::string& name) {
    return load.unplanned.symbols.contains(name) ||
           std::any_of(load.symbols.begin(), load.symbols.end(),
                       [&](const PlannedSymbol& symbol) { return symbol.name == name; });
  };
  for (const Ladder& ladder : ladders) {
    if (ladder.variant == variant) return &ladder;
    if (ladder.variant) continue;
    if (variants == 1) return &ladder;
    const bool fits = std::all_of(ladder.profiles.begin(), ladder.profiles.end(), [&](const Profile& profile) {
      return std::all_of(profile.symbols.begin(), profile.symbols.end(),
                         [&](const auto& entry) { return has(entry.first); });
    });
    if (fits) return &ladder;
  }
  return nullptr;
}

Json audit_json(const Audit& audit) {
  Json out = Json().add("calls", audit.calls).add("distinct", audit.distinct);
  out.add("outside", audit.outside).add("outside_distinct", audit.outside_distinct);
  out.add("padding", audit.score.padding).add("cost_per_call", audit.score.cost_per_call);
  out.add("exact_cost_per_call", audit.exact_cost_per_call).add("axes", axes_json(audit.axes));
  Json example;
  if (audit.example)
    for (const auto& [name, size] : *audit.example) example.add(name, size);
  out.add("example", std::move(example));
  Json::Array profiles, gaps;
  for (std::size_t p = 0; p < audit.uses.size(); ++p) {
    Json entry = Json().add("calls", audit.uses[p].calls).add("distinct", audit.uses[p].distinct);
    profiles.push_back(entry.add("outside", axes_json(audit.beyond[p])));
  }
  for (const SizeRanges& box : audit.uncovered) {
    Json entry = Json::Object();
    for (const auto& [name, range] : box) entry.add(name, Json().add("min", range.min).add("max", range.max));
    gaps.push_back(std::move(entry));
  }
  return out.add("profiles", std::move(profiles)).add("uncovered", std::move(gaps));
}

bool is_ladder_file(const std::string& path) {
  const auto text = load_file(path, kMaxLadderBytes);
  return text.ok() && is_ladder(*text);
}

int tell_outside(const Contract& contract, const std::string& path, std::string symbol, bool json, bool quiet) {
  const auto fail = [&](const Error& error) {
    print_error(error, json);
    return kFailed;
  };
  for (std::size_t v = 0; symbol.empty() && v < contract.variants().size(); ++v)
    if (const Workload load = planned_symbols(contract, v); load.symbols.size() == 1) symbol = load.symbols[0].name;
  const auto ladders = load_ladders(path, symbol);
  if (!ladders.ok()) return fail(ladders.error());
  bool inside = true;
  Json::Array variants;
  std::string told;
  for (std::size_t v = 0; v < contract.variants().size(); ++v) {
    const auto load = calls_of(contract, v);
    if (!load.ok() && load.error().code == ErrorCode::nothing_found) continue;
    if (!load.ok()) return fail(load.error());
    const Ladder* ladder = ladder_of(*ladders, v, contract.variants().size(), *load);
    const Ladder none;
    const auto audited = audit(*load, ladder ? *ladder : none);
    if (!audited.ok()) return fail(within(audited.error(), path, ": "));
    inside = inside && audited->outside == 0 && audited->uncovered.empty();
    Json entry = Json().add("variant", static_cast<std::uint64_t>(v));
    variants.push_back(entry.add("audit", audit_json(*audited)));
    if (contract.variants().size() > 1) told += "variant " + std::to_string(v) + "\n";
    told += ladder ? to_text(*audited, *ladder) + "\n" + to_text_by_profile(*audited, *ladder)
                   : "no profile is for this variant\n";
  }
  if (json) print(Json().add("inside", inside).add("variants", std::move(variants)).dump() + "\n");
  else if (!quiet) print(told);
  return inside ? kDone : kNo;
}

}  // namespace tensorspec::cli
