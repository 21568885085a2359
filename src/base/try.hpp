// SPDX-License-Identifier: Apache-2.0
//
// Pass an error up. TRY(var, expr) declares var with the value of expr or returns its error; TRY_VOID is for a Status.
// TRY is several statements: it needs braces below an `if`, and does not compile without.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tensorspec/result.hpp"

namespace tensorspec {

// The error with the place that holds its own place put before it: "calls.jsonl" and "line 3" are "calls.jsonl:line 3".
inline Error within(Error error, std::string_view place, std::string_view separator) {
  error.where.insert(0, error.where.empty() ? std::string(place) : std::string(place) + std::string(separator));
  return error;
}

}  // namespace tensorspec

#define TENSORSPEC_CONCAT_(a, b) a##b
#define TENSORSPEC_CONCAT(a, b) TENSORSPEC_CONCAT_(a, b)
#define TENSORSPEC_TRY_(temporary, var, expr)               \
  auto temporary = (expr);                                  \
  if (!temporary.ok()) return std::move(temporary).error(); \
  var = std::move(temporary).value()
#define TRY(var, ...) TENSORSPEC_TRY_(TENSORSPEC_CONCAT(result_, __LINE__), var, (__VA_ARGS__))
#define TRY_VOID(...)                                                                   \
  do {                                                                                  \
    if (auto status_ = (__VA_ARGS__); !status_.ok()) return std::move(status_).error(); \
  } while (false)
