// SPDX-License-Identifier: Apache-2.0
#include "lattice/form.hpp"

#include <algorithm>

namespace tensorspec::lattice {

namespace {

bool fits_int64(const Draft& draft) {
  const auto fit = [](const BigVector& v) {
    return std::all_of(v.begin(), v.end(), [](const Big& value) { return lattice::fits_int64(value); });
  };
  const auto& generators = draft.basis.generators();
  return fit(draft.point) && std::all_of(generators.begin(), generators.end(), fit);
}

template <class Int>
Table<Int> table_of(const Draft& draft) {
  Table<Int> table;
  const std::size_t classes = draft.columns.classes();
  table.point.reserve(classes);
  table.entries.reserve(classes * draft.basis.generators().size());
  for (std::size_t row = 0; row < classes; ++row) {
    table.point.push_back(static_cast<Int>(draft.point[row]));
    for (const BigVector& generator : draft.basis.generators())
      table.entries.push_back(static_cast<Int>(generator[row]));
  }
  return table;
}

std::int64_t z_limit_of(const Table<std::int64_t>& table, std::size_t rank) {
  std::int64_t largest = 1;  // sum of |entries| of a row
  for (std::size_t begin = 0; begin < table.entries.size(); begin += rank) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < rank; ++j) {
      const std::int64_t entry = table.entries[begin + j];
      if (entry == INT64_MIN || __builtin_add_overflow(sum, entry < 0 ? -entry : entry, &sum)) return 0;
    }
    largest = std::max(largest, sum);
  }
  return INT64_MAX / largest;
}

}  // namespace

Draft thaw(const Form& form, Partition columns) {
  const std::size_t classes = columns.classes(), rank = form.rank();
  Draft draft{std::move(columns), BigVector(classes), {}};
  std::vector<BigVector> generators(rank, BigVector(classes));
  std::vector<std::size_t> pivots(rank);
  for (std::size_t row = 0; row < classes; ++row) {
    const std::size_t old_row = form.columns.class_of[draft.columns.first[row]];
    draft.point[row] = form.point_at(old_row);
    for (std::size_t j = 0; j < rank; ++j) generators[j][row] = form.entry_at(old_row, j);
  }
  for (std::size_t j = 0; j < rank; ++j) pivots[j] = draft.columns.class_of[form.columns.first[form.pivots[j]]];
  draft.basis = Hermite(std::move(generators), std::move(pivots));
  return draft;
}

std::shared_ptr<const Form> freeze(Draft draft) {
  draft.basis.reduce(draft.point);
  auto form = std::make_shared<Form>();
  for (const std::size_t pivot : draft.basis.pivots()) form->pivots.push_back(static_cast<std::uint32_t>(pivot));
  if (fits_int64(draft)) {
    auto table = table_of<std::int64_t>(draft);
    form->z_limit = z_limit_of(table, form->rank());
    form->table = std::move(table);
  } else {
    form->table = table_of<Big>(draft);
  }
  form->columns = std::move(draft.columns);
  const Partition& columns = form->columns;
  for (std::uint32_t i = 0; i < columns.class_of.size(); ++i)
    if (const std::uint32_t first = columns.first[columns.class_of[i]]; first != i) form->copies.emplace_back(i, first);
  return form;
}

}  // namespace tensorspec::lattice
