// SPDX-License-Identifier: Apache-2.0
#include "contract/parameters.hpp"

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "tensorspec/call.hpp"

namespace tensorspec::diffing {
namespace {

constexpr int kMaxTries = 500;

// Whether a symbol stands in the factor, and whether it is the factor.
bool mentions(const Dim::Factor& factor, const std::string& name) {
  if (!factor.argument) return factor.name == name;
  const auto names = factor.argument->symbols();
  return std::binary_search(names.begin(), names.end(), name);
}

class Search {
 public:
  Search(const std::vector<Equation>& equations, const Domains& domains, Effort& effort)
      : equations_(equations), domains_(domains), effort_(effort) {}

  Answer run(Sizes& sizes) {
    if (const Answer answer = propagate(sizes); answer != Answer::yes) return answer;
    const auto [name, range] = narrowest(sizes);
    if (name.empty()) return Answer::yes;
    const Domain& domain = domains_.at(name);
    bool doubt = false;
    for (auto value = domain.at_least(range.low); value && *value <= range.high;) {
      if (--tries_ < 0 || !effort_.spend(50 * equations_.size())) return Answer::unknown;
      Sizes tried = sizes;
      tried[name] = *value;
      const Answer answer = run(tried);
      if (answer == Answer::yes) sizes = std::move(tried);
      if (answer == Answer::yes || tries_ < 0 || effort_.left < 0) return answer;
      doubt = doubt || answer == Answer::unknown;
      value = *value == range.high ? std::nullopt : domain.at_least(*value + 1);
    }
    return doubt ? Answer::unknown : Answer::no;
  }

 private:
  std::vector<std::string> open(const Dim& dim, const Sizes& sizes) const {
    std::vector<std::string> out = dim.symbols();
    std::erase_if(out, [&](const std::string& name) { return sizes.contains(name); });
    return out;
  }

  // Binds what one equation alone settles, until nothing more is. no: a contradiction; unknown: 64 bits do not tell.
  Answer propagate(Sizes& sizes) const {
    for (bool progress = true; progress;) {
      progress = false;
      if (!effort_.spend(4 * equations_.size())) return Answer::unknown;
      for (const Equation& equation : equations_) {
        const auto unknown = open(*equation.dim, sizes);
        if (unknown.empty()) {
          if (const Answer answer = holds(equation, sizes); answer != Answer::yes) return answer;
        } else if (unknown.size() == 1) {
          bool consistent = true;
          progress = bind(equation, unknown[0], sizes, consistent) || progress;
          if (!consistent) return Answer::no;
        }
      }
    }
    return Answer::yes;
  }

  static Answer holds(const Equation& equation, const Sizes& sizes) {
    if (const auto value = evaluate(*equation.dim, sizes)) return *value == equation.size ? Answer::yes : Answer::no;
    // No value: not whole, or too large on the way.
    const auto numerator = Dim::multiply(*equation.dim, Dim(equation.dim->denominator()));
    return numerator.ok() && evaluate(*numerator, sizes) ? Answer::no : Answer::unknown;
  }

  // a*symbol + b == size, a and b known. False with `consistent`: not of that kind, or any value will do.
  bool bind(const Equation& equation, const std::string& name, Sizes& sizes, bool& consistent) const {
    std::optional<std::int64_t> factor = 0, rest = 0;
    for (const Dim::Term& term : equation.dim->terms()) {
      std::optional<std::int64_t> value = term.coefficient;
      int times = 0;
      for (const Dim::Factor& part : term.factors) {
        if (mentions(part, name)) {
          if (part.argument || ++times > 1) return false;
          continue;
        }
        const auto known = Dim::evaluate(part, [&](std::string_view symbol) { return lookup(symbol, sizes); });
        value = value && known ? checked_mul(*value, *known) : std::nullopt;
      }
      auto& sum = times == 0 ? rest : factor;
      sum = sum && value ? checked_add(*sum, *value) : std::nullopt;
    }
    const auto scaled = checked_mul(equation.size, equation.dim->denominator());
    const auto left = scaled && rest ? checked_sub(*scaled, *rest) : std::nullopt;
    if (!factor || !left) return false;
    if (*factor == 0) {
      consistent = *left == 0;
      return false;
    }
    consistent = *left % *factor == 0 && domains_.at(name).contains(*left / *factor);
    if (consistent) sizes[name] = *left / *factor;
    return consistent;
  }

  static std::optional<std::int64_t> lookup(std::string_view name, const Sizes& sizes) {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  }

  // The open symbol with the fewest values that no equation rules out by bounds alone. An empty name: none is open.
  std::pair<std::string, Interval> narrowest(const Sizes& sizes) {
    Domains box;
    for (const Equation& equation : equations_)
      for (const std::string& name : equation.dim->symbols()) {
        const auto known = sizes.find(name);
        box[name] = known == sizes.end() ? domains_.at(name) : Domain{known->second, known->second, 1};
      }
    std::map<std::string, Interval> ranges;
    for (const Equation& equation : equations_)
      for (const std::string& name : open(*equation.dim, sizes)) {
        const Domain& domain = domains_.at(name);
        auto& range = ranges.emplace(name, Interval{domain.low, std::min(domain.high, kMaxExtent)}).first->second;
        if (!effort_.spend(100 * (1 + equation.dim->terms().size()))) return {name, range};
        narrow(equation, name, box, range);
      }
    std::pair<std::string, Interval> best;
    for (const auto& [name, range] : ranges)
      if (best.first.empty() || width(range) < width(best.second)) best = {name, range};
    return best;
  }
  static std::int64_t width(const Interval& range) { return range.high < range.low ? -1 : range.high - range.low; }

  // REQUIRES: the equation's dim is all that binds the symbol here. Uses that a rising expression reaches its size
  // between the first value whose upper bound does and the last value whose lower bound does.
  static void narrow(const Equation& equation, const std::string& name, Domains& box, Interval& range) {
    for (const Dim::Term& term : equation.dim->terms()) {
      bool used = false;
      for (const Dim::Factor& factor : term.factors) {
        used = used || mentions(factor, name);
        if (!rises(factor)) return;
      }
      if (used && term.coefficient < 0) return;
    }
    Domain& domain = box.at(name);
    const Domain whole = domain;
    const auto at = [&](std::int64_t value) {
      domain = {value, value, 1};
      return bounds(*equation.dim, box);
    };
    range.low = first(range.low, range.high, [&](std::int64_t v) { return at(v).high >= equation.size; });
    if (range.low <= range.high)
      range.high = first(range.low, range.high, [&](std::int64_t v) { return at(v).low > equation.size; }) - 1;
    domain = whole;
  }
  // Never falls when a symbol grows, and is never negative: symbols are not.
  static bool rises(const Dim::Factor& factor) {
    if (!factor.argument) return true;
    for (const Dim::Term& term : factor.argument->terms()) {
      if (term.coefficient < 0) return false;
      for (const Dim::Factor& inner : term.factors)
        if (!rises(inner)) return false;
    }
    return true;
  }
  // The first value of low..high that holds, or high+1. REQUIRES: once it holds it goes on holding; high < INT64_MAX.
  template <class Holds>
  static std::int64_t first(std::int64_t low, std::int64_t high, Holds holds) {
    ++high;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const std::vector<Equation>& equations_;
  const Domains& domains_;
  Effort& effort_;
  int tries_ = kMaxTries;
};

}  // namespace

std::optional<std::int64_t> evaluate(const Dim& dim, const Sizes& sizes) {
  return dim.evaluate([&](std::string_view name) {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

Answer find_parameters(const std::vector<Equation>& equations, const Domains& domains, Effort& effort, Sizes& found) {
  std::set<std::string> names;
  for (const Equation& equation : equations)
    for (std::string& name : equation.dim->symbols()) {
      if (domains.at(name).empty()) return Answer::no;
      names.insert(std::move(name));
    }
  Sizes sizes;
  const Answer answer = Search(equations, domains, effort).run(sizes);
  if (answer == Answer::yes) found = std::move(sizes);
  return answer;
}

}  // namespace tensorspec::diffing
