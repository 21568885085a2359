// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "base/checked.hpp"
#include "explain/families.hpp"

namespace tensorspec::fit {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kMaxTimes = 8;       // floor((k*s+c)/d): up- and downsampling by small ratios
constexpr std::int64_t kMaxDivisor = 4096;  // of one size: hop lengths of audio
constexpr std::int64_t kMaxPadding = 512;   // sizes padded up to a multiple
constexpr std::int64_t kMaxPatch = 64;      // of a grid of two

constexpr std::int64_t kFarOffset = INT64_MAX / 4;

struct Offsets {
  std::int64_t low, high;
};

// The offsets c with floor((k*s+c)/d) = t at every point.
std::optional<Offsets> feasible(const Points& points, std::int64_t k, std::int64_t d) {
  Offsets out{INT64_MIN, INT64_MAX};
  const Sizes &t = points.target, &s = points.symbols[0];
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto scaled = checked_mul(d, t[i]), times = checked_mul(k, s[i]);
    const auto need = scaled && times ? checked_sub(*scaled, *times) : std::nullopt;
    if (!need || *need > kFarOffset || *need < -kFarOffset) return std::nullopt;
    out.low = std::max(out.low, *need);
    out.high = std::min(out.high, *need + d - 1);
    if (out.low > out.high) return std::nullopt;
  }
  return out;
}

// floor((k*s+c)/d) in its shortest spelling: whole parts out of the brackets or not, floor or ceil.
Form shortest(std::int64_t k, std::int64_t d, std::int64_t c) {
  std::optional<Form> best;
  static constexpr std::int64_t kOne[] = {1};
  const auto add = [&](std::int64_t offset, bool up, std::int64_t whole) {
    Form form{{{1, {Atom{0, d, k, offset, up}}}}, whole, 1};
    if (!best || form.length(kOne) < best->length(kOne)) best = std::move(form);
  };
  const std::int64_t whole = floor_div(c, d), rest = c - whole * d;
  add(rest, false, whole);
  add(c, false, 0);
  add(c - (d - 1), true, 0);
  add(rest - (d - 1), true, whole);
  if (rest != d - 1) add(rest + 1, true, whole - 1);
  return *best;
}

void add_round(const Points& points, std::int64_t k, std::int64_t d, std::vector<Form>& out) {
  const auto offsets = feasible(points, k, d);
  if (!offsets) return;
  // The interval is shorter than d, so the offsets of a plain floor and a plain ceil lie in it once at most; without
  // them an end of the interval is the shortest.
  std::vector<std::int64_t> tries{offsets->low, offsets->high};
  for (const std::int64_t plain : {std::int64_t{0}, d - 1}) {
    const std::int64_t c = offsets->high - (((offsets->high - plain) % d + d) % d);
    if (c >= offsets->low) tries.push_back(c);
  }
  std::sort(tries.begin(), tries.end());
  tries.erase(std::unique(tries.begin(), tries.end()), tries.end());
  // Any offset between the ends gives one of their two sizes, so the ends stand for all.
  for (const std::int64_t c : tries) keep(points, shortest(k, d, c), out);
}

// round(s/d) per point.
Sizes rounded(const Sizes& sizes, std::int64_t d, bool up) {
  Sizes out;
  out.reserve(sizes.size());
  for (const std::int64_t size : sizes) out.push_back(up ? floor_div(size + d - 1, d) : size / d);
  return out;
}

// The line through the first points where the product differs, held against all. Most pairs of patches fail in three
// points, so nothing is built before.
std::optional<Line> grid_line(const Sizes& target, const Sizes& a, const Sizes& b) {
  const auto first = checked_mul(a[0], b[0]);
  if (!first) return std::nullopt;
  std::optional<Line> found;
  for (std::size_t i = 1; i < target.size(); ++i) {
    const auto product = checked_mul(a[i], b[i]);
    if (!product) return std::nullopt;
    const std::int64_t run = *product - *first, rise = target[i] - target[0];
    if (!found) {
      if (run == 0 && rise == 0) continue;
      if (run == 0 || rise % run != 0 || rise / run < 1) return std::nullopt;
      const auto scaled = checked_mul(rise / run, *first);
      const auto constant = scaled ? checked_sub(target[0], *scaled) : std::nullopt;
      if (!constant) return std::nullopt;
      found = Line{rise / run, *constant, 1};
    } else if (checked_mul(found->times, run) != rise) {
      return std::nullopt;
    }
  }
  return found;
}

// Padding to a multiple, d*ceil(s/d), and up- after downsampling.
void paddings(const Points& points, std::vector<Form>& out) {
  const Sizes ones(points.size(), 1);
  for (std::int64_t d = 2; d <= kMaxPadding; ++d)
    for (const bool up : {false, true}) {
      const auto found = grid_line(points.target, rounded(points.symbols[0], d, up), ones);
      if (found && found->times > 1) keep(points, {{{found->times, {Atom{0, d, 1, 0, up}}}}, found->constant, 1}, out);
    }
}

// floor((k*s+c)/d), or ceil without a minus.
Atom with_offset(Atom atom, std::int64_t c) {
  atom.up = c >= atom.divisor - 1;
  atom.offset = atom.up ? c - (atom.divisor - 1) : c;
  return atom;
}

std::int64_t floor_offset(const Atom& atom) { return atom.up ? atom.offset + atom.divisor - 1 : atom.offset; }

// The form with every rounding that is spelled like `like` moved to an offset.
Form moved(Form form, const Atom& like, std::int64_t c) {
  for (Monomial& term : form.terms)
    for (Atom& atom : term.atoms) {
      Atom same = like;
      same.symbol = atom.symbol;
      if (atom == same) atom = with_offset(atom, c);
    }
  return form;
}

}  // namespace

void offsets(const Points& points, const Form& form, std::vector<Form>& out) {
  std::vector<Atom> roundings;
  for (const Monomial& term : form.terms)
    for (const Atom& atom : term.atoms)
      if (atom.divisor != 1) roundings.push_back(atom);
  if (roundings.size() < 2) return;
  for (std::size_t i = 0; i < roundings.size(); ++i) {
    const Atom& like = roundings[i];
    const bool done = std::any_of(roundings.begin(), roundings.begin() + static_cast<std::ptrdiff_t>(i),
                                  [&](Atom other) { return other.symbol = like.symbol, other == like; });
    if (done) continue;
    for (const std::int64_t step : {-1, 1}) {
      std::int64_t moves = 0;
      const auto at = [&](std::int64_t count) { return moved(form, like, floor_offset(like) + step * count); };
      while (moves + 1 < like.divisor && points.fits(at(moves + 1))) ++moves;
      if (moves > 0) keep(points, at(moves), out);
    }
  }
}

void rounds(const Points& points, std::vector<Form>& out) {
  if (points.symbols.size() != 1) return;
  const Sizes &t = points.target, &s = points.symbols[0];
  const auto [low, high] = std::minmax_element(s.begin(), s.end());
  const std::int64_t run = *high - *low, rise = t[static_cast<std::size_t>(high - s.begin())] -
                                                t[static_cast<std::size_t>(low - s.begin())];
  if (rise < 1) return;
  for (std::int64_t k = 1; k <= kMaxTimes; ++k) {
    // rise is within 1 of k*run/d.
    const auto scaled = checked_mul(k, run);
    if (!scaled) return;
    const std::int64_t from = std::max<std::int64_t>(2, *scaled / (rise + 1));
    const std::int64_t to = rise == 1 ? kMaxDivisor : std::min(kMaxDivisor, *scaled / (rise - 1) + 1);
    for (std::int64_t d = from; d <= to; ++d)
      if (std::gcd(k, d) == 1) add_round(points, k, d, out);
  }
  paddings(points, out);
}

void grids(const Points& points, std::vector<Form>& out) {
  if (points.symbols.size() != 2 || points.size() < 3) return;
  struct Rounded {
    Sizes sizes;
    std::int64_t d;
    bool up;
  };
  std::vector<Rounded> of[2];
  for (std::size_t s = 0; s < 2; ++s)
    for (std::int64_t d = 1; d <= kMaxPatch; ++d)
      for (const bool up : {false, true}) {
        if (d == 1 && up) continue;
        Sizes sizes = rounded(points.symbols[s], d, up);
        // A factor that is the same everywhere shows nothing of its size: ceil(batch/64) of small batches.
        const bool varies = std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) != sizes.end();
        if (varies) of[s].push_back({std::move(sizes), d, up});
      }
  for (const Rounded& a : of[0])
    for (const Rounded& b : of[1]) {
      if (a.d == 1 && b.d == 1) continue;
      const auto found = grid_line(points.target, a.sizes, b.sizes);
      if (!found) continue;
      // Looked at before anything is built: with few points most of these fit.
      const bool square = a.d == b.d && a.up == b.up;
      const std::size_t unknowns =
          (a.d > 1 && b.d > 1 && !square ? 2u : 1u) + (found->times > 1 ? 1u : 0u) + (found->constant != 0 ? 1u : 0u);
      if (points.size() <= unknowns) continue;
      out.push_back({{{found->times, {Atom{0, a.d, 1, 0, a.up}, Atom{1, b.d, 1, 0, b.up}}}}, found->constant, 1});
    }
}

}  // namespace tensorspec::fit
