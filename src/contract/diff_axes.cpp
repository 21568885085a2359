// SPDX-License-Identifier: Apache-2.0
#include "contract/diff_axes.hpp"

#include <optional>
#include <utility>

namespace tensorspec::diffing {
namespace {

class Chain {
 public:
  Chain(const std::vector<Column>& columns, const Side& older, const Side& newer, Effort& effort)
      : columns_(columns),
        older_(&older),
        newer_(&newer),
        forward_(columns, older, newer, effort),
        back_(columns, newer, older, effort) {}

  AxisOutcome next(std::size_t column) {
    // An earlier column with the same dims on both sides has the same to tell, and adds nothing to what is given.
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (older_->dims[seen_[i]] == older_->dims[column] && newer_->dims[seen_[i]] == newer_->dims[column] &&
          columns_[seen_[i]].least == columns_[column].least)
        return outcomes_[i];
    AxisOutcome outcome{lost(forward_, column), lost(back_, column)};
    // Where the sides have nothing in common, what follows is compared without this column.
    if (agree(column) || (outcome.lost.answer != Answer::yes && outcome.gained.answer != Answer::yes)) {
      forward_.give(column);
      back_.give(column);
    }
    seen_.push_back(column);
    outcomes_.push_back(outcome);
    return outcome;
  }
  const Sizes& older_call() const { return forward_.start(); }
  const Sizes& newer_call() const { return back_.start(); }

 private:
  static Loss lost(const Inclusion& sides, std::size_t column) {
    Loss alone = sides.lost(column, true);
    if (alone.answer == Answer::yes || !sides.anything_given()) return alone;
    Loss joint = sides.lost(column, false);
    return joint.answer == Answer::yes || alone.answer == Answer::no ? joint : alone;
  }

  // Goes on from calls that both sides can have, so far and in this column; false when none is found.
  bool agree(std::size_t column) {
    const auto step = [&](Inclusion& from, Inclusion& to, const Sizes& sizes) {
      Sizes theirs;
      if (from.accepts(sizes, column, theirs) != Answer::yes) return false;
      from.start_from(sizes);
      to.start_from(theirs);
      return true;
    };
    if (step(forward_, back_, forward_.start()) || step(back_, forward_, back_.start())) return true;
    if (const auto sizes = forward_.common(column); sizes && step(forward_, back_, *sizes)) return true;
    const auto sizes = back_.common(column);
    return sizes && step(back_, forward_, *sizes);
  }

  const std::vector<Column>& columns_;
  const Side *older_, *newer_;
  Inclusion forward_, back_;
  std::vector<std::size_t> seen_;
  std::vector<AxisOutcome> outcomes_;
};

}  // namespace

AxisComparison compare_axes(const std::vector<Column>& columns, const Side& older, const Side& newer) {
  AxisComparison out;
  Effort effort;
  std::optional<Chain> chain(std::in_place, columns, older, newer, effort), before;
  out.older_call = chain->older_call();
  out.newer_call = chain->newer_call();
  std::size_t apart = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].apart != apart) {
      if (apart != 0) chain.emplace(*before);
      apart = columns[column].apart;
      if (apart != 0) before.emplace(*chain);
    }
    out.outcomes.push_back(chain->next(column));
  }
  return out;
}

}  // namespace tensorspec::diffing
