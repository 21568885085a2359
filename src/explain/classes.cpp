// SPDX-License-Identifier: Apache-2.0
#include "explain/classes.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"

namespace tensorspec {

std::size_t Points::distinct() const {
  std::vector<std::vector<std::int64_t>> tuples(size());
  for (std::size_t i = 0; i < size(); ++i)
    for (const auto& sizes : symbols) tuples[i].push_back(sizes[i]);
  std::sort(tuples.begin(), tuples.end());
  return static_cast<std::size_t>(std::unique(tuples.begin(), tuples.end()) - tuples.begin());
}

bool Points::fits(const Form& form) const {
  std::vector<std::int64_t> sizes(symbols.size());
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t s = 0; s < symbols.size(); ++s) sizes[s] = symbols[s][i];
    if (form.evaluate(sizes) != target[i]) return false;
  }
  return true;
}

ClassTable::ClassTable(const JoinedVariant& joined) : joined_(joined) {
  for (std::size_t view = 0; view < joined.views(); ++view)
    saturated_ = saturated_ || joined.state(view).sample().saturated();
  classify();
  for (ColumnClass& entry : classes_) add_bounds(entry);
  add_rows();
}

// A column joins a class when it equals the class in each state that has both, and there is one.
void ClassTable::classify() {
  class_of_.assign(joined_.columns(), kNone);
  std::vector<std::vector<std::size_t>> shown;  // [class][view]: a column of the class, or kNone
  for (std::size_t column = 0; column < joined_.columns(); ++column) {
    if (joined_.constant(column)) continue;
    std::size_t found = 0;
    for (; found < classes_.size(); ++found) {
      bool met = false, equal = true;
      for (std::size_t view = 0; view < joined_.views() && equal; ++view) {
        const std::size_t other = shown[found][view];
        if (other == kNone || !joined_.has(view, column)) continue;
        met = true;
        equal =
            joined_.state(view).lattice().columns_equal(joined_.position(view, other), joined_.position(view, column));
      }
      if (met && equal) break;
    }
    if (found == classes_.size()) {
      classes_.emplace_back();
      shown.emplace_back(joined_.views(), kNone);
    }
    class_of_[column] = found;
    classes_[found].columns.push_back(column);
    for (std::size_t view = 0; view < joined_.views(); ++view)
      if (shown[found][view] == kNone && joined_.has(view, column)) shown[found][view] = column;
  }
  for (const JoinedVariant::Tensor& tensor : joined_.tensors())
    for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis)
      if (const std::size_t at = class_of_[tensor.first_column + axis]; at != kNone && !tensor.output)
        classes_[at].input = true;
  if (const auto given = joined_.batch_column(); given && class_of_[*given] != kNone) {
    classes_[class_of_[*given]].input = true;
    classes_[class_of_[*given]].given_batch = true;
  }
}

void ClassTable::add_bounds(ColumnClass& entry) const {
  entry.minimum = kMaxExtent;
  entry.maximum = 0;
  std::int64_t gcd = 0;
  std::optional<std::int64_t> first;
  const auto add_step = [&](std::int64_t step) { gcd = std::gcd(gcd, step); };
  for (const std::size_t column : entry.columns) {
    entry.minimum = std::min(entry.minimum, joined_.minimum(column));
    entry.maximum = std::max(entry.maximum, joined_.maximum(column));
    for (std::size_t view = 0; view < joined_.views(); ++view) {
      if (!joined_.has(view, column)) continue;
      const auto steps = joined_.state(view).lattice().column(joined_.position(view, column));
      if (!steps) {
        add_step(1);
        continue;
      }
      add_step(steps->modulus);
      if (first) add_step(steps->residue - *first);
      else first = steps->residue;
    }
  }
  // Equal columns have equal sizes; the one that most calls have tells them.
  for (const std::size_t column : entry.columns) {
    auto sizes = joined_.sizes(column);
    if (sizes.size() > entry.sizes.size()) entry.sizes = std::move(sizes);
    if (joined_.views() == 1) break;
  }
  entry.stride = std::max<std::int64_t>(gcd, 1);
  entry.residue = entry.minimum % entry.stride;
}

void ClassTable::add_sizes(std::size_t index, const std::set<std::int64_t>& sizes) {
  ColumnClass& entry = classes_[index];
  for (const std::int64_t size : sizes) {
    entry.sizes.try_emplace(size, 1);
    entry.stride = std::gcd(entry.stride, size - entry.minimum);
    entry.maximum = std::max(entry.maximum, size);
  }
  for (const std::int64_t size : sizes) entry.minimum = std::min(entry.minimum, size);
  entry.residue = entry.minimum % entry.stride;
}

std::size_t ClassTable::column_in(std::size_t view, std::size_t index) const {
  for (const std::size_t column : classes_[index].columns)
    if (joined_.has(view, column)) return column;
  return kNone;
}

void ClassTable::add_rows() {
  for (std::size_t view = 0; view < joined_.views(); ++view) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const std::size_t column = column_in(view, i);
      positions.push_back(column == kNone ? kNone : joined_.position(view, column));
    }
    for (const auto& [key, count] : joined_.state(view).sample().entries()) {
      std::vector<std::int64_t> row;
      for (const std::size_t at : positions) row.push_back(at == kNone ? kAbsent : key.extents[at]);
      rows_.push_back(std::move(row));
    }
  }
  std::sort(rows_.begin(), rows_.end());
  rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
}

Points ClassTable::points(std::size_t target, std::span<const std::size_t> symbols, std::size_t limit) const {
  std::vector<std::vector<std::int64_t>> tuples;
  const std::size_t step = limit == 0 ? 1 : std::max<std::size_t>(1, rows_.size() / limit);
  for (std::size_t i = 0; i < rows_.size(); i += step) {
    std::vector<std::int64_t> tuple{rows_[i][target]};
    for (const std::size_t symbol : symbols) tuple.push_back(rows_[i][symbol]);
    if (std::find(tuple.begin(), tuple.end(), kAbsent) == tuple.end()) tuples.push_back(std::move(tuple));
  }
  std::sort(tuples.begin(), tuples.end());
  tuples.erase(std::unique(tuples.begin(), tuples.end()), tuples.end());
  Points out;
  out.symbols.resize(symbols.size());
  for (const auto& tuple : tuples) {
    out.target.push_back(tuple[0]);
    for (std::size_t s = 0; s < symbols.size(); ++s) out.symbols[s].push_back(tuple[s + 1]);
  }
  return out;
}

bool ClassTable::holds_always(const Form& form, std::size_t target, std::span<const std::size_t> symbols) const {
  bool met = false;
  for (std::size_t view = 0; view < joined_.views(); ++view) {
    Shape weights(joined_.state(view).columns(), 0);
    std::size_t column = column_in(view, target);
    bool whole = column != kNone;
    if (whole) weights[joined_.position(view, column)] = form.divisor;
    for (const Monomial& term : form.terms) {
      column = column_in(view, symbols[term.atoms[0].symbol]);
      whole = whole && column != kNone;
      if (whole) weights[joined_.position(view, column)] -= term.coefficient;
    }
    if (!whole) continue;
    if (!joined_.state(view).lattice().holds(weights, form.constant)) return false;
    met = true;
  }
  return met;
}

}  // namespace tensorspec
