// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "explain/families.hpp"

namespace tensorspec::fit {
namespace {

using Sizes = std::vector<std::int64_t>;

std::size_t place_of_least(const Sizes& x) {
  return static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin());
}
std::size_t place_of_most(const Sizes& x) {
  return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}

Monomial single(std::int64_t coefficient, std::size_t symbol) { return {coefficient, {Atom{.symbol = symbol}}}; }

void add_if_fits(const Points& points, Form form, std::vector<Form>& out) {
  if (points.fits(form)) keep(points, std::move(form), out);
}

// The constant that makes a sum right at one point (`sizes`, the point's place), kept if it is right at all.
void with_constant(const Points& points, Form form, const Sizes& sizes, std::size_t place, std::vector<Form>& out) {
  const auto sum = form.evaluate(sizes);
  const auto constant = sum ? checked_sub(points.target[place], *sum) : std::nullopt;
  if (!constant) return;
  form.constant = *constant;
  add_if_fits(points, std::move(form), out);
}

// Small signs tried as they are: with few calls no equation settles them.
void patterns(const Points& points, std::vector<Form>& out) {
  static constexpr std::int64_t kTwo[][3] = {{1, 1, 0}, {1, -1, 0}, {-1, 1, 0}};
  static constexpr std::int64_t kThree[][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  const auto with_signs = [&](std::span<const std::int64_t> signs) {
    Form form;
    Sizes at_first;
    for (std::size_t s = 0; s < points.symbols.size(); ++s) {
      form.terms.push_back(single(signs[s], s));
      at_first.push_back(points.symbols[s][0]);
    }
    with_constant(points, std::move(form), at_first, 0, out);
  };
  if (points.symbols.size() == 2)
    for (const auto& signs : kTwo) with_signs(signs);
  if (points.symbols.size() == 3)
    for (const auto& signs : kThree) with_signs(signs);
}

std::optional<std::int64_t> determinant(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const auto x = checked_mul(a, d), y = checked_mul(b, c);
  return x && y ? checked_sub(*x, *y) : std::nullopt;
}

// t = a*x + b*y + c, whole a and b, from three points that are not in one line.
void plane(const Points& points, std::vector<Form>& out) {
  const Sizes &t = points.target, &x = points.symbols[0], &y = points.symbols[1];
  const std::size_t first = place_of_least(x), second = place_of_most(x);
  for (std::size_t third = 0; third < points.size(); ++third) {
    const std::int64_t dx1 = x[second] - x[first], dy1 = y[second] - y[first], dt1 = t[second] - t[first];
    const std::int64_t dx2 = x[third] - x[first], dy2 = y[third] - y[first], dt2 = t[third] - t[first];
    const auto whole = determinant(dx1, dy1, dx2, dy2);
    if (!whole || *whole == 0) continue;
    const auto a = determinant(dt1, dy1, dt2, dy2), b = determinant(dx1, dt1, dx2, dt2);
    if (!a || !b || *a == INT64_MIN || *b == INT64_MIN || *a % *whole != 0 || *b % *whole != 0 || *a == 0 || *b == 0)
      return;
    Form form;
    form.terms = {single(*a / *whole, 0), single(*b / *whole, 1)};
    with_constant(points, std::move(form), {x[first], y[first]}, first, out);
    return;
  }
}

}  // namespace

void keep(const Points& points, Form form, std::vector<Form>& out) {
  static constexpr std::int64_t kOne[] = {1, 1, 1};
  if (points.size() > form.unknowns(kOne)) out.push_back(std::move(form));
}

std::optional<Line> line(const Sizes& target, const Sizes& x) {
  const std::size_t low = place_of_least(x), high = place_of_most(x);
  const std::int64_t run = x[high] - x[low], rise = target[high] - target[low];
  if (run == 0 || rise == 0) return std::nullopt;
  const std::int64_t common = std::gcd(run, rise);
  Line out{rise / common, 0, run / common};
  const auto constant = determinant(out.divisor, out.times, x[low], target[low]);
  if (!constant) return std::nullopt;
  out.constant = *constant;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (determinant(out.divisor, out.times, x[i], target[i]) != constant) return std::nullopt;
  return out;
}

void sums(const Points& points, bool quotients, std::vector<Form>& out) {
  if (points.symbols.size() == 1) {
    const auto found = line(points.target, points.symbols[0]);
    if (found && (found->divisor != 1) == quotients)
      keep(points, {{single(found->times, 0)}, found->constant, found->divisor}, out);
    return;
  }
  if (quotients) return;
  patterns(points, out);
  if (points.symbols.size() == 2) plane(points, out);
}

void products(const Points& points, bool quotients, std::vector<Form>& out) {
  if (points.symbols.size() < 2) return;
  Sizes product(points.size(), 1);
  for (const Sizes& sizes : points.symbols)
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto next = checked_mul(product[i], sizes[i]);
      if (!next) return;
      product[i] = *next;
    }
  const auto found = line(points.target, product);
  if (!found || found->times < 0 || (found->divisor != 1) != quotients) return;
  Monomial term{found->times, {}};
  for (std::size_t s = 0; s < points.symbols.size(); ++s) term.atoms.push_back(Atom{.symbol = s});
  keep(points, {{std::move(term)}, found->constant, found->divisor}, out);
}

}  // namespace tensorspec::fit
