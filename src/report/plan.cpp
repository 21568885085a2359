// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "report/table.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxProfilesTold = 40, kMaxBoxesTold = 4, kMaxAxesTold = 3;

using Rows = std::vector<std::vector<std::string>>;

std::string decimal(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string percent(double share) { return decimal(100 * share, 1) + " %"; }
std::string percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? "0 %" : percent(static_cast<double>(part) / static_cast<double>(of));
}

std::string noun(PlanMode mode) { return mode == PlanMode::buckets ? "bucket" : "profile"; }

// Sizes of one symbol in one profile: "448", "..448 usually 320", "321..448 usually 352".
std::string range_text(const ProfileRange& range, PlanMode mode) {
  if (mode == PlanMode::buckets) return std::to_string(range.max);
  if (range.min == range.max) return std::to_string(range.max);
  return std::to_string(range.min) + ".." + std::to_string(range.max) + " opt " + std::to_string(range.opt);
}

std::string range_text(const SizeRange& range) {
  if (range.max && range.min == range.max) return std::to_string(*range.max);
  if (!range.max) return "from " + std::to_string(range.min.value_or(0));
  return std::to_string(range.min.value_or(0)) + ".." + std::to_string(*range.max);
}

std::string box_text(const SizeRanges& box) {
  std::vector<std::string> parts;
  for (const auto& [name, range] : box) parts.push_back(printable(name) + " " + range_text(range));
  return join(parts, ", ");
}

void add_uncovered(const std::vector<SizeRanges>& boxes, Rows& rows) {
  for (std::size_t i = 0; i < std::min(boxes.size(), kMaxBoxesTold); ++i)
    rows.push_back({i == 0 ? "not covered" : "", box_text(boxes[i])});
  if (boxes.size() > kMaxBoxesTold)
    rows.push_back({"", "and " + std::to_string(boxes.size() - kMaxBoxesTold) + " more; --json lists them"});
}

std::string axis_text(const OutsideAxis& axis) {
  std::vector<std::string> names(
      axis.axes.begin(), axis.axes.begin() + static_cast<std::ptrdiff_t>(std::min(axis.axes.size(), kMaxAxesTold)));
  for (std::string& name : names) name = printable(name);
  if (axis.axes.size() > kMaxAxesTold) names.push_back("...");
  std::string text = printable(axis.symbol) + (names.empty() ? "" : " (" + join(names, ", ") + ")");
  text += ": " + (axis.smallest == axis.largest ? std::to_string(axis.smallest)
                                                : std::to_string(axis.smallest) + ".." + std::to_string(axis.largest));
  if (axis.at_most) text += ", at most " + std::to_string(*axis.at_most);
  if (axis.at_least) text += ", at least " + std::to_string(*axis.at_least);
  return text;
}

std::vector<std::string> score_row(const std::string& what, const PlanScore& score, const std::string& remark) {
  return {what, percent(score.padding), decimal(score.cost_per_call, 1), remark};
}

std::string profiles_table(const Plan& plan) {
  std::vector<std::string> head = {noun(plan.mode)};
  for (const PlannedSymbol& symbol : plan.symbols) head.push_back(printable(symbol.name));
  head.push_back("calls");
  Rows rows = {head};
  for (std::size_t p = 0; p < std::min(plan.profiles.size(), kMaxProfilesTold); ++p) {
    std::vector<std::string> row = {std::to_string(p)};
    for (const PlannedSymbol& symbol : plan.symbols)
      row.push_back(range_text(plan.profiles[p].symbols.find(symbol.name)->second, plan.mode));
    row.push_back(std::to_string(plan.uses[p].calls) + " (" + percent(plan.uses[p].calls, plan.calls) + ")");
    rows.push_back(std::move(row));
  }
  std::string out = align(rows, "  ");
  if (plan.profiles.size() > kMaxProfilesTold)
    out += "  and " + std::to_string(plan.profiles.size() - kMaxProfilesTold) + " more; --json lists them\n";
  return out;
}

// One bucket, doublings of it, this plan, and the others it is held against.
std::string scores_table(const Plan& plan) {
  Rows rows = {{noun(plan.mode) + "s", "padding", "cost a call"}};
  for (const PlanScore& score : plan.by_k)
    if ((score.profiles & (score.profiles - 1)) == 0 && score.profiles < plan.profiles.size())
      rows.push_back(score_row(std::to_string(score.profiles), score, ""));
  rows.push_back(score_row(std::to_string(plan.score.profiles), plan.score, "this plan"));
  if (plan.powers_of_two.profiles > 0)
    rows.push_back(score_row(std::to_string(plan.powers_of_two.profiles) + " powers of two", plan.powers_of_two, ""));
  rows.push_back(score_row(std::to_string(plan.unlimited.profiles) + ", one a size", plan.unlimited, ""));
  return align(rows, "  ");
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string out = counted(plan.profiles.size(), noun(plan.mode)) + " for " + counted(plan.calls, "call") + " of " +
                    counted(plan.distinct, "size") + ": " + percent(plan.score.padding) + " of the cost is padding; ";
  if (plan.optimal) {
    out += "no " + std::to_string(plan.k) + " do better\n\n";
  } else {
    const double least = 1 - plan.exact_cost_per_call / plan.lower_bound;
    out += "no " + std::to_string(plan.k) + " have less than " + percent(least) + "\n\n";
  }
  out += profiles_table(plan) + "\n" + scores_table(plan) + "\n";
  Rows rows = {{"cost", plan.cost.to_string()}};
  if (plan.profiles.size() < plan.k)
    rows.push_back({"fewer", "more than " + std::to_string(plan.profiles.size()) + " would save nothing"});
  if (!plan.optimal)
    rows.push_back({"gap", "at most " + percent(plan.score.cost_per_call / plan.lower_bound - 1) +
                               " above the cheapest " + std::to_string(plan.k) + " there are"});
  const bool limits = std::any_of(plan.symbols.begin(), plan.symbols.end(),
                                  [](const PlannedSymbol& symbol) { return symbol.min || symbol.max; });
  if (limits && plan.uncovered.empty()) rows.push_back({"not covered", "nothing"});
  add_uncovered(plan.uncovered, rows);
  for (const std::string& note : plan.notes) rows.push_back({"note", printable(note)});
  return out + align(rows, "");
}

std::string to_text(const Audit& audit, const Ladder& ladder, const Plan* best) {
  std::string out = counted(ladder.profiles.size(), noun(ladder.mode)) + ": " + percent(audit.score.padding) +
                    " of the cost is padding; ";
  if (audit.outside == 0) out += "all " + counted(audit.calls, "call") + " inside\n";
  else
    out += std::to_string(audit.outside) + " of " + counted(audit.calls, "call") + " (" +
           percent(audit.outside, audit.calls) + ") outside\n";
  Rows rows;
  for (const OutsideAxis& axis : audit.axes)
    rows.push_back({&axis == &audit.axes[0] ? "outside" : "", axis_text(axis), counted(axis.calls, "call")});
  if (audit.example) {
    std::vector<std::string> sizes;
    for (const auto& [name, size] : *audit.example) sizes.push_back(printable(name) + " = " + std::to_string(size));
    rows.push_back({"for instance", join(sizes, ", ")});
  }
  const auto unused =
      std::count_if(audit.uses.begin(), audit.uses.end(), [](const ProfileUse& u) { return u.calls == 0; });
  if (unused > 0) rows.push_back({"unused", counted(static_cast<std::uint64_t>(unused), noun(ladder.mode))});
  add_uncovered(audit.uncovered, rows);
  if (best) {
    // What the ladder leaves out it does not pad, so the two figures do not compare.
    std::vector<std::string> more;
    for (const PlannedSymbol& symbol : best->symbols)
      if (std::none_of(ladder.profiles.begin(), ladder.profiles.end(),
                       [&](const Profile& profile) { return profile.symbols.contains(symbol.name); }))
        more.push_back(printable(symbol.name));
    rows.push_back({"a plan", counted(best->profiles.size(), noun(best->mode)) + ": " + percent(best->score.padding) +
                                  " padding" + (more.empty() ? "" : ", that of " + join(more, ", ") + " too") +
                                  ", all calls inside"});
  }
  return out + align(rows, "");
}

std::string to_text_by_profile(const Audit& audit, const Ladder& ladder) {
  Rows rows = {{noun(ladder.mode), "takes", "outside it"}};
  for (std::size_t p = 0; p < std::min(ladder.profiles.size(), kMaxProfilesTold); ++p) {
    bool first = true;
    const std::string number = std::to_string(p), takes = counted(audit.uses[p].calls, "call");
    if (audit.beyond[p].empty()) rows.push_back({number, takes, "nothing"});
    for (const OutsideAxis& axis : audit.beyond[p]) {
      rows.push_back({first ? number : "", first ? takes : "", axis_text(axis), counted(axis.calls, "call")});
      first = false;
    }
  }
  std::string out = align(rows, "  ");
  if (ladder.profiles.size() > kMaxProfilesTold)
    out += "  and " + std::to_string(ladder.profiles.size() - kMaxProfilesTold) + " more; --json lists them\n";
  return out;
}

}  // namespace tensorspec
