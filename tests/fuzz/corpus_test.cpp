// SPDX-License-Identifier: Apache-2.0
//
// Hostile files and finds of the fuzz targets, each through what must hold of it.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/read_check.hpp"
#include "fuzz/text_check.hpp"
#include "read/collector.hpp"
#include "support/places.hpp"

namespace tensorspec {
namespace {

void replay(const std::string& corpus, std::string (*fault)(std::string_view)) {
  std::size_t files = 0;
  const std::string folder = tests::source_folder() + "/tests/corpus/" + corpus;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(fault(tests::file_text(entry.path().string())), "") << entry.path();
  }
  EXPECT_GT(files, 0u);
}

TEST(Corpus, EveryReader) {
  replay("read", [](std::string_view bytes) { return tests::read_fault(bytes); });
}
TEST(Corpus, Contracts) { replay("contract", tests::contract_fault); }
TEST(Corpus, Ladders) { replay("ladders", tests::ladders_fault); }

}  // namespace
}  // namespace tensorspec
