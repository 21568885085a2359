// SPDX-License-Identifier: Apache-2.0
//
// Dim: one axis of a contract, an integer or an expression over symbols.
//
//   32   batch   2*batch   past+seq   8*h+4   batch*seq   ceil(t/2)   floor((t+1)/2)   21*h*w/1024
//
// Grammar (blanks between tokens are free):
//   expr   = ["-"] term { ("+" | "-") term }
//   term   = factor { "*" factor | "/" integer | "//" integer }
//   factor = integer | name | "(" expr ")" | "floor(" expr ")" | "ceil(" expr ")"
// A name is [A-Za-z_][A-Za-z0-9_]*, except floor and ceil. "a/2" outside of floor and ceil is exact: it has a value
// only where 2 divides a. "a//2" is floor(a/2).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

// An immutable value in canonical form: (sum of terms) / denominator, terms by descending degree and then by name, no
// zero coefficients, denominator in lowest terms. Equal expressions of the grammar's sums, products and quotients
// compare equal; floor and ceil stay as written, up to whole parts and common factors taken out of them. Safe to share
// between threads.
class Dim {
 public:
  struct Factor;
  struct Term;
  // Looks up the value of a symbol; nullopt: unknown.
  using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

  Dim();                    // 0
  Dim(std::int64_t value);  // NOLINT: implicit by design
  static Dim symbol(std::string name);

  // Errors: dim_syntax (where is "column N", from 1), dim_too_large, overflow.
  static Result<Dim> parse(std::string_view text);
  std::string to_string() const;

  // Errors: dim_too_large (more than 64 terms, 16 factors in a term, 32 levels), overflow.
  static Result<Dim> add(const Dim& a, const Dim& b);
  static Result<Dim> subtract(const Dim& a, const Dim& b);
  static Result<Dim> multiply(const Dim& a, const Dim& b);
  // a/d exactly, rounded down, rounded up. Errors: those above, and invalid_argument when d < 1.
  static Result<Dim> divide(const Dim& a, std::int64_t d);
  static Result<Dim> floor_divide(const Dim& a, std::int64_t d);
  static Result<Dim> ceil_divide(const Dim& a, std::int64_t d);
  // Every symbol named in `values` replaced; the others stay.
  Result<Dim> substitute(const std::map<std::string, Dim>& values) const;

  std::optional<std::int64_t> as_integer() const noexcept;
  // The name when the expression is one bare symbol, else nullptr.
  const std::string* as_symbol() const noexcept;
  std::vector<std::string> symbols() const;  // sorted, each once

  // nullopt when a symbol is unknown, a quotient is not whole, or a step does not fit int64. O(size).
  std::optional<std::int64_t> evaluate(const Lookup& lookup) const;
  static std::optional<std::int64_t> evaluate(const Factor& factor, const Lookup& lookup);

  const std::vector<Term>& terms() const noexcept { return terms_; }
  std::int64_t denominator() const noexcept { return denominator_; }

  friend bool operator==(const Dim& a, const Dim& b) { return compare(a, b) == 0; }
  // A total order on expressions: negative, zero or positive.
  static int compare(const Dim& a, const Dim& b);

 private:
  std::vector<Term> terms_;  // empty: zero
  std::int64_t denominator_ = 1;

  static Result<Dim> make(std::vector<Term> terms, std::int64_t denominator);
  static Result<Dim> round(const Dim& a, std::int64_t d, bool up);
};

// A symbol, or floor / ceil of argument / divisor.
struct Dim::Factor {
  enum class Kind : std::uint8_t { symbol, floor, ceil };
  Kind kind = Kind::symbol;
  std::string name;                     // of a symbol
  std::shared_ptr<const Dim> argument;  // of floor and ceil
  std::int64_t divisor = 1;
};

struct Dim::Term {
  std::int64_t coefficient = 1;
  std::vector<Factor> factors;  // sorted; empty: the constant term
};

}  // namespace tensorspec
