// SPDX-License-Identifier: Apache-2.0
#include "wire/json_sketch.hpp"

#include <algorithm>

#include "base/escapes.hpp"
#include "base/text.hpp"

namespace tensorspec {
namespace {

constexpr int kMaxDepth = 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool ends_scalar(char c) { return c == ',' || c == ']' || c == '}' || is_blank(c); }

// Each step says whether what it read can be JSON; at the end of the text everything can.
class Sketcher {
 public:
  explicit Sketcher(std::string_view text) : text_(text) {}

  bool value(JsonSketch& out, int depth) {
    const bool possible = begun_value(out, depth);
    out.cut = out.cut || out.kind == 0;
    return possible;
  }

 private:
  bool begun_value(JsonSketch& out, int depth) {
    const char c = next();
    if (c == 0) return ended();
    if (c == '{' || c == '[') return depth < kMaxDepth && members(out, c, depth);
    if (c == '"') {
      out.kind = c;
      out.cut = !string(out.text);
      return true;
    }
    out.kind = c == '-' || (c >= '0' && c <= '9') ? '0' : 't';
    if (out.kind == 't' && c != 't' && c != 'f' && c != 'n' && c != 'N' && c != 'I') return false;
    while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
    out.cut = ended();
    return true;
  }

  char next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool ended() const { return at_ == text_.size(); }

  // False: it is cut.
  bool string(std::string_view& out) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    out = text_.substr(begin, at_ - begin);
    if (ended()) return false;
    ++at_;
    return true;
  }

  bool members(JsonSketch& out, char open, int depth) {
    const char close = open == '{' ? '}' : ']';
    out.kind = open;
    out.cut = true;
    ++at_;
    if (next() == close) {
      ++at_;
      out.cut = false;
      return true;
    }
    while (!ended()) {
      JsonSketch member;
      if (open == '{') {
        if (next() != '"') return ended();
        string(member.key);
        if (next() != ':') return ended();
        ++at_;
      }
      if (!value(member, depth + 1)) return false;
      out.members.push_back(std::move(member));
      const char c = next();
      if (c != ',' && c != close) return ended();
      ++at_;
      if (c == close || (open == '[' && out.members.size() == JsonSketch::kMostItems && pass_over())) {
        out.cut = false;
        return true;
      }
    }
    return true;
  }

  // To behind the bracket that closes what is open. False: it is cut.
  bool pass_over() {
    std::string_view ignored;
    for (std::size_t depth = 1; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') {
        string(ignored);
        continue;
      }
      ++at_;
      if (c == '[' || c == '{') ++depth;
      else if ((c == ']' || c == '}') && --depth == 0) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool JsonSketch::is(std::string_view wanted) const {
  return key == wanted || (key.find('\\') != std::string_view::npos && unescaped_json(key) == wanted);
}

const JsonSketch* JsonSketch::find(std::string_view wanted) const {
  if (kind != '{') return nullptr;
  for (const JsonSketch& member : members)
    if (member.is(wanted)) return &member;
  return nullptr;
}

bool JsonSketch::holds(std::string_view wanted, std::string_view value) const {
  return (kind == '"' && is(wanted) && unescaped_json(text) == value) ||
         std::any_of(members.begin(), members.end(), [&](const JsonSketch& m) { return m.holds(wanted, value); });
}

const JsonSketch* JsonSketch::first(char wanted) const noexcept {
  return !members.empty() && members.front().kind == wanted ? members.data() : nullptr;
}

std::optional<JsonSketch> sketch_json(std::string_view text) {
  JsonSketch out;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!Sketcher(text).value(out, 0)) return std::nullopt;
  return out;
}

std::string unescaped_json(std::string_view spelled) {
  static constexpr std::string_view kFrom = "bfnrt", kTo = "\b\f\n\r\t";
  std::string out;
  for (std::size_t at = 0; at < spelled.size();) {
    const char c = spelled[at++];
    if (c != '\\' || at == spelled.size()) {
      out += c;
      continue;
    }
    const char escape = spelled[at++];
    const auto code = [&] { return take_digits(spelled, at, 16, 4); };
    if (escape != 'u') {
      const std::size_t known = kFrom.find(escape);
      out += known == std::string_view::npos ? escape : kTo[known];
      continue;
    }
    std::uint32_t value = code();
    if (value >= 0xD800 && value < 0xDC00 && spelled.substr(at, 2) == "\\u") {
      at += 2;
      value = 0x10000 + ((value - 0xD800) << 10) + (code() - 0xDC00);
    }
    append_code_point(out, value);
  }
  return out;
}

}  // namespace tensorspec
