// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "contract/columns.hpp"
#include "plan/solve.hpp"
#include "plan/wide.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec {
namespace {

using planning::RowSolver;
using planning::Sizes;

using Counts = std::map<Sizes, std::uint64_t>;

std::vector<std::string> names_of(const std::vector<PlannedSymbol>& symbols) {
  std::vector<std::string> out;
  for (const PlannedSymbol& symbol : symbols) out.push_back(symbol.name);
  return out;
}

Status fill(Workload& load, const Counts& counts) {
  if (counts.empty()) return Error{ErrorCode::nothing_found, "", "no call to plan for"};
  std::uint64_t calls = 0;
  load.largest.assign(load.symbols.size(), 0);
  for (const auto& [sizes, count] : counts) {
    if (__builtin_add_overflow(calls, count, &calls))
      return Error{ErrorCode::overflow, "", "the counts of all calls together"};
    load.sizes.insert(load.sizes.end(), sizes.begin(), sizes.end());
    load.counts.push_back(count);
    for (std::size_t s = 0; s < sizes.size(); ++s) load.largest[s] = std::max(load.largest[s], sizes[s]);
  }
  return {};
}

Dim product(const std::vector<PlannedSymbol>& symbols) {
  Dim out(1);
  for (const PlannedSymbol& symbol : symbols)
    if (auto next = Dim::multiply(out, Dim::symbol(symbol.name)); next.ok()) out = std::move(next).value();
  return out;
}

// Of all inputs together; the product of the symbols when that is too long to write.
Dim elements(const Variant& variant, const std::vector<PlannedSymbol>& symbols) {
  Result<Dim> sum = Dim(0);
  for (const TensorContract& tensor : variant.inputs) {
    Result<Dim> size = Dim(1);
    for (const Dim& dim : tensor.shape)
      if (size.ok()) size = Dim::multiply(*size, dim);
    if (size.ok() && size->symbols().empty()) continue;  // the same in every call
    sum = size.ok() && sum.ok() ? Dim::add(*sum, *size) : Result<Dim>(Error{});
  }
  return sum.ok() && !sum->symbols().empty() ? *sum : product(symbols);
}

// The symbols that inputs or the batch size have; the others go to `unplanned`, with what is known of them.
Workload outline(const Variant& variant) {
  Workload load;
  for (const Symbol& symbol : variant.symbols) {
    PlannedSymbol out{symbol.name, symbol.multiple_of, symbol.residue, symbol.min, symbol.max, symbol.declared, {}};
    // The ends of a range need not be on the step.
    if (out.max) *out.max -= (*out.max - out.residue) % out.multiple_of;
    const auto uses = [&](const Dim& dim) {
      const auto used = dim.symbols();
      return std::binary_search(used.begin(), used.end(), symbol.name);
    };
    for (const TensorContract& tensor : variant.inputs)
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
        if (uses(tensor.shape[axis])) out.axes.push_back(axis_name(tensor.name, axis));
    if (!out.axes.empty() || (variant.batch_size && uses(*variant.batch_size))) {
      load.symbols.push_back(std::move(out));
    } else if (symbol.max) {
      const std::int64_t low = symbol.min.value_or(0);
      load.unplanned.symbols[symbol.name] = {low, std::clamp(symbol.typical.value_or(low), low, *symbol.max),
                                             *symbol.max};
    }
  }
  load.cost = elements(variant, load.symbols);
  return load;
}

// Sizes of a bin of which one is to be of the symbol's step.
constexpr std::size_t kMaxTried = 1 << 16;

// With one symbol, the calls that left the sample are in the histogram of its column.
bool add_tail(const State& state, const RowSolver& solver, Counts& counts) {
  const auto column = solver.column_of(0);
  if (!column) return false;
  const SizeHistogram tail = state.tail(*column);
  for (const auto& [size, count] : tail.counts()) {
    // The largest size of its bin: padding is not to be told smaller than it is.
    std::int64_t at = tail.exact() ? size : std::min(SizeHistogram::bin_end(size), state.maximum()[*column]);
    auto found = solver.solve_alone(0, at);
    for (std::size_t tried = 0; !found && at > size && tried < kMaxTried; ++tried) found = solver.solve_alone(0, --at);
    if (!found) return false;
    std::uint64_t& all = counts[{*found}];
    all = saturating_add(all, count);
  }
  return true;
}

// Joins the calls of all states of the variant.
void add_states(const Contract& contract, const Variant& variant, Workload& load, Counts& counts) {
  const std::vector<std::string> names = names_of(load.symbols);
  std::uint64_t weight = 0, in_sample = 0, unsolved = 0;
  for (const auto& [signature, state] : contract.evidence()->states()) {
    const auto first = first_columns(variant, signature);
    if (!first) continue;
    weight = saturating_add(weight, state.weight());
    const RowSolver solver(variant, signature, *first, names);
    for (const auto& [key, count] : state.sample().entries()) {
      const auto sizes = solver.solve(key.extents);
      if (!sizes) {
        unsolved = saturating_add(unsolved, count);
        continue;
      }
      in_sample = saturating_add(in_sample, count);
      std::uint64_t& all = counts[*sizes];
      all = saturating_add(all, count);
    }
    if (!state.sample().saturated()) continue;
    if (names.size() == 1 && add_tail(state, solver, counts)) {
      if (!state.tail(*solver.column_of(0)).exact())
        load.notes.push_back("sizes beyond the sample were counted in bins of 1 %; each counts as its largest");
    } else {
      load.subset = true;
    }
  }
  if (unsolved > 0) load.notes.push_back(counted(unsolved, "call") + " left out: their inputs do not tell all sizes");
  if (load.subset)
    load.notes.push_back("the evidence is a sample: " + counted(counts.size(), "different call") + ", " +
                         std::to_string(in_sample) + " of " + counted(weight, "call") + "; the figures are of these");
}

Status check_trace(const SizeTrace& trace) {
  const std::size_t columns = trace.names.size();
  if (columns == 0 || trace.sizes.empty()) return Error{ErrorCode::nothing_found, "", "no sizes in the trace"};
  if (const auto twice = repeated({trace.names.begin(), trace.names.end()}))
    return Error{ErrorCode::invalid_argument, printable(*twice), "the name of two columns"};
  for (const std::string& name : trace.names)
    if (const auto dim = Dim::parse(name); !dim.ok() || !dim->as_symbol())
      return Error{ErrorCode::invalid_argument, printable(name), "a column needs a name of letters, digits and _"};
  if (trace.sizes.size() % columns != 0 ||
      (!trace.counts.empty() && trace.counts.size() != trace.sizes.size() / columns))
    return Error{ErrorCode::invalid_argument, "", "the trace does not have a size in every column of every row"};
  for (const std::int64_t size : trace.sizes)
    if (size < 0 || size > kMaxExtent) return Error{ErrorCode::invalid_extent, "", std::to_string(size)};
  return {};
}

// Rows of the trace with these columns, in this order; a column that is nullopt has one fixed size.
Counts rows_of(const SizeTrace& trace, const std::vector<std::optional<std::size_t>>& columns, const Sizes& fixed) {
  Counts counts;
  Sizes sizes = fixed;
  for (std::size_t row = 0; row < trace.sizes.size() / trace.names.size(); ++row) {
    const std::uint64_t count = trace.counts.empty() ? 1 : trace.counts[row];
    if (count == 0) continue;
    for (std::size_t s = 0; s < columns.size(); ++s)
      if (columns[s]) sizes[s] = trace.sizes[row * trace.names.size() + *columns[s]];
    std::uint64_t& all = counts[sizes];
    all = saturating_add(all, count);
  }
  return counts;
}

}  // namespace

Result<Workload> workload_of(const SizeTrace& trace) {
  TRY_VOID(check_trace(trace));
  Workload load;
  std::vector<std::optional<std::size_t>> columns;
  for (const std::string& name : trace.names) {
    columns.emplace_back(load.symbols.size());
    load.symbols.push_back({name, 1, 0, {}, {}, false, {}});
  }
  load.cost = product(load.symbols);
  TRY_VOID(fill(load, rows_of(trace, columns, Sizes(columns.size()))));
  return load;
}

Workload planned_symbols(const Contract& contract, std::size_t variant) {
  Workload load = outline(contract.variants()[variant]);
  load.largest.assign(load.symbols.size(), 0);
  return load;
}

Result<Workload> workload_of(const Contract& contract, std::size_t variant) {
  const Variant& of = contract.variants()[variant];
  Workload load = outline(of);
  if (load.symbols.empty()) return Error{ErrorCode::nothing_found, "", "no input has a varying size"};
  if (!contract.evidence())
    return Error{ErrorCode::no_evidence, "", "a trace of sizes beside it tells how often each is asked for"};
  Counts counts;
  add_states(contract, of, load, counts);
  TRY_VOID(fill(load, counts));
  if (load.subset)
    for (std::size_t s = 0; s < load.symbols.size(); ++s)
      load.largest[s] = std::max(load.largest[s], load.symbols[s].max.value_or(0));
  return load;
}

Result<Workload> workload_of(const Contract& contract, std::size_t variant, const SizeTrace& trace) {
  TRY_VOID(check_trace(trace));
  Workload load = outline(contract.variants()[variant]);
  if (load.symbols.empty()) return Error{ErrorCode::nothing_found, "", "no input has a varying size"};
  std::vector<std::optional<std::size_t>> columns;
  Sizes fixed;
  for (const PlannedSymbol& symbol : load.symbols) {
    const auto at = std::find(trace.names.begin(), trace.names.end(), symbol.name);
    const bool found = at != trace.names.end();
    if (!found && (!symbol.min || symbol.min != symbol.max))
      return Error{ErrorCode::invalid_argument, symbol.name,
                   "no column of the trace has its sizes; there are " + printable(join(trace.names, ", "))};
    columns.push_back(found ? std::optional(static_cast<std::size_t>(at - trace.names.begin())) : std::nullopt);
    fixed.push_back(symbol.min.value_or(0));
  }
  TRY_VOID(fill(load, rows_of(trace, columns, fixed)));
  return load;
}

namespace {

// The least k >= 0 with a * k = r modulo m. REQUIRES: a and m coprime, a >= 0, 0 <= r < m.
std::int64_t quotient(std::int64_t r, std::int64_t a, std::int64_t m) {
  if (m <= 1) return 0;
  std::int64_t rest = m, next_rest = a % m, inverse = 0, next_inverse = 1;
  while (next_rest != 0) {
    const std::int64_t times = rest / next_rest;
    rest = std::exchange(next_rest, rest - times * next_rest);
    inverse = std::exchange(next_inverse, inverse - times * next_inverse);
  }
  const planning::Wide positive = static_cast<std::uint64_t>(inverse < 0 ? inverse + m : inverse);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(r) * positive % static_cast<planning::Wide>(m));
}

}  // namespace

Status round_up(Workload& load, std::string_view symbol, std::int64_t multiple) {
  for (PlannedSymbol& at : load.symbols) {
    if (at.name != symbol) continue;
    const std::int64_t common = std::gcd(at.multiple_of, multiple);
    const auto both = multiple >= 1 ? checked_mul(at.multiple_of / common, multiple) : std::nullopt;
    if (!both || *both > kMaxExtent || at.residue % common != 0)
      return Error{ErrorCode::invalid_argument, at.name,
                   "no size is a multiple of " + std::to_string(multiple) + " and " + std::to_string(at.residue) +
                       " modulo " + std::to_string(at.multiple_of)};
    // k * multiple is the residue modulo the step: both divided by what they share.
    at.residue = multiple * quotient(at.residue / common, multiple / common, at.multiple_of / common);
    at.multiple_of = *both;
    return {};
  }
  return Error{ErrorCode::invalid_argument, std::string(symbol),
               "no symbol here; there are " + join(names_of(load.symbols), ", ")};
}

}  // namespace tensorspec
