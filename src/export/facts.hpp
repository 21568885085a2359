// SPDX-License-Identifier: Apache-2.0
//
// What a contract says, kind by kind, held against what a dialect keeps.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tensorspec/contract.hpp"
#include "tensorspec/export.hpp"

namespace tensorspec {

// What of the variant the dialect leaves out, a line for each kind: "not said, sums: mask[1] = past+seq". Largest sizes
// of the symbols in `limited` are said all the same.
std::vector<std::string> losses(const ExporterInfo& exporter, const Variant& variant, std::size_t profiles,
                                const std::set<std::string>& limited);

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& items);

}  // namespace tensorspec
