// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/lattice.hpp"

#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include "lattice/form.hpp"

namespace tensorspec {

using lattice::Big;
using lattice::BigVector;
using lattice::Draft;
using lattice::Form;
using lattice::Partition;
using lattice::partition_by;

std::size_t AffineLattice::rank() const noexcept { return form_ ? form_->rank() : 0; }

std::size_t AffineLattice::pivot(std::size_t generator) const noexcept {
  assert(generator < rank());
  return form_->columns.first[form_->pivots[generator]];
}

bool AffineLattice::contains(std::span<const std::int64_t> x) const noexcept {
  assert(x.size() == dimension_);
  return form_ && lattice::contains(*form_, x);
}

bool AffineLattice::insert(std::span<const std::int64_t> x) {
  assert(x.size() == dimension_);
  assert(dimension_ <= std::numeric_limits<std::uint32_t>::max());
  if (!form_) {
    Draft draft{partition_by(dimension_, [&](std::size_t i) { return x[i]; }), {}, {}};
    for (const std::uint32_t i : draft.columns.first) draft.point.emplace_back(x[i]);
    form_ = freeze(std::move(draft));
    return true;
  }
  if (contains(x)) return false;
  Draft draft = thaw(
      *form_, partition_by(dimension_, [&](std::size_t i) { return std::pair(form_->columns.class_of[i], x[i]); }));
  BigVector step(draft.point.size());  // an affine set grows by the difference to any of its points
  for (std::size_t row = 0; row < step.size(); ++row) {
    step[row] = x[draft.columns.first[row]];
    step[row] -= draft.point[row];
  }
  draft.basis.add(std::move(step));
  form_ = freeze(std::move(draft));
  return true;
}

Result<AffineLattice> AffineLattice::merge(const AffineLattice& a, const AffineLattice& b) {
  if (a.dimension_ != b.dimension_)
    return Error{ErrorCode::dimension_mismatch, "",
                 std::to_string(a.dimension_) + " and " + std::to_string(b.dimension_)};
  if (b.empty() || a == b) return a;
  if (a.empty()) return b;
  if (a.rank() < b.rank()) return merge(b, a);  // fewer vectors to add; the result is the same
  // Columns are equal on the result iff they are equal on both.
  const Partition columns = partition_by(a.dimension_, [&](std::size_t i) {
    return std::pair(a.form_->columns.class_of[i], b.form_->columns.class_of[i]);
  });
  Draft draft = thaw(*a.form_, columns);
  Draft other = thaw(*b.form_, columns);
  for (std::size_t row = 0; row < columns.classes(); ++row) other.point[row] -= draft.point[row];
  bool grew = draft.basis.add(std::move(other.point));
  for (const BigVector& generator : other.basis.generators()) grew |= draft.basis.add(generator);
  if (!grew) return a;
  return AffineLattice(a.dimension_, freeze(std::move(draft)));
}

AffineLattice AffineLattice::project(std::span<const std::size_t> keep) const {
  if (!form_) return AffineLattice(keep.size());
  Draft image{partition_by(keep.size(),
                           [&](std::size_t i) {
                             assert(keep[i] < dimension_);
                             return form_->columns.class_of[keep[i]];
                           }),
              {},
              {}};
  std::vector<std::uint32_t> rows;  // of this form, for each class of the image
  for (const std::uint32_t i : image.columns.first) rows.push_back(form_->columns.class_of[keep[i]]);
  for (const std::uint32_t row : rows) image.point.push_back(form_->point_at(row));
  for (std::size_t j = 0; j < rank(); ++j) {
    BigVector generator;
    for (const std::uint32_t row : rows) generator.push_back(form_->entry_at(row, j));
    image.basis.add(std::move(generator));
  }
  return AffineLattice(keep.size(), freeze(std::move(image)));
}

bool operator==(const AffineLattice& a, const AffineLattice& b) noexcept {
  if (a.dimension_ != b.dimension_) return false;
  if (a.form_ == b.form_) return true;
  return a.form_ && b.form_ && *a.form_ == *b.form_;
}

bool AffineLattice::columns_equal(std::size_t i, std::size_t j) const {
  assert(i < dimension_ && j < dimension_);
  return !form_ || form_->columns.class_of[i] == form_->columns.class_of[j];
}

}  // namespace tensorspec
