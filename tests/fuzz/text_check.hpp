// SPDX-License-Identifier: Apache-2.0
//
// What must hold of the parsers of contracts and of sizes for every text. Shared by the fuzz targets and the test that
// replays their corpora.
#pragma once

#include <string>
#include <string_view>

#include "tensorspec/checker.hpp"
#include "tensorspec/contract.hpp"
#include "tensorspec/export.hpp"
#include "tensorspec/plan.hpp"
#include "tensorspec/report.hpp"
#include "tensorspec/suggest.hpp"

namespace tensorspec::tests {

// A contract that is read is written so that it is read the same, and everything that takes contracts takes it. Empty,
// or what is wrong.
inline std::string contract_fault(std::string_view text) {
  const auto contract = Contract::from_json(text);
  if (!contract.ok()) return {};
  const std::string written = contract->to_json();
  const auto again = Contract::from_json(written);
  if (!again.ok()) return "what was written cannot be read: " + again.error().message();
  if (again->to_json() != written) return "what was written reads as something else";
  if (to_table(*contract).empty()) return "an empty table";
  to_explanation(*contract);
  static_cast<void>(suggest(*contract));
  const Checker checker(*contract);
  Call call;
  call.inputs = {{"x", DType(DType::Kind::float32), {2, 3}}};
  for (const Call& made : {Call(), call})
    if (checker.test(made).ok != checker.check(made).ok) return "test and check differ";
  ExportOptions options;
  for (const ExporterInfo& exporter : all_exporters())
    for (std::size_t variant = 0; variant < contract->variants().size(); ++variant) {
      options.variant = variant;
      static_cast<void>(export_contract(*contract, exporter.id, options));
    }
  return {};
}

// Sizes that are read are in order. Empty, or what is wrong.
inline std::string ladders_fault(std::string_view text) {
  is_ladder(text);
  for (const char* symbol : {"", "seq"}) {
    const auto ladders = parse_ladders(text, symbol);
    if (!ladders.ok()) continue;
    if (ladders->empty()) return "no sizes and no error";
    for (const Ladder& ladder : *ladders) {
      if (ladder.profiles.empty()) return "no profile and no error";
      for (const Profile& profile : ladder.profiles)
        for (const auto& [name, range] : profile.symbols)
          if (range.min < 0 || range.min > range.opt || range.opt > range.max) return "sizes out of order of " + name;
    }
  }
  return {};
}

}  // namespace tensorspec::tests
