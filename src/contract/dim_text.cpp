// SPDX-License-Identifier: Apache-2.0
//
// The notation of Dim: printing and parsing, which agree with one another.
#include <algorithm>
#include <charconv>

#include "base/try.hpp"
#include "tensorspec/dim.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr int kMaxDepth = 32;

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Dim> whole() {
    if (text_.size() > kMaxText) return Error{ErrorCode::dim_too_large, "", "more than 4096 characters"};
    TRY(Dim dim, expression(0));
    if (at_ < text_.size()) return syntax("unexpected \"" + std::string(1, text_[at_]) + "\"");
    return dim;
  }

 private:
  Error syntax(std::string reason) const {
    return Error{ErrorCode::dim_syntax, "column " + std::to_string(at_ + 1), std::move(reason)};
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  Result<Dim> expression(int depth) {
    if (depth > kMaxDepth)
      return Error{ErrorCode::dim_too_large, "column " + std::to_string(at_ + 1), "more than 32 levels"};
    const bool negative = accept("-");
    TRY(Dim sum, term(depth));
    if (negative) { TRY(sum, Dim::multiply(sum, Dim(-1))); }
    for (;;) {
      if (accept("+")) {
        TRY(const Dim next, term(depth));
        TRY(sum, Dim::add(sum, next));
      } else if (accept("-")) {
        TRY(const Dim next, term(depth));
        TRY(sum, Dim::subtract(sum, next));
      } else {
        return sum;
      }
    }
  }

  Result<Dim> term(int depth) {
    TRY(Dim product, factor(depth));
    for (;;) {
      if (accept("*")) {
        TRY(const Dim next, factor(depth));
        TRY(product, Dim::multiply(product, next));
      } else if (accept("//")) {
        TRY(const std::int64_t divisor, integer());
        TRY(product, Dim::floor_divide(product, divisor));
      } else if (accept("/")) {
        TRY(const std::int64_t divisor, integer());
        TRY(product, Dim::divide(product, divisor));
      } else {
        return product;
      }
    }
  }

  Result<std::int64_t> integer() {
    skip_blanks();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (begin == end || !is_digit(*begin)) return syntax("expected a whole number");
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) return Error{ErrorCode::overflow, "column " + std::to_string(at_ + 1), ""};
    at_ += static_cast<std::size_t>(stop - begin);
    skip_blanks();
    return value;
  }

  Result<Dim> factor(int depth) {
    skip_blanks();
    if (at_ == text_.size()) return syntax("the expression ends early");
    if (is_digit(text_[at_])) {
      TRY(const std::int64_t value, integer());
      return Dim(value);
    }
    if (accept("(")) return closed(depth);
    if (!starts_name(text_[at_])) return syntax("expected a number, a name or \"(\"");
    const std::size_t begin = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    skip_blanks();
    if (name != "floor" && name != "ceil") return Dim::symbol(std::move(name));
    if (!accept("(")) return syntax(name + " needs \"(\"");
    TRY(const Dim argument, closed(depth));
    return name == "floor" ? Dim::floor_divide(argument, 1) : Dim::ceil_divide(argument, 1);
  }

  Result<Dim> closed(int depth) {
    TRY(Dim inner, expression(depth + 1));
    if (!accept(")")) return syntax("expected \")\"");
    return inner;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string sum_text(const std::vector<Dim::Term>& terms);

std::string quotient_text(const std::vector<Dim::Term>& terms, std::int64_t divisor) {
  const std::string sum = sum_text(terms);
  if (divisor == 1) return sum;
  // Only a single term that does not begin with "-" divides as it stands.
  const bool bare = terms.size() == 1 && terms[0].coefficient > 0;
  return (bare ? sum : "(" + sum + ")") + "/" + std::to_string(divisor);
}

std::string factor_text(const Dim::Factor& factor) {
  if (factor.kind == Dim::Factor::Kind::symbol) return factor.name;
  return (factor.kind == Dim::Factor::Kind::floor ? "floor(" : "ceil(") +
         quotient_text(factor.argument->terms(), factor.divisor) + ")";
}

// The term without its sign.
std::string term_text(const Dim::Term& term) {
  const std::int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  std::string text = size != 1 || term.factors.empty() ? std::to_string(size) : "";
  for (const Dim::Factor& factor : term.factors) {
    if (!text.empty()) text += "*";
    text += factor_text(factor);
  }
  return text;
}

std::string sum_text(const std::vector<Dim::Term>& terms) {
  if (terms.empty()) return "0";
  // "4-h" reads better than "-h+4": the first positive term leads.
  const auto lead = std::find_if(terms.begin(), terms.end(), [](const Dim::Term& t) { return t.coefficient > 0; });
  std::string text = lead == terms.end() ? "" : term_text(*lead);
  for (auto term = terms.begin(); term != terms.end(); ++term) {
    if (term == lead) continue;
    if (term->coefficient < 0) text += "-";
    else if (!text.empty()) text += "+";
    text += term_text(*term);
  }
  return text;
}

}  // namespace

Result<Dim> Dim::parse(std::string_view text) { return Parser(text).whole(); }

std::string Dim::to_string() const { return quotient_text(terms_, denominator_); }

}  // namespace tensorspec
