// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy, versions 1.0, 2.0 and 3.0 (NEP 1; numpy.lib.format of NumPy 2.4). The header is a Python dict literal;
// of Python only what such headers hold is taken: strings, whole numbers (with Python 2's L), True, False, None, tuples
// and lists.
#include "read/npy.hpp"

#include <charconv>
#include <optional>

#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"

namespace tensorspec {
namespace {

constexpr int kMaxNesting = 32;  // of a structured dtype
constexpr std::size_t kMagicSize = kNpyMagic.size() + 2;

// Versions 1.0 and 2.0 are Latin-1; names inside tensorspec are UTF-8.
std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) append_code_point(out, static_cast<unsigned char>(c));
  return out;
}

class HeaderParser {
 public:
  // `begin`: where `text` stands in the file, for the places in errors.
  HeaderParser(const Place& place, std::size_t begin, std::string_view text, bool latin1)
      : place_(place), begin_(begin), text_(text), latin1_(latin1) {}

  // The dict with exactly the keys descr, fortran_order and shape, in any order.
  Result<TensorInfo> parse() {
    TRY_VOID(expect('{'));
    while (!accept('}')) {
      TRY_VOID(entry());
      if (accept(',')) continue;
      TRY_VOID(expect('}'));
      break;
    }
    skip_blanks();
    if (at_ < text_.size()) return malformed("text after the closing brace");
    if (!descr_ || !fortran_order_ || !shape_)
      return malformed(!descr_ ? "no 'descr'" : !shape_ ? "no 'shape'" : "no 'fortran_order'");
    return TensorInfo{.name = {}, .dtype = std::move(*descr_), .shape = std::move(*shape_)};
  }

 private:
  Status entry() {
    skip_blanks();
    const std::size_t start = at_;
    TRY(const std::string_view key, plain_string());
    TRY_VOID(expect(':'));
    skip_blanks();
    if (key == "descr" && !descr_) return descr();
    if (key == "shape" && !shape_) return shape();
    if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = accept_word("True") || accept_word("False");
      return *fortran_order_ ? Status() : malformed("'fortran_order' is neither True nor False");
    }
    at_ = start;
    return malformed("a key other than descr, fortran_order and shape, or the same one twice");
  }

  // A type string, or a list or tuple that describes a structured dtype: then the file's spelling is the name.
  Status descr() {
    const std::size_t start = at_;
    if (peek() == '[' || peek() == '(') {
      TRY_VOID(literal(0));
      const std::string_view spelling = text_.substr(start, at_ - start);
      descr_ = DType::other(latin1_ ? latin1_to_utf8(spelling) : std::string(spelling));
      return {};
    }
    TRY(const std::string_view spelling, plain_string());
    if (spelling.empty()) return malformed("'descr' is empty");
    descr_ = DType::from_numpy(latin1_ ? latin1_to_utf8(spelling) : std::string(spelling));
    return {};
  }

  Status shape() {
    if (!accept('(')) return malformed("'shape' is not a tuple");
    Shape extents;
    bool comma = true;  // (5) is a number in parentheses, (5,) a tuple
    while (!accept(')')) {
      if (!comma) return malformed("expected ',' or ')' in 'shape'");
      TRY(const std::int64_t extent, this->extent());
      if (extents.size() == kMaxRank) return fail(ErrorCode::rank_too_large, {});
      extents.push_back(extent);
      comma = accept(',');
    }
    if (extents.size() == 1 && !comma) return malformed("'shape' is a number, not a tuple");
    shape_ = std::move(extents);
    return {};
  }

  Result<std::int64_t> extent() {
    skip_blanks();
    const std::size_t start = at_;
    if (!number()) return malformed("expected a whole number in 'shape'");
    std::string_view digits = text_.substr(start, at_ - start);
    if (digits.ends_with('L')) digits.remove_suffix(1);
    const auto value = parse_int64(digits);
    if (value && *value >= 0 && *value <= kMaxExtent) return *value;
    at_ = start;
    return fail(ErrorCode::invalid_extent, std::string(digits.substr(0, 40)));
  }

  // Passes over one value of a structured dtype's description.
  Status literal(int depth) {
    if (depth == kMaxNesting) return malformed("'descr' is nested too deep");
    skip_blanks();
    const char open = peek();
    if (open == '(' || open == '[') {
      ++at_;
      const char close = open == '(' ? ')' : ']';
      while (!accept(close)) {
        TRY_VOID(literal(depth + 1));
        if (accept(',')) continue;
        TRY_VOID(expect(close));
        break;
      }
      return {};
    }
    if (number() || accept_word("True") || accept_word("False") || accept_word("None")) return {};
    TRY(bool escaped, string());
    static_cast<void>(escaped);
    return {};
  }

  // -12, 5L. False: there is none here, and nothing is passed over.
  bool number() {
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    if (end == digits) return false;
    at_ = end < text_.size() && text_[end] == 'L' ? end + 1 : end;
    return true;
  }

  // Passes over a string, with the prefix u of Python 2. Says whether it has escapes.
  Result<bool> string() {
    skip_blanks();
    if (peek() == 'u') ++at_;
    const char quote = peek();
    if (quote != '\'' && quote != '"') return malformed("expected a string");
    bool escaped = false;
    for (++at_; peek() != quote; ++at_) {
      if (peek() == '\\') {
        escaped = true;
        ++at_;
      }
      if (at_ >= text_.size() || text_[at_] == '\n') return malformed("a string that does not end");
    }
    ++at_;
    return escaped;
  }

  // The contents of a string without escapes: keys and type strings have none.
  Result<std::string_view> plain_string() {
    skip_blanks();
    const std::size_t start = at_ + (peek() == 'u' ? 2 : 1);
    TRY(const bool escaped, string());
    if (escaped) return malformed("a key or type string with escapes");
    return text_.substr(start, at_ - 1 - start);
  }

  static constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }
  // NUL at the end; a NUL in the text is no blank and no token, so it cannot be taken for it.
  char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() noexcept {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool accept(char token) noexcept {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != token) return false;
    ++at_;
    return true;
  }
  bool accept_word(std::string_view word) noexcept {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Status expect(char token) {
    if (accept(token)) return {};
    return malformed("expected '" + std::string(1, token) + "'");
  }

  Error fail(ErrorCode code, std::string detail) const {
    return Error{.code = code, .where = place_.at(begin_ + at_), .detail = std::move(detail)};
  }
  Error malformed(std::string detail) const {
    return fail(ErrorCode::npy_header, at_ < text_.size() ? std::move(detail) : detail + ", but the header ends");
  }

  const Place& place_;
  std::size_t begin_;
  std::string_view text_;
  bool latin1_;
  std::size_t at_ = 0;
  std::optional<DType> descr_;
  std::optional<Shape> shape_;
  std::optional<bool> fortran_order_;  // set: it was there
};

bool sniff(const Head& head) { return head.bytes.starts_with(kNpyMagic); }

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const std::string_view head, source.head());
  std::string longer;
  const auto more = [&](std::size_t count) -> Result<std::string_view> {
    longer.resize(count);
    TRY(const std::size_t got, source.read_at(0, longer));
    longer.resize(got);
    return std::string_view(longer);
  };
  TRY(TensorInfo tensor, read_npy_header(source.place(), head, more));
  sink.tensor(std::move(tensor));
  return {};
}

}  // namespace

Result<TensorInfo> read_npy_header(const Place& place, std::string_view first, const NpyBytes& more) {
  const auto fail = [&](ErrorCode code, std::size_t offset, std::string detail) {
    return Error{.code = code, .where = place.at(offset), .detail = std::move(detail)};
  };
  if (!first.starts_with(kNpyMagic)) {
    // A beginning of the magic is a file cut short, not another kind of file.
    if (kNpyMagic.starts_with(first))
      return fail(ErrorCode::npy_truncated, first.size(), std::to_string(first.size()) + " bytes in all");
    return fail(ErrorCode::npy_bad_magic, 0, {});
  }
  const auto cut = [&](std::size_t need, std::size_t have) {
    return fail(ErrorCode::npy_truncated, have,
                "the header takes " + std::to_string(need) + " bytes, the file has " + std::to_string(have));
  };
  if (first.size() < kMagicSize) return cut(kMagicSize, first.size());
  const int major = static_cast<unsigned char>(first[6]), minor = static_cast<unsigned char>(first[7]);
  if (major < 1 || major > 3 || minor != 0)
    return fail(ErrorCode::npy_version, 6, std::to_string(major) + "." + std::to_string(minor));

  const std::size_t begin = kMagicSize + (major == 1 ? 2 : 4);
  if (first.size() < begin) return cut(begin, first.size());
  const std::size_t size =
      major == 1 ? load_le<std::uint16_t>(first, kMagicSize) : load_le<std::uint32_t>(first, kMagicSize);
  if (size > kMaxNpyHeader)
    return fail(ErrorCode::npy_header_too_large, kMagicSize,
                "it says " + std::to_string(size) + " bytes, the limit is " + std::to_string(kMaxNpyHeader));
  if (first.size() < begin + size) {
    TRY(first, more(begin + size));
    if (first.size() < begin + size) return cut(begin + size, first.size());
  }
  const std::string_view text = first.substr(begin, size);
  if (major == 3 && !is_utf8(text)) return fail(ErrorCode::npy_header, begin, "version 3.0, but not UTF-8");
  return HeaderParser(place, begin, text, major < 3).parse();
}

constinit const Reader readers::npy{.id = "npy",
                                    .title = "NumPy array",
                                    .specification = "NEP 1, .npy versions 1.0, 2.0 and 3.0 (NumPy 2.4)",
                                    .extensions = ".npy",
                                    .sniff = sniff,
                                    .open = open};

}  // namespace tensorspec
