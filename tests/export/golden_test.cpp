// SPDX-License-Identifier: Apache-2.0
//
// Every exporter on every contract of tests/contracts/, held against tests/golden/export/, and the table of
// docs/engines.md. TENSORSPEC_REGOLD=1 in the environment writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/text.hpp"
#include "read/collector.hpp"
#include "support/exports.hpp"

namespace tensorspec {
namespace {

namespace fs = std::filesystem;

bool regold() { return std::getenv("TENSORSPEC_REGOLD") != nullptr; }  // NOLINT: tests have one thread here

// What one export gave: the file, and what was said about it.
struct Outcome {
  std::string file;  // empty: refused
  std::string said;
};

Outcome outcome_of(const std::string& name, const Contract& contract, const ExporterInfo& info) {
  ExportOptions options{.variant = {}, .profiles = {}, .name = name, .model = {}};
  if (info.needs_model) {
    options.model = fs::path(testing::TempDir()) / (name + ".onnx");
    std::ofstream(options.model, std::ios::binary) << tests::model_of(contract.variants()[0]);
  }
  const auto exported = export_contract(contract, info.id, options);
  if (!exported.ok()) return {"", "refused: " + exported.error().message() + "\n"};
  Outcome out{tests::text_of(*exported), ""};
  for (const std::string& note : exported->notes) out.said += note + "\n";
  // A model is told by what it declares.
  if (info.needs_model)
    out.file = tests::outcome(out.file) + "\n" + out.file.substr(out.file.find("{\"symbols\"")) + "\n";
  return out;
}

// Compares, or writes.
class Golden {
 public:
  ~Golden() {
    const fs::path root = tests::source_folder() + "/tests/golden/export";
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file()) found.insert(fs::relative(entry.path(), root).string());
    for (const std::string& file : found)
      if (!seen_.contains(file)) {
        if (regold()) fs::remove(root / file);
        else ADD_FAILURE() << file << " is stale: no exporter and contract make it";
      }
  }
  void hold(const std::string& file, const std::string& text) {
    seen_.insert(file);
    const fs::path path = fs::path(tests::source_folder()) / "tests/golden/export" / file;
    if (regold()) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << text;
    }
    ASSERT_TRUE(fs::exists(path)) << "no golden: " << path;
    EXPECT_EQ(tests::file_text(path.string()), text) << path;
  }

 private:
  std::set<std::string> seen_;
};

TEST(Goldens, EveryExporterOnEveryContract) {
  const auto contracts = tests::shipped_contracts();
  ASSERT_GE(contracts.size(), 10u);
  Golden golden;
  for (const ExporterInfo& info : all_exporters()) {
    const std::string folder(info.id), suffix(info.needs_model ? ".txt" : info.file.substr(info.file.rfind('.')));
    std::string said;
    for (const auto& [name, contract] : contracts) {
      const Outcome outcome = outcome_of(name, contract, info);
      said += "== " + name + "\n" + outcome.said;
      if (!outcome.said.starts_with("refused")) golden.hold(folder + "/" + name + suffix, outcome.file);
    }
    golden.hold(folder + "/notes.txt", said);
  }
}

// The rows of docs/engines.md.
std::string table() {
  std::string out = "| exporter | engine | file | held by |\n|---|---|---|---|\n";
  for (const ExporterInfo& info : all_exporters())
    out += "| `" + std::string(info.id) + "` | " + std::string(info.engine) + " | `" + std::string(info.file) +
           "`: " + std::string(info.form) + " | " + std::string(info.proof) + " |\n";
  out += "\n| exporter |";
  for (const auto& [kind, word] : keeps_words()) out += " " + std::string(word) + " |";
  out += "\n|---|" + std::string(keeps_words().size() * 4, '-');
  for (std::size_t i = 0, at = out.size() - keeps_words().size() * 4; i < keeps_words().size(); ++i)
    out[at + 4 * i + 3] = '|';
  out += "\n";
  for (const ExporterInfo& info : all_exporters()) {
    out += "| `" + std::string(info.id) + "` |";
    for (const auto& [kind, word] : keeps_words()) out += has(info.keeps, kind) ? " yes |" : " |";
    out += "\n";
  }
  return out;
}

TEST(Goldens, TheTableOfTheDocs) {
  const std::string path = tests::source_folder() + "/docs/engines.md", begin = "<!-- table -->\n",
                    end = "<!-- end -->";
  std::string text = tests::file_text(path);
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::string now = text.substr(0, from + begin.size()) + table() + text.substr(to);
  if (regold()) std::ofstream(path, std::ios::binary) << now;
  EXPECT_EQ(tests::file_text(path), now);
}

}  // namespace
}  // namespace tensorspec
