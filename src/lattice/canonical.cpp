// SPDX-License-Identifier: Apache-2.0
//
// The form as text, the way back with everything checked, and the check of a form in memory.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "lattice/form.hpp"
#include "tensorspec/lattice.hpp"

namespace tensorspec {

using lattice::Big;
using lattice::BigVector;
using lattice::Draft;
using lattice::Form;
using lattice::Hermite;
using lattice::Partition;

namespace {

constexpr std::size_t kMaxDimension = 16384;
constexpr std::size_t kMaxDigits = 4096;

Error malformed(std::string where, std::string detail) {
  return Error{ErrorCode::evidence_format, std::move(where), std::move(detail)};
}

std::string place(std::size_t generator, std::size_t coordinate) {
  return "generators[" + std::to_string(generator) + "][" + std::to_string(coordinate) + "]";
}

// Numbers in messages are cut, for a hostile file may hold long ones.
std::string brief(const std::string& text) { return text.size() <= 24 ? text : text.substr(0, 20) + "..."; }
std::string brief(const Big& value) { return brief(value.str()); }

// A number as canonical() writes it: -?[1-9][0-9]* or 0, so that there is one spelling.
Result<Big> parse(const std::string& text, const std::string& where) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const bool plain = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!plain || (digits[0] == '0' && text.size() > 1))
    return malformed(where, "'" + brief(text) + "' is not a whole number in plain decimal digits");
  if (digits.size() > kMaxDigits)
    return malformed(where, std::to_string(digits.size()) + " digits, the limit is " + std::to_string(kMaxDigits));
  Big value(std::string{digits});
  return negative ? Big(-value) : value;
}

template <class Where>
Result<BigVector> parse_vector(const std::vector<std::string>& texts, Where where) {
  BigVector values;
  values.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    TRY(Big value, parse(texts[i], where(i)));
    values.push_back(std::move(value));
  }
  return values;
}

// The rules of the convention on p and H over coordinates. nullopt: all hold.
std::optional<Error> broken_rule(const BigVector& point, const std::vector<BigVector>& generators,
                                 std::vector<std::size_t>& pivots) {
  for (std::size_t j = 0; j < generators.size(); ++j) {
    const BigVector& generator = generators[j];
    std::size_t row = 0;
    while (row < generator.size() && generator[row].is_zero()) ++row;
    if (row == generator.size()) return malformed("generators[" + std::to_string(j) + "]", "all zeros");
    const Big& pivot = generator[row];
    if (pivot < 0) return malformed(place(j, row), "the pivot " + brief(pivot) + " is not positive");
    if (j > 0 && row <= pivots.back())
      return malformed(place(j, row),
                       "not in echelon order: the generator before has its pivot at " + std::to_string(pivots.back()));
    const std::string range = " is not in [0, " + brief(pivot) + "), the pivot of generator " + std::to_string(j);
    for (std::size_t i = 0; i < j; ++i)
      if (const Big& entry = generators[i][row]; entry < 0 || entry >= pivot)
        return malformed(place(i, row), brief(entry) + range);
    if (point[row] < 0 || point[row] >= pivot)
      return malformed("point[" + std::to_string(row) + "]", brief(point[row]) + range);
    pivots.push_back(row);
  }
  return std::nullopt;
}

// Finds the equal coordinates and leaves one row for each class.
Draft draft_of(const BigVector& point, const std::vector<BigVector>& generators,
               const std::vector<std::size_t>& pivots) {
  Draft draft{lattice::partition_by(point.size(),
                                    [&](std::size_t i) {
                                      BigVector row{point[i]};
                                      for (const BigVector& generator : generators) row.push_back(generator[i]);
                                      return row;
                                    }),
              {},
              {}};
  const auto rows = [&](const BigVector& all) {
    BigVector kept;
    for (const std::uint32_t i : draft.columns.first) kept.push_back(all[i]);
    return kept;
  };
  draft.point = rows(point);
  std::vector<BigVector> short_generators;
  for (const BigVector& generator : generators) short_generators.push_back(rows(generator));
  std::vector<std::size_t> short_pivots;
  for (const std::size_t pivot : pivots) short_pivots.push_back(draft.columns.class_of[pivot]);
  draft.basis = Hermite(std::move(short_generators), std::move(short_pivots));
  return draft;
}

}  // namespace

AffineLattice::Canonical AffineLattice::canonical() const {
  Canonical text;
  if (!form_) return text;
  const auto expand = [&](auto at) {
    std::vector<std::string> rows, all;
    for (std::size_t row = 0; row < form_->columns.classes(); ++row) rows.push_back(at(row).str());
    for (const std::uint32_t row : form_->columns.class_of) all.push_back(rows[row]);
    return all;
  };
  text.point = expand([&](std::size_t row) { return form_->point_at(row); });
  for (std::size_t j = 0; j < rank(); ++j)
    text.generators.push_back(expand([&](std::size_t row) { return form_->entry_at(row, j); }));
  return text;
}

Result<AffineLattice> AffineLattice::from_canonical(std::size_t dimension, const Canonical& form) {
  if (dimension > kMaxDimension)
    return malformed("", std::to_string(dimension) + " coordinates, the limit is " + std::to_string(kMaxDimension));
  if (form.point.empty() && form.generators.empty()) return AffineLattice(dimension);
  const auto sized = [&](std::size_t size) {
    return std::to_string(size) + " numbers for " + std::to_string(dimension) + " coordinates";
  };
  if (form.point.size() != dimension) return malformed("point", sized(form.point.size()));
  if (form.generators.size() > dimension)
    return malformed("generators", std::to_string(form.generators.size()) + " generators for " +
                                       std::to_string(dimension) + " coordinates");
  for (std::size_t j = 0; j < form.generators.size(); ++j)
    if (form.generators[j].size() != dimension)
      return malformed("generators[" + std::to_string(j) + "]", sized(form.generators[j].size()));

  TRY(const BigVector point,
      parse_vector(form.point, [](std::size_t i) { return "point[" + std::to_string(i) + "]"; }));
  std::vector<BigVector> generators;
  for (std::size_t j = 0; j < form.generators.size(); ++j) {
    TRY(BigVector generator, parse_vector(form.generators[j], [&](std::size_t i) { return place(j, i); }));
    generators.push_back(std::move(generator));
  }
  std::vector<std::size_t> pivots;
  if (auto error = broken_rule(point, generators, pivots)) return *std::move(error);
  return AffineLattice(dimension, freeze(draft_of(point, generators, pivots)));
}

bool AffineLattice::well_formed() const {
  if (!form_) return true;
  const Partition& columns = form_->columns;
  if (columns.class_of.size() != dimension_) return false;
  // The form over coordinates obeys the convention, and freezing it again gives this very form: the classes are the
  // coarsest, numbered by first coordinate, and int64 is used iff it holds every entry.
  BigVector point;
  std::vector<BigVector> generators(rank());
  for (const std::uint32_t row : columns.class_of) {
    if (row >= columns.classes()) return false;
    point.push_back(form_->point_at(row));
    for (std::size_t j = 0; j < rank(); ++j) generators[j].push_back(form_->entry_at(row, j));
  }
  std::vector<std::size_t> pivots;
  if (broken_rule(point, generators, pivots)) return false;
  const auto again = freeze(draft_of(point, generators, pivots));
  return *again == *form_ && again->copies == form_->copies && again->z_limit == form_->z_limit;
}

}  // namespace tensorspec
