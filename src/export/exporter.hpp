// SPDX-License-Identifier: Apache-2.0
//
// One entry of the family of exporters. src/export/foo.cpp defines `constinit const Exporter exporters::foo`; that
// file, its test and its golden folder are the whole of a new dialect, the row of docs/engines.md included.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "export/sizes.hpp"
#include "tensorspec/export.hpp"

namespace tensorspec {

// One export: what is to be said, and where it goes.
class ExportJob {
 public:
  // A variant and its boxes of sizes; exactly one box for who does not keep profiles, at least one for who does.
  struct Part {
    const Variant* variant = nullptr;
    std::size_t index = 0;
    std::vector<SizeBox> boxes;

    const SizeBox& box() const { return boxes.front(); }
  };

  const Contract& contract;
  const ExportOptions& options;
  std::vector<Part> parts;  // exactly one for who does not keep variants, at least one for who does
  std::vector<Exported::Piece> pieces;
  std::vector<std::string> notes;
  std::set<std::string> limited;  // symbols whose largest size is said, where the dialect says only some

  const Part& part() const { return parts.front(); }
  void print(std::string text) { pieces.push_back({std::move(text), 0, 0}); }
  void copy(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) pieces.push_back({{}, begin, end});
  }
  void note(std::string text) { notes.push_back(std::move(text)); }
};

struct Exporter {
  ExporterInfo info;
  Status (*write)(ExportJob& job);
};

// export_contract() by an entry that need not be in the table.
Result<Exported> export_with(const Exporter& exporter, const Contract& contract, const ExportOptions& options);

namespace exporters {
#define TENSORSPEC_MEMBER(stem) extern const Exporter stem;
#include "export_family.inc"
#undef TENSORSPEC_MEMBER
}  // namespace exporters

}  // namespace tensorspec
