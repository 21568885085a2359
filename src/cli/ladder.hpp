// SPDX-License-Identifier: Apache-2.0
//
// What plan --audit and diff share: buckets and profiles of a file, held against calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tensorspec/plan.hpp"

namespace tensorspec::cli {

bool is_ladder_file(const std::string& path);

// Errors: file_open, file_read, and those of parse_ladders, with the file in `where`.
Result<std::vector<Ladder>> load_ladders(const std::string& path, std::string_view symbol);

// The one for this variant of so many, or nullptr. One that names no variant is for all that have its symbols; where
// there is one variant it is for that, and what it names beside the symbols is an error of whoever uses it.
const Ladder* ladder_of(const std::vector<Ladder>& ladders, std::size_t variant, std::size_t variants,
                        const Workload& load);

Json audit_json(const Audit& audit);

// diff CONTRACT LADDER: which calls fall outside, and which profile they fall outside of. `symbol` is that of a plain
// list; empty: the only one there is. Returns the exit code.
int tell_outside(const Contract& contract, const std::string& path, std::string symbol, bool json, bool quiet);

}  // namespace tensorspec::cli
