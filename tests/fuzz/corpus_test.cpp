// SPDX-License-Identifier: Apache-2.0
//
// Hostile texts and finds of the fuzz targets, each through what must hold of it. Files for readers: tests/read.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/text_check.hpp"
#include "read/collector.hpp"
#include "support/places.hpp"

namespace tensorspec {
namespace {

void replay(const std::string& corpus, std::string (*fault)(std::string_view)) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_folder() + "/tests/corpus/" + corpus)) {
    ++files;
    EXPECT_EQ(fault(tests::file_text(entry.path().string())), "") << entry.path();
  }
  EXPECT_GT(files, 0u);
}

TEST(Corpus, Contracts) { replay("contract", tests::contract_fault); }
TEST(Corpus, Ladders) { replay("ladders", tests::ladders_fault); }

}  // namespace
}  // namespace tensorspec
