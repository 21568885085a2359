// SPDX-License-Identifier: Apache-2.0
//
// Traces of lengths: tables in which a row is a request and columns say how long it was, in tokens for instance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/result.hpp"

namespace tensorspec {

struct LengthColumn {
  std::string name;
  std::vector<std::int64_t> counts;  // a row each, at least 0; all columns have the same rows
};

// Which columns of a trace are lengths.
struct LengthOptions {
  // Those wanted, in JSON also as paths ("usage.prompt_tokens"). None: the pair that the trace is known by,
  // "ContextTokens" and "GeneratedTokens" for instance (docs/formats.md lists them).
  std::vector<std::string> columns = {};
  // Where none is wanted and no pair is known: every column, in JSON every number of the first row.
  bool every = false;
  // A column that tells how often a row was seen, empty: none. Where the trace has it, it is the last of the result.
  std::string count = {};
};

// The columns of a trace as CSV (comma, semicolon or tab) or JSON Lines. A row that lacks a count goes to `bad` and is
// left out whole; return false to stop. Without `bad` the first such row is the error. Errors: file_open, file_read,
// lengths_columns (says which are there), lengths_row, invalid_extent, json_*. O(bytes); memory is that of the counts.
Result<std::vector<LengthColumn>> read_lengths(const std::filesystem::path& path,
                                               const std::vector<std::string>& columns = {},
                                               const std::function<bool(const Error&)>& bad = {});
// Of a trace in memory; errors and `bad` call it `name`.
Result<std::vector<LengthColumn>> parse_lengths(std::string_view text, const std::string& name,
                                                const LengthOptions& options = {},
                                                const std::function<bool(const Error&)>& bad = {});

}  // namespace tensorspec
