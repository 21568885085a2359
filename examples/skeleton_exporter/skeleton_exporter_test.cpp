// SPDX-License-Identifier: Apache-2.0
//
// A test to copy. One of a registered exporter calls export_contract(contract, "foo") instead of export_with().
#include <gtest/gtest.h>

#include "export/exporter.hpp"
#include "support/contracts.hpp"
#include "support/exports.hpp"

namespace tensorspec {
namespace exporters {
extern const Exporter skeleton;
}
namespace {

// The text and, behind it, what is lost; or the error.
std::string said(const Contract& contract) {
  const auto exported = export_with(exporters::skeleton, contract, {});
  if (!exported.ok()) return std::string(error_name(exported.error().code)) + ": " + exported.error().where;
  std::string out = tests::text_of(*exported);
  for (const std::string& note : exported->notes) out += note + "; ";
  return out;
}

TEST(SkeletonExporter, TextLossesAndErrors) {
  const struct {
    const char *what, *contract, *expected;
  } cases[] = {
      {"ranges", "x b,3 | | b 1..8", "x 1..8 3\nnot said, dtypes: x float32; "},
      {"a sum", "x s; y p+s | | s 1..4; p 0..2",
       "x 1..4\ny 1..6\nnot said, sums: y[0] = p+s; not said, dtypes: x float32, y float32; "},
      {"no limit", "x s | | s 3..", "export_unlimited: s"},
  };
  for (const auto& c : cases) EXPECT_EQ(said(tests::contract(c.contract)), c.expected) << c.what;
  EXPECT_EQ(said(tests::shipped_contract("odd_names")), "export_name: a b");
}

TEST(SkeletonExporter, IsNoPartOfTheProduct) {
  for (const ExporterInfo& exporter : all_exporters()) EXPECT_NE(exporter.id, "skeleton");
}

}  // namespace
}  // namespace tensorspec
