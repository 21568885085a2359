// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/try.hpp"
#include "plan/cover.hpp"
#include "plan/problem.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec {
namespace {

using namespace planning;

// A profile by symbols: what it takes, and the corner that a call pays for, its own size where nothing is fixed.
struct Side {
  std::int64_t low = 0, high = INT64_MAX;
  bool free = true;
};

void merge(OutsideAxis& into, const Side& side, std::int64_t size, std::uint64_t count) {
  into.smallest = into.distinct == 0 ? size : std::min(into.smallest, size);
  into.largest = std::max(into.largest, size);
  into.calls += count;
  ++into.distinct;
  if (size < side.low) into.at_least = std::min(into.at_least.value_or(side.low), side.low);
  if (size > side.high) into.at_most = std::max(into.at_most.value_or(side.high), side.high);
}

class Auditor {
 public:
  Auditor(const Workload& load, const Ladder& ladder, const Cost& cost) : load_(load), ladder_(ladder), cost_(cost) {}

  Result<Audit> run() {
    out_.uses.resize(ladder_.profiles.size());
    out_.beyond.resize(ladder_.profiles.size());
    for (const Profile& profile : ladder_.profiles) TRY_VOID(add_profile(profile));
    std::vector<std::map<std::size_t, OutsideAxis>> beyond(sides_.size());
    std::map<std::size_t, OutsideAxis> axes;
    for (std::size_t i = 0; i < load_.rows(); ++i) TRY_VOID(add_row(i, beyond, axes));
    for (std::size_t p = 0; p < sides_.size(); ++p) name(beyond[p], out_.beyond[p]);
    name(axes, out_.axes);
    const double calls = static_cast<double>(out_.calls - out_.outside);
    out_.score.profiles = ladder_.profiles.size();
    if (calls > 0) {
      out_.score.cost_per_call = static_cast<double>(padded_) / calls;
      out_.exact_cost_per_call = static_cast<double>(exact_) / calls;
      out_.score.padding = padded_ == 0 ? 0 : static_cast<double>(padded_ - exact_) / static_cast<double>(padded_);
    }
    out_.uncovered = uncovered(load_.symbols, ladder_.profiles, ladder_.mode);
    return std::move(out_);
  }

 private:
  Status add_profile(const Profile& profile) {
    std::vector<Side> sides(load_.symbols.size());
    for (const auto& [name, range] : profile.symbols) {
      const auto at = std::find_if(load_.symbols.begin(), load_.symbols.end(),
                                   [&, &wanted = name](const PlannedSymbol& symbol) { return symbol.name == wanted; });
      if (at != load_.symbols.end()) {
        sides[static_cast<std::size_t>(at - load_.symbols.begin())] = {
            ladder_.mode == PlanMode::buckets ? 0 : range.min, range.max, false};
      } else if (load_.unplanned.symbols.find(name) == load_.unplanned.symbols.end()) {
        return Error{ErrorCode::plan_format, name, "the calls have no symbol of this name"};
      }
    }
    sides_.push_back(std::move(sides));
    return {};
  }

  Status add_row(std::size_t i, std::vector<std::map<std::size_t, OutsideAxis>>& beyond,
                 std::map<std::size_t, OutsideAxis>& axes) {
    const SizesView row = load_.row(i);
    const std::uint64_t count = load_.counts[i];
    out_.calls += count;
    ++out_.distinct;
    Sizes rounded, corner;
    for (std::size_t s = 0; s < row.size(); ++s) rounded.push_back(planning::round_up(load_.symbols[s], row[s]));
    std::optional<std::int64_t> cheapest;
    std::size_t taken_by = 0, nearest = 0, fewest = row.size() + 1;
    for (std::size_t p = 0; p < sides_.size(); ++p) {
      const std::size_t broken = hold(rounded, sides_[p], row, count, beyond[p]);
      if (broken < fewest || (broken == fewest && nearer(rounded, p, nearest))) {
        fewest = broken;
        nearest = p;
      }
      if (broken > 0) continue;
      corner = rounded;
      for (std::size_t s = 0; s < row.size(); ++s)
        if (!sides_[p][s].free) corner[s] = sides_[p][s].high;
      const auto cost = cost_.at(corner);
      if (!cost) return Error{ErrorCode::plan_cost, "", "a profile of the ladder has no cost: not whole or too large"};
      if (cheapest && *cheapest <= *cost) continue;
      cheapest = cost;
      taken_by = p;
    }
    if (!cheapest) {
      if (!sides_.empty()) hold(rounded, sides_[nearest], row, count, axes);
      add_outside(i);
      return {};
    }
    const auto own = cost_.at(row);
    if (!own) return Error{ErrorCode::plan_cost, "", "a call has no cost: not whole or too large"};
    if (*own > *cheapest)
      return Error{ErrorCode::plan_cost, "", "a call costs more than the larger profile that takes it"};
    padded_ += Wide(count) * static_cast<std::uint64_t>(*cheapest);
    exact_ += Wide(count) * static_cast<std::uint64_t>(*own);
    ProfileUse& use = out_.uses[taken_by];
    use.calls += count;
    ++use.distinct;
    use.cost = std::max(use.cost, *cheapest);
    return {};
  }

  // In how many symbols the row is outside, each told.
  std::size_t hold(const Sizes& rounded, const std::vector<Side>& sides, SizesView row, std::uint64_t count,
                   std::map<std::size_t, OutsideAxis>& told) const {
    std::size_t broken = 0;
    for (std::size_t s = 0; s < rounded.size(); ++s) {
      if (rounded[s] >= sides[s].low && rounded[s] <= sides[s].high) continue;
      ++broken;
      merge(told[s], sides[s], row[s], count);
    }
    return broken;
  }

  // By how far the sizes are outside, symbol by symbol.
  bool nearer(const Sizes& rounded, std::size_t a, std::size_t b) const {
    const auto far = [&](std::size_t p, std::size_t s) {
      const Side& side = sides_[p][s];
      return std::max<std::int64_t>({0, side.low - rounded[s], rounded[s] > side.high ? rounded[s] - side.high : 0});
    };
    for (std::size_t s = 0; s < rounded.size(); ++s)
      if (far(a, s) != far(b, s)) return far(a, s) < far(b, s);
    return false;
  }

  void add_outside(std::size_t i) {
    out_.outside += load_.counts[i];
    ++out_.outside_distinct;
    if (load_.counts[i] <= most_outside_) return;
    most_outside_ = load_.counts[i];
    out_.example.emplace();
    for (std::size_t s = 0; s < load_.symbols.size(); ++s) (*out_.example)[load_.symbols[s].name] = load_.row(i)[s];
  }

  void name(std::map<std::size_t, OutsideAxis>& told, std::vector<OutsideAxis>& out) const {
    for (auto& [s, axis] : told) {
      axis.symbol = load_.symbols[s].name;
      axis.axes = load_.symbols[s].axes;
      out.push_back(std::move(axis));
    }
  }

  const Workload& load_;
  const Ladder& ladder_;
  const Cost& cost_;
  std::vector<std::vector<Side>> sides_;
  Wide padded_ = 0, exact_ = 0;
  std::uint64_t most_outside_ = 0;
  Audit out_;
};

}  // namespace

Result<Audit> audit(const Workload& load, const Ladder& ladder, const std::optional<Dim>& cost) {
  std::vector<std::string> names;
  for (const PlannedSymbol& symbol : load.symbols) names.push_back(symbol.name);
  TRY(const Cost compiled, Cost::make(cost.value_or(load.cost), names));
  return Auditor(load, ladder, compiled).run();
}

}  // namespace tensorspec
