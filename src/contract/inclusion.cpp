// SPDX-License-Identifier: Apache-2.0
//
// Proofs; the search for calls is in inclusion_search.cpp.
#include "contract/inclusion.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/checked.hpp"

namespace tensorspec::diffing {
namespace {

bool contains(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// Leaves those sizes of the one symbol for which the value may lie in the interval.
void restrict_to(const Dim& value, const Interval& interval, Domains& domains) {
  const auto& terms = value.terms();
  if (terms.empty() || terms.size() > 2 || terms[0].factors.size() != 1 || terms[0].factors[0].argument) return;
  if (terms.size() == 2 && !terms[1].factors.empty()) return;
  Domain& domain = domains.at(terms[0].factors[0].name);
  const std::int64_t factor = terms[0].coefficient, offset = terms.size() == 2 ? terms[1].coefficient : 0;
  if (factor < 1) return;
  // factor*symbol + offset == denominator*value
  const auto bound = [&](std::int64_t limit) {
    const auto scaled = checked_mul(limit, value.denominator());
    return scaled ? checked_sub(*scaled, offset) : std::nullopt;
  };
  const Domain empty{1, 0, 1};
  if (const auto low = bound(interval.low)) {
    const auto first = domain.at_least(ceil_div(*low, factor));
    if (first) domain.low = *first;
    else domain = empty;
  }
  if (const auto high = interval.high == kNoLimit ? std::nullopt : bound(interval.high)) {
    const auto last = domain.at_most(floor_div(*high, factor));
    if (last) domain.high = *last;
    else domain = empty;
  }
}

}  // namespace

Inclusion::Inclusion(const std::vector<Column>& columns, const Side& from, const Side& to, Effort& effort)
    : columns_(&columns), from_(&from), to_(&to), effort_(&effort) {
  Given all;
  all.columns.resize(columns.size());
  std::iota(all.columns.begin(), all.columns.end(), std::size_t{0});
  bool progress = true;
  while (progress) {
    progress = false;
    for (const std::size_t column : all.columns) progress = force(all, column, true) || progress;
  }
  guesses_ = std::move(all.forced);
  for (const auto& [name, domain] : from.domains) start_[name] = domain.low;
  const auto call =
      search_all(all.columns, none_, [&](const Sizes& sizes) { return is_call(sizes, Column::Stage::output); });
  if (call) start_ = *call;
}

void Inclusion::give(std::size_t column) {
  given_.columns.push_back(column);
  given_.pending.push_back(column);
  conclude(given_);
}

void Inclusion::start_from(const Sizes& sizes) {
  for (const auto& [name, size] : sizes) start_[name] = size;
}

void Inclusion::conclude(Given& given) const {
  for (bool progress = true; progress;) {
    progress = false;
    for (const std::size_t column : given.pending) {
      progress = force(given, column, false) || progress;
      progress = merge(given, column) || progress;
    }
  }
  std::erase_if(given.pending, [&](std::size_t column) { return settled(given, column); });
}

// Both sides say the same there.
bool Inclusion::settled(const Given& given, std::size_t column) const {
  const auto theirs = replace_all(to_->dims[column], given.forced);
  return theirs && theirs == ours(column, given);
}

bool Inclusion::force(Given& given, std::size_t column, bool guess) const {
  const auto size = ours(column, given);
  auto solved = size ? isolate(to_->dims[column], *size, given.forced, from_->domains) : std::nullopt;
  if (!solved || !(solved->certain || guess)) return false;
  given.source[solved->symbol] = column;
  given.forced[solved->symbol] = std::move(solved->value);
  return true;
}

// The sizes of both sides agree in a given column, so symbols of `from` that are free otherwise may hang together.
bool Inclusion::merge(Given& given, std::size_t column) const {
  const auto theirs = replace_all(to_->dims[column], given.forced);
  const auto size = theirs ? ours(column, given) : std::nullopt;
  const auto zero = size ? difference(*size, *theirs) : std::nullopt;
  const auto solved = zero ? isolate_any(*zero) : std::nullopt;
  if (!solved || given.merged.contains(solved->symbol)) return false;
  const Map replacement{{solved->symbol, solved->value}};
  for (Map* map : {&given.merged, &given.forced})
    for (auto& [name, value] : *map) {
      auto replaced = replace_some(value, replacement);
      if (replaced) value = std::move(*replaced);
    }
  given.merged.emplace(solved->symbol, solved->value);
  return true;
}

std::optional<Dim> Inclusion::ours(std::size_t column, const Given& given) const {
  return replace_some(from_->dims[column], given.merged);
}

// The sizes of `from` without some that `to` cannot have in the given columns.
Domains Inclusion::restricted(const Given& given) const {
  Domains domains = from_->domains;
  const auto restrict_by = [&](const Map& map, const Domains& limits) {
    for (const auto& [name, value] : map) {
      const Domain& limit = limits.at(name);
      restrict_to(value, {limit.low, limit.high}, domains);
    }
  };
  restrict_by(given.forced, to_->domains);
  restrict_by(given.merged, from_->domains);
  return domains;
}

Inclusion::Group Inclusion::group_of(std::size_t column, const Given& given) const {
  Group group{{column}, {}};
  std::set<std::string> open;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!given.forced.contains(name) && open.insert(name).second) group.open.push_back(name);
  };
  add(to_->dims[column].symbols());
  std::vector<std::pair<std::size_t, std::vector<std::string>>> left;
  for (const std::size_t other : given.columns) left.emplace_back(other, to_->dims[other].symbols());
  for (std::size_t before = 0; before != group.columns.size();) {
    before = group.columns.size();
    std::erase_if(left, [&](const auto& other) {
      const auto& names = other.second;
      if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return open.contains(name); })) return false;
      group.columns.push_back(other.first);
      add(names);
      return true;
    });
  }
  return group;
}

// The given columns that have a say in which sizes `to` can have in this one.
Inclusion::Columns Inclusion::binding(std::size_t column, const Given& given) const {
  Columns out = group_of(column, given).columns;
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const std::string& name : to_->dims[out[i]].symbols()) {
      const auto source = given.source.find(name);
      if (source != given.source.end() && !contains(out, source->second)) out.push_back(source->second);
    }
  out.erase(out.begin());
  std::sort(out.begin(), out.end());
  return out;
}

// Gives symbols of `to` values under which its sizes in the group are those of `from`, where the symbols that the given
// columns leave open are free to have any value in their domains.
bool Inclusion::proved(std::size_t column, const Given& given) const {
  const Group group = group_of(column, given);
  const Domains domains = restricted(given);
  Map known;
  bool holds = solve(group, given, known);
  for (std::size_t i = 0; holds && i < group.columns.size(); ++i) {
    const auto theirs = replace_all(to_->dims[group.columns[i]], known);
    const auto size = ours(group.columns[i], given);
    const auto zero = theirs && size ? difference(*theirs, *size) : std::nullopt;
    holds = zero && always_zero(*zero, domains, *effort_);
  }
  for (std::size_t i = 0; holds && i < group.open.size(); ++i)
    holds = in_domain(group.open[i], known.at(group.open[i]), group, given, domains);
  return holds || (group.columns.size() == 1 && proved_by_image(column, given, domains));
}

bool Inclusion::solve(const Group& group, const Given& given, Map& known) const {
  known = given.forced;
  for (;;) {
    for (bool progress = true; progress;) {
      progress = false;
      for (const std::size_t column : group.columns) {
        const auto size = ours(column, given);
        auto solved = size ? isolate(to_->dims[column], *size, known, from_->domains) : std::nullopt;
        if (!solved) continue;
        known[solved->symbol] = std::move(solved->value);
        progress = true;
      }
    }
    const auto open = std::find_if(group.open.begin(), group.open.end(),
                                   [&](const std::string& name) { return !known.contains(name); });
    if (open == group.open.end()) return true;
    auto value = guess(*open, group, given, known);
    if (!value) return false;
    known[*open] = *std::move(value);
  }
}

// What a symbol that no equation isolates may stand for.
std::optional<Dim> Inclusion::guess(const std::string& symbol, const Group& group, const Given& given,
                                    const Map& known) const {
  if (const auto found = guesses_.find(symbol); found != guesses_.end())
    return replace_some(found->second, given.merged);
  for (const std::size_t column : group.columns) {
    std::vector<std::string> open = to_->dims[column].symbols();
    std::erase_if(open, [&](const std::string& name) { return known.contains(name); });
    const auto size = ours(column, given);
    if (open == std::vector{symbol} && size && size->symbols().size() == 1) return Dim::symbol(size->symbols()[0]);
  }
  if (from_->domains.contains(symbol)) return replace_some(Dim::symbol(symbol), given.merged);
  return std::nullopt;
}

bool Inclusion::in_domain(const std::string& symbol, const Dim& value, const Group& group, const Given& given,
                          const Domains& domains) const {
  // What is the size of an axis is whole and not negative, since only calls count.
  for (const std::size_t column : group.columns)
    if (ours(column, given) == value)
      return always_within(value, domains, to_->domains.at(symbol), (*columns_)[column].least, true, *effort_);
  return always_within(value, domains, to_->domains.at(symbol), -kNoLimit, false, *effort_);
}

// Where what is open stands in this column alone: all sizes that it can add to the rest.
bool Inclusion::proved_by_image(std::size_t column, const Given& given, const Domains& domains) const {
  const Dim& dim = to_->dims[column];
  const auto forced = [&](const Dim::Term& term) {
    const auto part = dim_of(term);
    return part && replace_all(*part, given.forced).has_value();
  };
  const auto rest = terms_of(dim, forced);
  const auto free = terms_of(dim, [&](const Dim::Term& term) { return !forced(term); });
  if (dim.denominator() != 1 || !rest || !free) return false;
  for (const std::string& name : free->symbols())
    if (given.forced.contains(name)) return false;
  const auto sizes = image(*free, to_->domains);
  const auto offset = replace_all(*rest, given.forced);
  const auto size = ours(column, given);
  const auto wanted = sizes && offset && size ? difference(*size, *offset) : std::nullopt;
  if (!wanted) return false;
  Interval interval = bounds(*wanted, domains);
  const bool bare = rest->terms().empty();
  if (bare) interval.low = std::max(interval.low, (*columns_)[column].least);
  if (interval.low < sizes->interval.low || interval.high > sizes->interval.high) return false;
  if (sizes->step == 1) return bare || always_whole(*wanted, domains, *effort_);
  const auto above = difference(*wanted, Dim(sizes->anchor));
  const auto steps = above ? Dim::divide(*above, sizes->step) : Result<Dim>(Error{});
  return steps.ok() && always_whole(*steps, domains, *effort_);
}

}  // namespace tensorspec::diffing
