// SPDX-License-Identifier: Apache-2.0
//
// The search for a call that one side has and the other has not. Deterministic: sizes just outside what the other side
// can have come first, then the ends, then small and odd ones.
#include <algorithm>

#include "base/checked.hpp"
#include "contract/inclusion.hpp"
#include "tensorspec/call.hpp"

namespace tensorspec::diffing {
namespace {

constexpr std::int64_t kMaxEffort = 1'500'000;  // for one column
constexpr std::size_t kMaxTrials = 64;          // sizes of one symbol
constexpr std::size_t kFewTrials = 12;          // and where three vary at once
constexpr int kMaxVaried = 10000;               // calls tried that way
constexpr std::int64_t kMaxCalls = 4096;        // and one by one

bool is_size(const std::optional<std::int64_t>& value, std::int64_t least) {
  return value && *value >= least && *value <= kMaxExtent;
}

// The first size of the symbol at which the expression reaches `limit`, if it rises; anything otherwise.
std::int64_t reaches(const Dim& dim, std::int64_t limit, const std::string& symbol, const Domain& domain, Sizes sizes) {
  const auto numerator = Dim::multiply(dim, Dim(dim.denominator()));
  const auto wanted = checked_mul(limit, dim.denominator());
  std::int64_t low = domain.low, high = std::min(domain.high, kMaxExtent);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    sizes[symbol] = middle;
    const auto value = numerator.ok() ? evaluate(*numerator, sizes) : std::nullopt;
    if (!value || !wanted || *value >= *wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The numbers in an expression: where it turns, forms that are nearly the same tend to differ.
void add_numbers(const Dim& dim, std::vector<std::int64_t>& numbers) {
  numbers.push_back(dim.denominator());
  for (const Dim::Term& term : dim.terms()) {
    numbers.push_back(term.coefficient < 0 ? -term.coefficient : term.coefficient);
    for (const Dim::Factor& factor : term.factors) {
      if (!factor.argument) continue;
      numbers.push_back(factor.divisor);
      add_numbers(*factor.argument, numbers);
    }
  }
}

// Sizes of one symbol, each once, in the order in which they are to be tried.
class Trials {
 public:
  explicit Trials(const Domain& domain) : domain_(domain) {}
  void add(std::optional<std::int64_t> size) {
    if (!size || sizes.size() >= kMaxTrials || std::find(sizes.begin(), sizes.end(), *size) != sizes.end()) return;
    if (domain_.contains(*size)) sizes.push_back(*size);
  }
  void around(std::int64_t size) {
    add(domain_.at_least(size));
    if (size > 0) add(domain_.at_most(size - 1));
  }
  std::vector<std::int64_t> sizes;

 private:
  const Domain& domain_;
};

}  // namespace

Loss Inclusion::lost(std::size_t column, bool alone) const {
  // A question that takes long leaves something for the next ones.
  const std::int64_t before = effort_->left, most = std::min(before, kMaxEffort);
  effort_->left = most;
  Loss loss = before < 0 ? Loss() : ask(column, alone ? none_ : given_);
  effort_->left += before - most;
  return loss;
}

Loss Inclusion::ask(std::size_t column, const Given& given) const {
  Loss loss;
  if (proved(column, given)) {
    loss.answer = Answer::no;
    return loss;
  }
  loss.beside = binding(column, given);
  Columns columns = loss.beside;
  columns.push_back(column);
  const auto lost = [&](const Sizes& sizes) { return is_lost(sizes, column, given, loss.beside); };
  const std::vector<std::string> names = relevant(columns, given);
  auto found = vary(names, columns, given, lost);
  if (!found && none_lost(names, column, given, loss.beside, false)) loss.answer = Answer::no;
  if (!found && loss.answer == Answer::unknown) found = search_all(columns, given, lost);
  if (found) {
    loss.answer = Answer::yes;
    loss.sizes = *found;
  } else if (loss.answer == Answer::unknown && none_lost(from_->symbols, column, given, given.columns, true)) {
    loss.answer = Answer::no;
  }
  return loss;
}

std::optional<Sizes> Inclusion::common(std::size_t column) const {
  if (effort_->left < 0) return std::nullopt;
  Columns columns = binding(column, given_);
  columns.push_back(column);
  const auto accepted = [&](const Sizes& sizes) {
    Sizes theirs;
    return is_call(sizes, stage(column)) && accepts(sizes, column, theirs) == Answer::yes;
  };
  auto found = vary(relevant(columns, given_), columns, given_, accepted);
  return found ? found : search_all(columns, given_, accepted);
}

bool Inclusion::is_call(const Sizes& sizes, Column::Stage stage) const {
  effort_->spend(from_->inputs.size() + from_->outputs.size());
  const auto all_sizes = [&](const std::vector<Dim>& dims) {
    return std::all_of(dims.begin(), dims.end(), [&](const Dim& dim) { return is_size(evaluate(dim, sizes), 0); });
  };
  return all_sizes(from_->inputs) && (stage != Column::Stage::output || all_sizes(from_->outputs));
}

Answer Inclusion::accepts(const Sizes& sizes, std::size_t column, Sizes& theirs) const {
  Columns columns = given_.columns;
  columns.push_back(column);
  return accepts(sizes, columns, theirs);
}

Answer Inclusion::accepts(const Sizes& sizes, const Columns& columns, Sizes& theirs) const {
  std::vector<Equation> equations;
  for (const std::size_t column : columns) {
    const auto size = evaluate(from_->dims[column], sizes);
    if (!is_size(size, (*columns_)[column].least)) return Answer::unknown;
    equations.push_back({&to_->dims[column], *size});
  }
  return find_parameters(equations, to_->domains, *effort_, theirs);
}

bool Inclusion::is_lost(const Sizes& sizes, std::size_t column, const Given& given, const Columns& binding) const {
  Columns columns = binding;
  columns.push_back(column);
  Sizes theirs;
  return is_call(sizes, stage(column)) && accepts(sizes, columns, theirs) == Answer::no &&
         accepts(sizes, given.columns, theirs) == Answer::yes;
}

std::vector<std::string> Inclusion::relevant(const Columns& columns, const Given& given) const {
  std::vector<std::string> used, out;
  for (const std::size_t column : columns)
    if (const auto size = ours(column, given))
      for (std::string& name : size->symbols()) used.push_back(std::move(name));
  for (const std::string& name : from_->symbols)
    if (std::find(used.begin(), used.end(), name) != used.end()) out.push_back(name);
  return out;
}

std::vector<std::int64_t> Inclusion::trials(const std::string& symbol, const Columns& columns,
                                            const Given& given) const {
  const Domain& domain = from_->domains.at(symbol);
  struct Limit {
    Dim dim;
    Interval interval;
    bool steps;
  };
  std::vector<Limit> limits;
  const auto limit = [&](const std::optional<Dim>& dim, const Interval& interval, bool steps) {
    if (!dim) return;
    const auto names = dim->symbols();
    if (std::binary_search(names.begin(), names.end(), symbol)) limits.push_back({*dim, interval, steps});
  };
  for (const std::size_t column : columns) {
    const auto size = ours(column, given);
    limit(size, bounds(to_->dims[column], to_->domains), true);
    for (const std::string& name : to_->dims[column].symbols()) {
      const Domain& theirs = to_->domains.at(name);
      const auto forced = given.forced.find(name), guessed = guesses_.find(name);
      if (forced != given.forced.end()) limit(forced->second, {theirs.low, theirs.high}, theirs.step > 1);
      else if (guessed != guesses_.end()) limit(guessed->second, {theirs.low, theirs.high}, theirs.step > 1);
    }
  }
  Trials out(domain);
  const auto reached = [&](const Limit& of, std::int64_t size) {
    effort_->spend(100);
    return reaches(of.dim, size, symbol, domain, start_);
  };
  for (const Limit& each : limits)
    if (each.interval.high < kMaxExtent) out.add(domain.at_least(reached(each, each.interval.high + 1)));
  for (const Limit& each : limits) {
    if (each.interval.low > 0 && each.interval.low <= kMaxExtent) {
      const std::int64_t first = reached(each, each.interval.low);
      if (first > 0) out.add(domain.at_most(first - 1));
      out.add(domain.at_least(first));
      for (std::int64_t more = 1; each.steps && more <= 4; ++more) out.add(domain.at_least(first + more));
    }
    if (each.interval.high < kMaxExtent) out.around(reached(each, each.interval.high));
  }
  std::optional<std::int64_t> next = domain.low;
  for (int i = 0; i < 8 && next; ++i, next = checked_add(*next, domain.step)) out.add(next);
  if (domain.high != kNoLimit) out.around(domain.high);
  std::vector<std::int64_t> numbers;
  for (const std::size_t column : columns)
    for (const Dim* dim : {&from_->dims[column], &to_->dims[column]}) add_numbers(*dim, numbers);
  for (const std::int64_t number : numbers)
    for (const std::int64_t size : {number - 1, number, number + 1})
      if (number > 2 && number < kMaxExtent) out.add(domain.at_least(size));
  for (const std::int64_t size : {11, 13, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 511, 512, 513, 1009})
    out.around(size);
  return std::move(out.sizes);
}

std::optional<Sizes> Inclusion::completed(Sizes sizes, const Given& given) const {
  for (const auto& [name, value] : given.merged) {
    const auto size = evaluate(value, sizes);
    if (!size || !from_->domains.at(name).contains(*size)) return std::nullopt;
    sizes[name] = *size;
  }
  return sizes;
}

// A call that passes the test: by trying them all when they are few, else by varying every symbol.
std::optional<Sizes> Inclusion::search_all(const Columns& columns, const Given& given, const Test& test) const {
  std::optional<Sizes> found;
  const auto tried = each(from_->symbols, given, [&](const Sizes& sizes) {
    if (test(sizes)) found = sizes;
    return !found;
  });
  return tried ? found : vary(from_->symbols, columns, given, test);
}

// The start with the size of one symbol varied, then as it is, then with two and with three varied.
std::optional<Sizes> Inclusion::vary(const std::vector<std::string>& names, const Columns& columns, const Given& given,
                                     const Test& test) const {
  std::vector<std::vector<std::int64_t>> values;
  for (const std::string& name : names) {
    if (!effort_->spend(20 * columns.size())) return std::nullopt;
    values.push_back(trials(name, columns, given));
  }
  Sizes sizes = start_;
  std::optional<Sizes> found;
  int left = kMaxVaried;
  const auto done = [&] {
    auto call = completed(sizes, given);
    if (call && test(*call)) found = std::move(call);
    return found || --left < 0 || !effort_->spend(10);
  };
  const std::function<bool(std::size_t, std::size_t, std::size_t)> varied = [&](std::size_t first, std::size_t depth,
                                                                                std::size_t most) {
    if (depth == 0) return done();
    for (std::size_t i = first; i < names.size(); ++i) {
      const std::int64_t before = sizes[names[i]];
      for (std::size_t k = 0; k < std::min(most, values[i].size()); ++k) {
        sizes[names[i]] = values[i][k];
        if (varied(i + 1, depth - 1, most)) return true;
      }
      sizes[names[i]] = before;
    }
    return false;
  };
  for (const std::size_t depth : {1, 0, 2, 3})
    if (depth <= names.size() && varied(0, depth, depth < 3 ? kMaxTrials : kFewTrials)) break;
  return found;
}

// Whether all sizes of the symbols pass, the others being as at the start; nullopt: they are too many to try.
std::optional<bool> Inclusion::each(const std::vector<std::string>& names, const Given& given, const Test& test) const {
  std::int64_t total = 1;
  for (const std::string& name : names)
    total = std::min(kMaxCalls + 1, total * from_->domains.at(name).count(kMaxCalls + 1));
  if (total > kMaxCalls) return std::nullopt;
  for (std::int64_t index = 0; index < total; ++index) {
    if (!effort_->spend(10)) return std::nullopt;
    Sizes sizes = start_;
    std::int64_t rest = index;
    for (const std::string& name : names) {
      const Domain& domain = from_->domains.at(name);
      const std::int64_t count = domain.count(kMaxCalls);
      sizes[name] = domain.low + rest % count * domain.step;
      rest /= count;
    }
    if (const auto call = completed(std::move(sizes), given); call && !test(*call)) return false;
  }
  return true;
}

// Tries every size of the symbols. `beside` are given columns enough to decide; calls: the symbols are all there are,
// so that what is no call can be passed over.
bool Inclusion::none_lost(const std::vector<std::string>& names, std::size_t column, const Given& given,
                          const Columns& beside, bool calls) const {
  Columns columns = beside;
  columns.push_back(column);
  const auto kept = each(names, given, [&](const Sizes& sizes) {
    const bool exist = std::all_of(columns.begin(), columns.end(), [&](std::size_t of) {
      return is_size(evaluate(from_->dims[of], sizes), (*columns_)[of].least);
    });
    Sizes theirs;
    if (!exist || (calls && !is_call(sizes, stage(column)))) return true;
    return accepts(sizes, beside, theirs) == Answer::no || accepts(sizes, columns, theirs) == Answer::yes;
  });
  return kept == true;
}

}  // namespace tensorspec::diffing
