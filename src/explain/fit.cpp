// SPDX-License-Identifier: Apache-2.0
#include "explain/fit.hpp"

#include <algorithm>

#include "explain/families.hpp"

namespace tensorspec {
namespace {

enum class With : std::uint8_t { factor, summand };

// The points without one symbol: its factor or summand taken out of the target. nullopt when that is not whole, or
// leaves nothing that varies.
std::optional<Points> without(const Points& points, std::size_t symbol, With with) {
  Points out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::int64_t size = points.symbols[symbol][i], target = points.target[i];
    if (with == With::factor && (size == 0 || target % size != 0)) return std::nullopt;
    out.target.push_back(with == With::factor ? target / size : target - size);
  }
  for (std::size_t s = 0; s < points.symbols.size(); ++s)
    if (s != symbol) out.symbols.push_back(points.symbols[s]);
  const auto [low, high] = std::minmax_element(out.target.begin(), out.target.end());
  if (*low == *high || *low < 0) return std::nullopt;
  return out;
}

Form with_symbol(Form form, std::size_t symbol, With with) {
  for (Monomial& term : form.terms)
    for (Atom& atom : term.atoms)
      if (atom.symbol >= symbol) ++atom.symbol;
  if (with == With::summand) {
    form.terms.push_back({form.divisor, {Atom{.symbol = symbol}}});
    return form;
  }
  for (Monomial& term : form.terms) term.atoms.push_back(Atom{.symbol = symbol});
  if (form.constant != 0) form.terms.push_back({form.constant, {Atom{.symbol = symbol}}});
  form.constant = 0;
  return form;
}

void simple_forms(const Points& points, Stage stage, std::vector<Form>& out) {
  if (stage == Stage::sum) fit::sums(points, false, out);
  if (stage == Stage::product) fit::products(points, false, out);
  if (stage != Stage::round) return;
  fit::sums(points, true, out);
  fit::products(points, true, out);
  fit::rounds(points, out);
  fit::grids(points, out);
}

// batch*(past+seq), batch*ceil(t/2), past+ceil(t/2): one symbol beside a form of the others.
void compound_forms(const Points& points, Stage stage, std::vector<Form>& out) {
  for (std::size_t symbol = 0; symbol < points.symbols.size(); ++symbol)
    for (const With with : {With::factor, With::summand}) {
      const auto rest = without(points, symbol, with);
      if (!rest) continue;
      std::vector<Form> found;
      if (stage == Stage::product && with == With::factor) fit::sums(*rest, false, found);
      else simple_forms(*rest, stage, found);
      for (Form& form : found) out.push_back(with_symbol(std::move(form), symbol, with));
    }
}

}  // namespace

std::vector<Form> fit_forms(const Points& points, Stage stage) {
  std::vector<Form> out;
  if (points.size() < (stage == Stage::round ? 3u : 2u)) return out;  // a round has an integer at least
  simple_forms(points, stage, out);
  if (stage != Stage::sum && points.symbols.size() > 1) compound_forms(points, stage, out);
  return out;
}

}  // namespace tensorspec
