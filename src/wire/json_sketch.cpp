// SPDX-License-Identifier: Apache-2.0
#include "wire/json_sketch.hpp"

#include <algorithm>

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
    const char c = next();
    if (c == 0) return ended();
    if (c == '{' || c == '[') return depth < kMaxDepth && members(out, c, depth);
    if (c == '"') {
      out.kind = c;
      return string(out.text);
    }
    out.kind = c == '-' || (c >= '0' && c <= '9') ? '0' : 't';
    if (out.kind == 't' && c != 't' && c != 'f' && c != 'n' && c != 'N' && c != 'I') return false;
    while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
    return true;
  }

 private:
  char next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool ended() const { return at_ == text_.size(); }

  bool string(std::string_view& out) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    out = text_.substr(begin, at_ - begin);
    if (!ended()) ++at_;
    return true;
  }

  bool members(JsonSketch& out, char open, int depth) {
    const char close = open == '{' ? '}' : ']';
    out.kind = open;
    ++at_;
    if (next() == close) {
      ++at_;
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
      if (c == close) return true;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonSketch* JsonSketch::find(std::string_view wanted) const noexcept {
  if (kind != '{') return nullptr;
  for (const JsonSketch& member : members)
    if (member.key == wanted) return &member;
  return nullptr;
}

bool JsonSketch::holds(std::string_view wanted, std::string_view value) const noexcept {
  return (kind == '"' && key == wanted && text == value) ||
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

}  // namespace tensorspec
