// SPDX-License-Identifier: Apache-2.0
//
// Columns that were equal in every call ever are one class; explain works on classes. With the distinct calls seen, as
// a table of class sizes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "explain/forms.hpp"
#include "explain/joined.hpp"

namespace tensorspec {

struct ColumnClass {
  std::vector<std::size_t> columns;  // ascending
  bool input = false;                // an input or the batch size of the call is among them
  bool given_batch = false;
  std::int64_t minimum = 0, maximum = 0;
  // Every size is residue modulo stride, exactly, over every call ever.
  std::int64_t stride = 1, residue = 0;
  std::map<std::int64_t, std::uint64_t> sizes;  // distinct sizes and how often
};

// Sizes of a target and of some symbols in the distinct calls that have them all; ascending, each tuple once.
struct Points {
  std::vector<std::int64_t> target;
  std::vector<std::vector<std::int64_t>> symbols;  // [symbol][point]
  std::size_t size() const noexcept { return target.size(); }
  std::size_t distinct() const;  // tuples of the symbols alone
  bool fits(const Form& form) const;
};

class ClassTable {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The variant must outlive this.
  explicit ClassTable(const JoinedVariant& joined);

  const std::vector<ColumnClass>& classes() const noexcept { return classes_; }
  const ColumnClass& operator[](std::size_t index) const { return classes_[index]; }
  std::size_t size() const noexcept { return classes_.size(); }
  // kNone: the column never varied.
  std::size_t class_of(std::size_t column) const { return class_of_[column]; }
  // More distinct calls than the sample holds: what the sample shows need not hold for every call.
  bool saturated() const noexcept { return saturated_; }

  std::size_t calls() const noexcept { return rows_.size(); }  // distinct, in the sample
  // Sizes of all classes in a distinct call; absent: -1.
  std::span<const std::vector<std::int64_t>> rows() const noexcept { return rows_; }
  // More sizes of a class, read off other axes of calls that lack it.
  void add_sizes(std::size_t index, const std::set<std::int64_t>& sizes);

  // limit: at most that many calls, evenly spread; 0: all.
  Points points(std::size_t target, std::span<const std::size_t> symbols, std::size_t limit = 0) const;
  // True iff an affine form over `symbols` (by its indices) holds for the target in every call ever.
  bool holds_always(const Form& form, std::size_t target, std::span<const std::size_t> symbols) const;

  static constexpr std::int64_t kAbsent = -1;

 private:
  void classify();
  void add_bounds(ColumnClass& entry) const;
  void add_rows();
  std::size_t column_in(std::size_t view, std::size_t index) const;  // of a class; kNone when the view has none

  const JoinedVariant& joined_;
  std::vector<ColumnClass> classes_;
  std::vector<std::size_t> class_of_;
  std::vector<std::vector<std::int64_t>> rows_;  // distinct; [row][class]
  bool saturated_ = false;
};

}  // namespace tensorspec
