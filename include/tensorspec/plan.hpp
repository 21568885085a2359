// SPDX-License-Identifier: Apache-2.0
//
// plan: which K sizes to build an engine for. Calls are padded up to the cheapest bucket that holds them, or run in the
// profile that has them; the plan makes the expected cost of the calls seen small. Sizes are in elements, of symbols.
//
//   auto load = workload_of(contract, 0);               // or of a trace of lengths
//   auto made = plan(*load, {.k = 8});                  // one symbol: nothing cheaper exists; several: see lower_bound
//   for (const Profile& profile : made->profiles) ...
//
// Every function is pure; values may be shared between threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/contract.hpp"
#include "tensorspec/diff.hpp"
#include "tensorspec/profile.hpp"

namespace tensorspec {

// Columns of sizes, as a log of lengths has them.
struct SizeTrace {
  std::vector<std::string> names;     // of the columns
  std::vector<std::int64_t> sizes;    // row after row, one size a column
  std::vector<std::uint64_t> counts;  // how often each row was seen; empty: once
};

// A symbol that a plan chooses sizes for.
struct PlannedSymbol {
  std::string name;
  std::int64_t multiple_of = 1, residue = 0;  // sizes chosen are residue modulo multiple_of
  std::optional<std::int64_t> min, max;       // sizes that are allowed; nullopt: no limit known
  bool declared = false;                      // a person stated the range: to be covered whether seen or not
  std::vector<std::string> axes;              // that have this size, or an expression of it: "x[3]"
};

// How often each combination of sizes is asked for.
struct Workload {
  std::vector<PlannedSymbol> symbols;
  std::vector<std::int64_t> sizes;    // row after row, one size a symbol; rows differ and ascend
  std::vector<std::uint64_t> counts;  // of each row, at least 1; their sum fits
  Dim cost;                           // of a call, unless the options say another
  std::vector<std::int64_t> largest;  // size of each symbol in any call, those that are no row too
  bool subset = false;                // there were other different calls than these
  Profile unplanned;                  // symbols that only outputs have, nobody chooses their sizes; in every profile
  std::vector<std::string> notes;     // what is to be known of the figures

  std::size_t rows() const noexcept { return counts.size(); }
  std::span<const std::int64_t> row(std::size_t at) const noexcept {
    return {sizes.data() + at * symbols.size(), symbols.size()};
  }
};

// The columns are the symbols; the cost is their product. Errors: nothing_found (no row, no column), invalid_argument
// (a column twice, not a name, no whole rows), invalid_extent, overflow (the counts).
Result<Workload> workload_of(const SizeTrace& trace);
// The calls behind a variant, from its evidence: all of them, or those its samples hold (`subset`; with one symbol the
// histograms tell the rest). The cost is the elements of the inputs. Errors: no_evidence, nothing_found (no varying
// size). REQUIRES: variant < the contract's.
Result<Workload> workload_of(const Contract& contract, std::size_t variant);
// The sizes of the trace, by names of symbols, with steps and ranges of the contract. Errors: those of the trace, and
// invalid_argument when the names are not those of the symbols.
Result<Workload> workload_of(const Contract& contract, std::size_t variant, const SizeTrace& trace);
// The symbols alone, without a call. REQUIRES: variant < the contract's.
Workload planned_symbols(const Contract& contract, std::size_t variant);
// Sizes of the symbol are to be multiples of `multiple` besides. Errors: invalid_argument (no such symbol, no size is
// both).
Status round_up(Workload& load, std::string_view symbol, std::int64_t multiple);

// buckets: one shape each, smaller calls are padded up to it; min = opt = max. profiles: an engine takes what lies
// between min and max, is tuned for opt and sized for max, which is what counts as the cost.
enum class PlanMode : std::uint8_t { buckets, profiles };

struct PlanOptions {
  PlanMode mode = PlanMode::buckets;
  std::size_t k = 8;                       // at most so many
  std::optional<Dim> cost = std::nullopt;  // over the symbols; may not fall when one grows
  bool nested = false;                     // profiles all begin at the smallest size, instead of where the last ended
  bool seen_only = false;                  // leave what was declared and never seen uncovered
};

// What a set of buckets costs.
struct PlanScore {
  std::size_t profiles = 0;
  double cost_per_call = 0;
  double padding = 0;  // share of the cost: 1 - cost of the sizes asked for / cost
};

struct ProfileUse {
  std::uint64_t calls = 0;  // by weight
  std::uint64_t distinct = 0;
  std::int64_t cost = 0;  // of one call
};

using SizeRanges = std::map<std::string, SizeRange, std::less<>>;  // by symbol

struct Plan {
  std::size_t variant = 0;  // of the contract
  PlanMode mode = PlanMode::buckets;
  std::size_t k = 0;  // asked for
  Dim cost;
  std::vector<PlannedSymbol> symbols;
  std::vector<Profile> profiles;  // the cheapest first; fewer than k when more would save nothing
  std::vector<ProfileUse> uses;   // of each profile; a call counts for the cheapest that takes it
  std::uint64_t calls = 0, distinct = 0;
  double exact_cost_per_call = 0;  // nothing padded
  PlanScore score;
  double lower_bound = 0;       // cost per call that no k buckets go below; proved, not estimated
  bool optimal = false;         // proved: the bound is reached
  std::vector<PlanScore> by_k;  // one symbol: every number up to k; several: powers of two and k
  PlanScore powers_of_two, unlimited;
  std::vector<SizeRanges> uncovered;  // allowed sizes that no profile takes; the first 64 boxes
  std::vector<std::string> notes;
};

// One varying symbol, or sizes that only grow together: exact, O(different sizes * k). Several: greedy choice of
// corners, swaps and shifts while they save, beside a lower bound by Lagrangian relaxation; seconds for k up to 64.
// Errors: invalid_argument (k = 0, too many sizes times k), plan_cost (a name that is no symbol; falls when a symbol
// grows, or cannot be shown not to; negative, not whole or too large somewhere).
Result<Plan> plan(const Workload& load, const PlanOptions& options = {});

// The plan file, version 1, docs/plan.schema.json.
std::string to_json(const std::vector<Plan>& plans);

// Sizes that an engine was built for, whoever chose them.
struct Ladder {
  std::optional<std::size_t> variant;  // nullopt: any
  PlanMode mode = PlanMode::buckets;   // buckets: what is smaller than opt = max fits
  std::vector<Profile> profiles;       // a symbol that is missing may have any size, and is not padded
};

// Of a plan file, of {"seq": [128, 256], "batch": [1, 8]} (every combination), of {"profiles": [{"seq": 128}, {"seq":
// {"min": 1, "opt": 64, "max": 128}}]}, or of [128, 256], sizes of `symbol`. Errors: json_*, plan_format.
Result<std::vector<Ladder>> parse_ladders(std::string_view text, std::string_view symbol = {});
// Whether the text is meant to be one, rather than a contract.
bool is_ladder(std::string_view text);

// Calls outside all profiles for one reason.
struct OutsideAxis {
  std::string symbol;
  std::vector<std::string> axes;  // "x[3]"
  std::uint64_t calls = 0, distinct = 0;
  std::int64_t smallest = 0, largest = 0;         // sizes among these calls
  std::optional<std::int64_t> at_least, at_most;  // what the nearest profiles want, at the widest
};

struct Audit {
  std::uint64_t calls = 0, distinct = 0;
  std::uint64_t outside = 0, outside_distinct = 0;  // in no profile
  PlanScore score;                                  // of the calls inside
  double exact_cost_per_call = 0;                   // of the calls inside
  std::vector<ProfileUse> uses;                     // of each profile; cost is that of its largest call seen
  std::vector<std::vector<OutsideAxis>> beyond;     // of each profile: why calls are outside it, by axis
  std::vector<OutsideAxis> axes;                    // why calls are outside all, by axis, held against the nearest
  std::optional<std::map<std::string, std::int64_t>> example;  // the most frequent call outside
  std::vector<SizeRanges> uncovered;  // allowed sizes in no profile, seen or not; the first 64 boxes
};

// Scores a ladder on the calls. Errors: plan_format (a symbol that the workload does not have), plan_cost.
Result<Audit> audit(const Workload& load, const Ladder& ladder, const std::optional<Dim>& cost = std::nullopt);

std::string_view to_string(PlanMode mode) noexcept;

}  // namespace tensorspec
