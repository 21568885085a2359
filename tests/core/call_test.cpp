// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tensorspec {
namespace {

TensorInfo tensor(std::string name, Shape shape) {
  return {std::move(name), DType(DType::Kind::float32), std::move(shape)};
}

TEST(Call, Validate) {
  struct Case {
    const char* title;
    Call call;
    std::optional<ErrorCode> want;
    const char* where;
  };
  const Case cases[] = {
      {"nothing at all", {}, std::nullopt, ""},
      {"empty and largest extents", {1, {tensor("x", {0, kMaxExtent})}, {}}, std::nullopt, ""},
      {"one name on both sides", {1, {tensor("x", {1})}, {tensor("x", {1})}}, std::nullopt, ""},
      {"64 axes", {1, {tensor("x", Shape(64, 1))}, {}}, std::nullopt, ""},
      {"65 axes", {1, {tensor("x", Shape(65, 1))}, {}}, ErrorCode::rank_too_large, "x"},
      {"negative extent", {1, {tensor("x", {1, -1})}, {}}, ErrorCode::invalid_extent, "x axis 1"},
      {"extent too large", {1, {}, {tensor("y", {kMaxExtent + 1})}}, ErrorCode::invalid_extent, "y axis 0"},
      {"a tensor without a name", {1, {tensor("", {-1})}, {}}, ErrorCode::invalid_extent, "axis 0"},
      {"the same input twice",
       {1, {tensor("x", {1}), tensor("y", {}), tensor("x", {2})}, {}},
       ErrorCode::duplicate_tensor,
       "x"},
      {"the same output twice", {1, {}, {tensor("x", {1}), tensor("x", {1})}}, ErrorCode::duplicate_tensor, "x"},
      {"batch size 0", {0, {}, {}}, ErrorCode::invalid_batch_size, "batch_size"},
      {"batch size -1", {-1, {}, {}}, ErrorCode::invalid_batch_size, "batch_size"},
      {"largest batch size", {kMaxExtent, {}, {}}, std::nullopt, ""},
      {"batch size too large", {kMaxExtent + 1, {}, {}}, ErrorCode::invalid_batch_size, "batch_size"},
      {"unknown batch size", {std::nullopt, {}, {}}, std::nullopt, ""},
      {"seen 0 times", {1, {}, {}, true, 0}, ErrorCode::invalid_argument, "count"},
  };
  for (const Case& c : cases) {
    const Status status = validate(c.call);
    ASSERT_EQ(!status.ok(), c.want.has_value()) << c.title;
    if (!c.want) continue;
    EXPECT_EQ(status.error().code, *c.want) << c.title;
    EXPECT_EQ(status.error().where, c.where) << c.title;
  }
}

TEST(Signature, DoesNotDependOnOrderOrSizes) {
  const Call a{2, {tensor("layers[10]", {1, 2}), tensor("layers[2]", {3})}, {tensor("y", {})}};
  const Call b{7, {tensor("layers[2]", {9}), tensor("layers[10]", {8, 7})}, {tensor("y", {})}, false, 5};
  EXPECT_EQ(Signature::of(a), Signature::of(b));
  EXPECT_EQ(Signature::of(a).columns(), 4u);
  EXPECT_EQ(Signature::of(a).inputs[0].name, "layers[2]");
  EXPECT_EQ(Signature::of({}).columns(), 0u);
}

TEST(Signature, DiffersByNamesRanksOutputsAndBatchSize) {
  const Call base{2, {tensor("x", {1})}, {}};
  Call other = base;
  other.inputs[0].name = "y";
  EXPECT_NE(Signature::of(base), Signature::of(other));
  other = base;
  other.inputs[0].shape = {1, 1};
  EXPECT_LT(Signature::of(base), Signature::of(other));
  other = base;
  other.outputs = {tensor("x", {1})};
  EXPECT_NE(Signature::of(base), Signature::of(other));
  other = base;
  other.batch_size.reset();
  EXPECT_NE(Signature::of(base), Signature::of(other));
}

}  // namespace
}  // namespace tensorspec
