// SPDX-License-Identifier: Apache-2.0
#include "check/program.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "check/flat.hpp"

namespace tensorspec::flat {

// Follows the examination of a call on which everything fits: what binds a symbol there binds it here.
class Program::Compiler {
 public:
  Compiler(Program& program, const FlatVariant& variant, bool outputs, bool batch)
      : out_(program), variant_(variant), outputs_(outputs), batch_(batch) {}

  bool run() {
    if (!variant_.small) return false;
    out_.behind_ = static_cast<std::uint32_t>(variant_.tensors.size());
    out_.places_.assign(variant_.symbols.size(), Place{kNone, 0});
    for (std::size_t s = 0; s < variant_.symbols.size(); ++s) bind(s);
    for (const bool weakly : {false, true})
      for (bool progress = true; progress;) {
        progress = false;
        for (const Place at : variant_.solvable)
          if (present(at) && variant_.axis(at).weak == weakly) progress = solve(at) || progress;
      }
    if (next_ > Sizes::kSolved) return false;
    for (std::uint32_t t = 0; t < variant_.tensors.size(); ++t)
      for (std::uint32_t axis = 0; axis < variant_.tensors[t].rank; ++axis)
        if (present({t, axis}) && !check({t, axis}, variant_.axis({t, axis}).dim)) return false;
    if (batch_ && variant_.batch) check_batch(*variant_.batch);
    for (const std::vector<Place>& group : variant_.weak_groups) check_weak(group);
    out_.fixed_ = out_.ranges_.size();
    for (std::size_t s = 0; s < variant_.symbols.size(); ++s)
      if (known(s)) check_symbol(variant_.symbols[s], out_.places_[s]);
    for (const FlatBound& bound : variant_.bounds)
      if (known(bound.low) && known(bound.high))
        out_.orders_.push_back({out_.places_[bound.low], out_.places_[bound.high]});
    return true;
  }

 private:
  bool present(Place at) const {
    if (at.tensor == Place::kBatch) return batch_;
    return outputs_ || at.tensor < variant_.inputs;
  }
  Place here(Place at) const { return at.tensor == Place::kBatch ? Place{out_.behind_, Sizes::kBatchSize} : at; }
  bool known(std::size_t symbol) const { return out_.places_[symbol].tensor != kNone; }
  bool known(const FlatDim& dim) const {
    const auto symbols = variant_.expressions.symbols(dim);
    return std::all_of(symbols.begin(), symbols.end(), [&](std::uint32_t s) { return known(s); });
  }

  void bind(std::size_t symbol) {
    Place& place = out_.places_[symbol];
    for (const Place at : variant_.symbols[symbol].bare) {
      if (!present(at)) continue;
      if (known(symbol)) out_.same_.push_back({here(at), place});
      else place = here(at);
    }
  }

  bool solve(Place at) {
    const FlatDim& dim = variant_.axis(at).dim;
    const std::uint32_t term = variant_.expressions.open_term(dim, [&](std::uint32_t s) { return known(s); });
    if (term == kNone) return false;
    const std::uint32_t symbol = variant_.expressions.terms(dim)[term].alone;
    out_.solves_.push_back({at, next_, dim, term});
    out_.places_[symbol] = {out_.behind_, next_++};
    if (dim.symbols.end - dim.symbols.begin == 1) settled_.push_back(at);
    return true;
  }

  // False: with these tensors no call conforms without a violation.
  bool check(Place at, const FlatDim& dim) {
    if (dim.kind == FlatDim::Kind::fixed) out_.ranges_.push_back({at, dim.fixed, 0});
    // A symbol alone was bound; what k*s+c was solved for is k*s+c.
    if (dim.kind != FlatDim::Kind::other || std::find(settled_.begin(), settled_.end(), at) != settled_.end())
      return true;
    if (known(dim)) {
      equate(at, dim);
      return true;
    }
    const auto symbols = variant_.expressions.symbols(dim);
    const auto open = std::count_if(symbols.begin(), symbols.end(), [&](std::uint32_t s) { return !known(s); });
    return open > 1 || dim.nested;
  }

  void check_batch(const FlatDim& dim) {
    const Place at{out_.behind_, Sizes::kBatchSize};
    if (dim.kind == FlatDim::Kind::fixed) out_.ranges_.push_back({at, dim.fixed, 0});
    else if (dim.kind == FlatDim::Kind::other && known(dim)) equate(at, dim);
  }

  // Weak axes of one dim are equal anyhow where the dim has a value.
  void check_weak(const std::vector<Place>& group) {
    if (known(variant_.axis(group[0]).dim)) return;
    std::optional<Place> first;
    for (const Place at : group) {
      if (!present(at)) continue;
      if (first) out_.same_.push_back({at, *first});
      else first = at;
    }
  }

  void equate(Place at, const FlatDim& dim) {
    if (!affine(at, dim)) out_.equations_.push_back({at, dim});
  }

  bool affine(Place at, const FlatDim& dim) {
    if (dim.nested || dim.denominator != 1) return false;
    Affine affine{at, at, at, 0, 0, 0};
    std::size_t used = 0;
    for (const FlatTerm& term : variant_.expressions.terms(dim)) {
      if (term.alone == kNone) {
        affine.c = term.coefficient;
        continue;
      }
      if (used == 2) return false;
      (used == 0 ? affine.x : affine.y) = out_.places_[term.alone];
      (used == 0 ? affine.a : affine.b) = term.coefficient;
      ++used;
    }
    out_.affine_.push_back(affine);
    return true;
  }

  void check_symbol(const FlatSymbol& symbol, Place at) {
    if (symbol.min || symbol.max) {
      const std::int64_t low = symbol.min.value_or(INT64_MIN), high = symbol.max.value_or(INT64_MAX);
      out_.ranges_.push_back({at, low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)});
    }
    add_stride(at, symbol.multiple_of, symbol.residue);
    add_stride(at, symbol.seen_multiple_of, symbol.seen_residue);
  }

  // n is a multiple of m exactly when n times the inverse of the odd part, rotated by the power of two, is at most
  // (2^64 - 1) / m (Granlund and Montgomery, Division by invariant integers, 1994, section 9): no division at run time.
  void add_stride(Place at, std::int64_t multiple_of, std::int64_t residue) {
    if (multiple_of == 1) return;
    const auto m = static_cast<std::uint64_t>(multiple_of);
    const int shift = std::countr_zero(m);
    const std::uint64_t odd = m >> shift;
    std::uint64_t inverse = odd;  // right in 3 bits; each round doubles them
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    out_.strides_.push_back({at, residue, inverse, UINT64_MAX / m, shift});
  }

  Program& out_;
  const FlatVariant& variant_;
  bool outputs_, batch_;
  std::uint32_t next_ = Sizes::kFirstSolved;
  std::vector<Place> settled_;
};

Program::Program(const FlatVariant& variant, bool outputs, bool batch) {
  usable_ = Compiler(*this, variant, outputs, batch).run();
  straight_ = usable_ && solves_.empty() && equations_.empty();
}

bool Program::holds(const Expressions& expressions, Sizes& sizes, std::int64_t batch_size, bool ranges) const noexcept {
  if (!usable_) return false;
  sizes.extents[behind_] = sizes.solved.data();
  sizes.solved[Sizes::kBatchSize] = batch_size;
  const auto value_of = [&](std::int64_t s) { return std::optional(sizes[places_[static_cast<std::size_t>(s)]]); };
  for (const Solve& s : solves_) {
    const auto value = expressions.solve(s.dim, s.term, sizes[s.at], value_of);
    if (!value) return false;
    sizes.solved[s.target] = *value;
  }
  if (!straight_holds(sizes, batch_size, ranges)) return false;
  for (const Equation& e : equations_)
    if (expressions.evaluate(e.dim, value_of) != sizes[e.at]) return false;
  return true;
}

}  // namespace tensorspec::flat
