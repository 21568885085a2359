// SPDX-License-Identifier: Apache-2.0
#include "wire/text_proto.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "base/escapes.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {
namespace {

using Kind = TextField::Kind;

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  Parser(std::string_view text, bool cut) : text_(text), cut_(cut) {}

  Result<std::vector<TextField>> run() {
    std::vector<TextField> fields;
    auto status = message(fields, '\0', 0);
    if (!status.ok() && !(cut_ && at_ == text_.size())) return std::move(status).error();
    return fields;
  }

 private:
  Error fail(std::string detail) const {
    return Error{.code = ErrorCode::pbtxt_malformed, .where = hex(at_), .detail = std::move(detail)};
  }

  void skip_blanks() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n\f\v", at_), text_.size());
      if (at_ == text_.size() || text_[at_] != '#') return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }
  // '\0' at the end; a NUL in the text fits nothing either.
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  // Fields up to `end`; '\0' is the end of the text.
  Status message(std::vector<TextField>& fields, char end, int depth) {
    if (depth > kMaxTextDepth) return fail("nested deeper than " + std::to_string(kMaxTextDepth));
    for (;;) {
      const char c = next();
      if (at_ == text_.size()) return end == '\0' ? Status() : fail(std::string("no '") + end + "'");
      if (c == end && end != '\0') {
        ++at_;
        return {};
      }
      TRY_VOID(field(fields, depth));
      if (!take(',')) take(';');
    }
  }

  Status field(std::vector<TextField>& fields, int depth) {
    TextField field;
    field.offset = at_;
    TRY(field.name, name());
    const bool colon = take(':');
    const char c = next();
    if (c == '[') return list(fields, std::move(field), colon, depth);
    if (c != '{' && c != '<' && !colon) return fail("expected ':' or '{' behind '" + shortened(field.name) + "'");
    return value(fields, std::move(field), depth);
  }

  Status list(std::vector<TextField>& fields, TextField field, bool colon, int depth) {
    take('[');
    if (take(']')) return {};
    do {
      const char c = next();
      if (c != '{' && c != '<' && !colon)
        return fail("expected a message in the list of '" + shortened(field.name) + "'");
      TRY_VOID(value(fields, {.name = field.name, .offset = field.offset}, depth));
    } while (take(','));
    if (take(']')) return {};
    return fail("expected ',' or ']'");
  }

  Status value(std::vector<TextField>& fields, TextField field, int depth) {
    if (++count_ > kMaxTextFields) return fail("more than " + std::to_string(kMaxTextFields) + " values");
    const char c = next();
    Status status;
    if (c == '{' || c == '<') {
      ++at_;
      field.kind = Kind::message;
      status = message(field.fields, c == '{' ? '}' : '>', depth + 1);
    } else if (c == '"' || c == '\'') {
      field.kind = Kind::text;
      status = strings(field.value);
    } else {
      status = word(field.value);
    }
    // What is cut keeps what it has.
    if (status.ok() || cut_) fields.push_back(std::move(field));
    return status;
  }

  Result<std::string> name() {
    if (take('[')) {
      const std::size_t end = text_.find(']', at_);
      if (end == std::string_view::npos) {
        at_ = text_.size();
        return fail("no ']'");
      }
      std::string out = "[" + std::string(text_.substr(at_, end + 1 - at_));
      at_ = end + 1;
      return out;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    if (at_ == begin) return fail("expected the name of a field");
    return std::string(text_.substr(begin, at_ - begin));
  }

  Status word(std::string& out) {
    const bool negative = take('-');
    if (const char c = next(); !is_letter(c) && !is_digit(c) && c != '.') return fail("expected a value");
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent = (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && at_ > begin;
      if (!is_letter(c) && !is_digit(c) && c != '.' && !exponent) break;
      ++at_;
    }
    out = (negative ? "-" : "") + std::string(text_.substr(begin, at_ - begin));
    return {};
  }

  // Strings beside each other are one.
  Status strings(std::string& out) {
    for (char c = next(); at_ < text_.size() && (c == '"' || c == '\''); c = next()) TRY_VOID(string(out));
    return {};
  }

  Status string(std::string& out) {
    const char quote = text_[at_++];
    for (;;) {
      const std::size_t end = std::min(text_.find_first_of(std::string{quote, '\\', '\n'}, at_), text_.size());
      out.append(text_.substr(at_, end - at_));
      at_ = end;
      if (at_ == text_.size() || text_[at_] == '\n') return fail("a string does not end");
      if (text_[at_++] == quote) return {};
      TRY_VOID(escape(out));
    }
  }

  Status escape(std::string& out) {
    static constexpr std::string_view kFrom = "abfnrtv\\'\"?", kTo = "\a\b\f\n\r\t\v\\'\"?";
    if (at_ == text_.size()) return fail("a string does not end");
    const char c = text_[at_];
    if (const std::size_t known = kFrom.find(c); known != std::string_view::npos) {
      ++at_;
      out += kTo[known];
      return {};
    }
    if (c >= '0' && c <= '7') {
      out += static_cast<char>(take_digits(text_, at_, 8, 3));
      return {};
    }
    if (c != 'x' && c != 'X' && c != 'u' && c != 'U') return fail("an unknown escape in a string");
    ++at_;
    const std::size_t begin = at_, digits = c == 'u' ? 4 : c == 'U' ? 8 : 2;
    const std::uint32_t value = take_digits(text_, at_, 16, digits);
    const bool code_point = c == 'u' || c == 'U';
    if (at_ == begin || (code_point && at_ - begin != digits)) return fail("an unknown escape in a string");
    if (code_point) append_code_point(out, value);
    else out += static_cast<char>(value);
    return {};
  }

  static std::string shortened(const std::string& name) {
    return name.size() <= 64 ? name : name.substr(0, 61) + "...";
  }

  std::string_view text_;
  bool cut_;
  std::size_t at_ = 0, count_ = 0;
};

}  // namespace

std::optional<std::int64_t> whole_number_of(const TextField& field) noexcept {
  if (field.kind != Kind::word) return std::nullopt;
  std::string_view digits = field.value;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  const int base = hex ? 16 : digits.starts_with('0') ? 8 : 10;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || stop != digits.data() + digits.size() || value > kMost + (negative ? 1 : 0))
    return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

Result<std::vector<TextField>> parse_text_proto(std::string_view text, bool cut) { return Parser(text, cut).run(); }

}  // namespace tensorspec
