// SPDX-License-Identifier: Apache-2.0
//
// JSON that is walked once with simdjson's on-demand parser: values nobody asks for are passed over, not parsed.
#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "tensorspec/call.hpp"
#include "wire/document.hpp"

namespace tensorspec {

namespace ondemand = simdjson::ondemand;
static_assert(simdjson::SIMDJSON_PADDING <= kTextPadding);

// The memory of a parser is most of what a small document costs, so each thread keeps that of the last one.
template <class Parser>
class KeptParser {
 public:
  KeptParser() : parser_(std::move(kept())) {
    if (!parser_) parser_ = std::make_unique<Parser>();
  }
  ~KeptParser() {
    if (parser_->capacity() <= kMost) kept() = std::move(parser_);
  }
  KeptParser(const KeptParser&) = delete;
  KeptParser& operator=(const KeptParser&) = delete;
  Parser& operator*() noexcept { return *parser_; }
  Parser* operator->() noexcept { return parser_.get(); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;  // bytes of a document
  static std::unique_ptr<Parser>& kept() noexcept {
    static thread_local std::unique_ptr<Parser> parser;
    return parser;
  }
  std::unique_ptr<Parser> parser_;
};

// What simdjson found wrong with `what`, which should have been `expected`. `where` is left to the caller.
inline Error json_fault(simdjson::error_code code, std::string_view what, std::string_view expected) {
  const std::string name(what);
  if (code == simdjson::INCORRECT_TYPE)
    return {ErrorCode::json_type, "", (name.empty() ? "" : name + ": ") + "expected " + std::string(expected)};
  std::string detail = (name.empty() ? "" : name + ": ") + std::string(simdjson::error_message(code));
  return {ErrorCode::json_syntax, "", std::move(detail)};
}

// Gets a part of a value or returns the error.
#define JSON_GET(var, expression, what, expected)                                                  \
  do {                                                                                             \
    if (const auto code_ = (expression).get(var); code_) return json_fault(code_, what, expected); \
  } while (false)

// The text must have kTextPadding readable bytes behind it, and outlive the document.
inline Status start_walk(ondemand::parser& parser, std::string_view text, ondemand::document& document) {
  // Otherwise simdjson keeps the largest text's memory and never starts at nothing.
  if (text.empty()) return Error{ErrorCode::json_syntax, "", "there is nothing"};
  if (const auto code = parser.iterate(text.data(), text.size(), text.size() + kTextPadding).get(document))
    return json_fault(code, "", "");
  return {};
}

// What may stand behind a value: blanks.
inline Status finish_walk(ondemand::document& document) {
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return Error{ErrorCode::json_syntax, "", "something stands behind the value"};
  return {};
}

inline Status walk_shape(ondemand::value value, Shape& shape, const std::string& what) {
  ondemand::array extents;
  shape.clear();
  JSON_GET(extents, value.get_array(), what, "an array of whole numbers");
  for (auto element : extents) {
    std::int64_t extent = 0;
    JSON_GET(extent, element.get_int64(), what, "whole numbers");
    if (shape.size() == kMaxRank) return Error{ErrorCode::rank_too_large, "", what};
    if (extent < 0 || extent > kMaxExtent)
      return Error{ErrorCode::invalid_extent, "", what + ": " + std::to_string(extent)};
    shape.push_back(extent);
  }
  return {};
}

}  // namespace tensorspec
