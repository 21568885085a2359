// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dtype.hpp"

#include <gtest/gtest.h>

namespace tensorspec {
namespace {

TEST(DType, SpellingsOfOneTypeAreOneType) {
  for (const char* text : {"float32", "torch.float32", "torch.float", "FLOAT", "FP32"})
    EXPECT_EQ(DType::from_text(text).name(), "float32") << text;
  EXPECT_EQ(DType::from_numpy("<f4").name(), "float32");
  EXPECT_EQ(DType::from_numpy(">u2").name(), "uint16");
}

TEST(DType, VoidStaysVoid) {
  EXPECT_EQ(DType::from_numpy("<V2").kind(), DType::Kind::other);
  EXPECT_EQ(DType::from_numpy("<V2").name(), "<V2");
}

}  // namespace
}  // namespace tensorspec
