// SPDX-License-Identifier: Apache-2.0
#include "observe/line_pattern.hpp"

#include <cstring>

#include "base/text.hpp"

namespace tensorspec {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Moves `at` over at most `most` digits and returns their value; nullopt when there is none, more, or a leading zero.
std::optional<std::int64_t> take_number(const char*& at, const char* end, std::ptrdiff_t most) noexcept {
  const char* begin = at;
  const char* limit = end - begin > most ? begin + most : end;
  std::int64_t value = 0;
  for (; at != limit && is_digit(*at); ++at) value = value * 10 + (*at - '0');
  if (at == begin || (at != end && is_digit(*at)) || (*begin == '0' && at - begin > 1)) return std::nullopt;
  return value;
}

// A number that any parser takes: no exponent, and few digits.
bool skip_number(const char*& at, const char* end) noexcept {
  constexpr std::ptrdiff_t kDigits = 15;
  if (at != end && *at == '-') ++at;
  if (!take_number(at, end, kDigits)) return false;
  if (at == end || *at != '.') return true;
  const char* point = at++;
  while (at != end && is_digit(*at)) ++at;
  return at - point > 1 && at - point <= kDigits + 1;
}

// What is left of a text whose first quote is behind us, up to its last one: printable ASCII without escapes.
bool skip_text(const char*& at, const char* end) noexcept {
  while (at != end && *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\') ++at;
  return at != end && *at == '"';
}

}  // namespace

bool LinePattern::read(std::string_view line) {
  constexpr std::ptrdiff_t kDigits = 18;  // below kMaxExtent
  const char *at = line.data(), *end = at + line.size();
  std::size_t text = 0;
  const auto same_text = [&](std::size_t text_end) {
    const std::size_t length = text_end - text;
    if (static_cast<std::size_t>(end - at) < length || !same_bytes(at, text_.data() + text, length)) return false;
    at += length;
    text = text_end;
    return true;
  };
  for (const Gap& gap : gaps_) {
    if (!same_text(gap.text_end)) return false;
    if (gap.kind == Gap::Kind::other_number || gap.kind == Gap::Kind::other_text) {
      if (!(gap.kind == Gap::Kind::other_text ? skip_text(at, end) : skip_number(at, end))) return false;
      continue;
    }
    const auto number = take_number(at, end, kDigits);
    if (!number || (*number == 0 && gap.kind != Gap::Kind::extent)) return false;
    if (gap.kind == Gap::Kind::extent) *gap.extent = *number;
    else if (gap.kind == Gap::Kind::batch_size) call_.batch_size = *number;
    else call_.weight = static_cast<std::uint64_t>(*number);
  }
  return same_text(text_.size()) && at == end;
}

// Walks over valid JSON and finds the gaps. A key with an escape is given up: it may be any key.
struct LinePattern::Builder {
  std::string_view line;
  LinePattern pattern;
  std::size_t at = 0, copied = 0;

  void blanks() {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
  }
  bool next_is(char c) {
    blanks();
    return at < line.size() && line[at] == c;
  }
  // Behind the text that begins here; false when it has escapes.
  bool text(std::string_view* content = nullptr) {
    const std::size_t begin = ++at;
    bool plain = true;
    for (; line[at] != '"'; ++at)
      if (line[at] == '\\') plain = false, ++at;
    if (content) *content = line.substr(begin, at - begin);
    ++at;
    return plain;
  }
  void scalar() {
    while (at < line.size() && std::strchr(",]} \t\r", line[at]) == nullptr) ++at;
  }
  void any() {
    blanks();
    std::size_t depth = 0;
    do {
      blanks();
      const char c = line[at];
      if (c == '"') text();
      else if (c == '{' || c == '[') ++depth, ++at;
      else if (c == '}' || c == ']') --depth, ++at;
      else if (c == ',' || c == ':') ++at;
      else scalar();
    } while (depth > 0);
  }
  // For each member of the object that begins here. False: given up.
  template <class Member>
  bool object(Member member) {
    if (!next_is('{')) return any(), true;
    do {
      ++at;
      if (next_is('}')) break;
      std::string_view key;
      if (!text(&key) || !next_is(':')) return false;
      ++at;
      blanks();
      if (!member(key)) return false;
    } while (next_is(','));
    return ++at, true;
  }
  // The gap from `begin` to here.
  void gap(std::size_t begin, Gap::Kind kind, std::int64_t* extent = nullptr) {
    pattern.text_.append(line.substr(copied, begin - copied));
    copied = at;
    pattern.gaps_.push_back({kind, pattern.text_.size(), extent});
  }
  bool number(Gap::Kind kind, std::int64_t* extent = nullptr) {
    const std::size_t begin = at;
    scalar();
    gap(begin, kind, extent);
    return true;
  }
  bool shape(Shape& extents) {
    if (!next_is('[')) return false;
    std::size_t axis = 0;
    do {
      ++at;
      if (next_is(']')) break;
      if (axis == extents.size()) return false;
      number(Gap::Kind::extent, &extents[axis++]);
    } while (next_is(','));
    return ++at, axis == extents.size();
  }
  bool group(std::vector<TensorInfo>& tensors) {
    std::size_t tensor = 0;
    return object([&](std::string_view) {
      if (tensor == tensors.size()) return false;
      TensorInfo& info = tensors[tensor++];
      return object([&](std::string_view key) { return key == "shape" ? shape(info.shape) : (any(), true); });
    });
  }
  bool member(std::string_view key) {
    Call& call = pattern.call_;
    if (key == "inputs") return group(call.inputs);
    if (key == "outputs") return group(call.outputs);
    if (key == "batch_size" && call.batch_size) return number(Gap::Kind::batch_size);
    if (key == "count") return number(Gap::Kind::count);
    if (key == "batch_size" || key == "ok" || line[at] == '{' || line[at] == '[') return any(), true;
    if (line[at] == '"') {
      const std::size_t begin = at + 1;
      if (!text()) return true;
      --at;
      gap(begin, Gap::Kind::other_text);
      return ++at, true;
    }
    return line[at] == '-' || is_digit(line[at]) ? number(Gap::Kind::other_number) : (scalar(), true);
  }
};

std::optional<LinePattern> LinePattern::of(std::string_view line, const Call& call) {
  Builder builder{.line = line, .pattern = {}};
  builder.pattern.call_ = call;
  if (!builder.object([&](std::string_view key) { return builder.member(key); })) return std::nullopt;
  builder.pattern.text_.append(line.substr(builder.copied));
  // A pattern must give its own line back.
  if (!builder.pattern.read(line) || builder.pattern.call_ != call) return std::nullopt;
  return std::move(builder.pattern);
}

}  // namespace tensorspec
