// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/tensor_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <unordered_set>

namespace tensorspec {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;
using testing::Pair;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const DType kFloat32(DType::Kind::float32), kInt64(DType::Kind::int64);

struct Sight {
  Shape sizes;
  std::optional<std::int64_t> batch;
};

TensorSpec seen(const Sight& sight, DType dtype = kFloat32) {
  return *TensorSpec::from_tensor({"x", std::move(dtype), sight.sizes}, sight.batch);
}

TensorSpec seen_all(const std::vector<Sight>& sights) {
  TensorSpec spec = seen(sights.at(0));
  for (const Sight& sight : sights) EXPECT_TRUE(spec.update_shapes_seen(seen(sight)).ok());
  return spec;
}

TensorSpec merged(TensorSpec a, const TensorSpec& b) {
  EXPECT_TRUE(a.update_shapes_seen(b).ok());
  return a;
}

TEST(TensorSpec, FromTensorOfOneCall) {
  const TensorSpec spec = seen({{2, 8, 6, 4, 0}, 2});
  EXPECT_THAT(spec.shape, ElementsAre(2, 8, 6, 4, 0));
  EXPECT_THAT(spec.min_shape, ElementsAre(2, 8, 6, 4, 0));
  EXPECT_THAT(spec.max_shape, ElementsAre(2, 8, 6, 4, 0));
  EXPECT_THAT(spec.bs_multipliers(), ElementsAre(1.0, 4.0, 3.0, 2.0, 0.0));
  EXPECT_EQ(spec.dtype, kFloat32);
  EXPECT_THAT(seen({{3}, 2}).bs_multipliers(), ElementsAre(1.5));
  EXPECT_THAT(seen({{2, 8}, std::nullopt}).bs_multipliers(),
              ElementsAre(NanSensitiveDoubleEq(kNaN), NanSensitiveDoubleEq(kNaN)));
}

TEST(TensorSpec, ExampleOfThePage) {
  const TensorSpec spec = seen_all({{{1, 2, 3, 4}, 1}, {{2, 8, 6, 4}, 2}});
  EXPECT_EQ(spec.to_string(), "shape=[batch0, dim1, batch2, 4]");
  EXPECT_THAT(spec.get_batch_axis_multipliers(), ElementsAre(Pair(0, 1), Pair(2, 3)));
  EXPECT_TRUE(spec.has_batch_axis());
  EXPECT_TRUE(spec.has_dynamic_axis());
}

TEST(TensorSpec, ShapesThatPairsGive) {
  struct Case {
    const char* title;
    std::vector<Sight> sights;
    const char* want;
  };
  const std::int64_t big = kMaxExtent;
  const Case cases[] = {
      {"a scalar", {{{}, 1}, {{}, 2}}, "shape=[]"},
      {"one size", {{{7}, 1}, {{7}, 2}}, "shape=[7]"},
      {"batch", {{{1}, 1}, {{8}, 8}}, "shape=[batch0]"},
      {"a fraction that all agree on", {{{1}, 2}, {{2}, 4}}, "shape=[dim0]"},
      {"3/2 of the batch", {{{3}, 2}, {{6}, 4}}, "shape=[dim0]"},
      {"unknown batch size", {{{1}, std::nullopt}, {{2}, 2}}, "shape=[dim0]"},
      {"unknown batch size, one size", {{{2}, std::nullopt}, {{2}, 2}}, "shape=[2]"},
      {"empty now and then", {{{0}, 1}, {{2}, 2}}, "shape=[dim0]"},
      {"always empty", {{{0}, 1}, {{0}, 2}}, "shape=[0]"},
      {"one batch size, two sizes", {{{4}, 2}, {{6}, 2}}, "shape=[dim0]"},
      {"as large as can be", {{{big}, big}, {{big - 1}, big - 1}}, "shape=[batch0]"},
      {"2^62 / (2^62 - 1) is not 1", {{{big}, big - 1}, {{big - 1}, big - 2}}, "shape=[dim0]"},
      {"multipliers above 2^53", {{{big / 2 - 1}, 1}, {{big - 2}, 2}}, "shape=[batch0]"},
      {"the same double, another multiplier", {{{big / 2 - 1}, 1}, {{big - 4}, 2}}, "shape=[dim0]"},
  };
  for (const Case& c : cases) EXPECT_EQ(seen_all(c.sights).to_string(), c.want) << c.title;
}

TEST(TensorSpec, DescribeSaysExactly) {
  TensorSpec spec = seen_all({{{1, 2, 5}, 1}, {{4, 2, 7}, 4}});
  EXPECT_EQ(spec.describe(InfoLevel::SHORT), "shape=[batch0, 2, dim2]");
  EXPECT_EQ(spec.describe(InfoLevel::MEDIUM), "shape=[batch0, 2, dim2] dtype=float32");
  EXPECT_EQ(spec.describe(), "shape=[batch0, 2, dim2] min_shape=[1, 2, 5] max_shape=[4, 2, 7] dtype=float32");
  EXPECT_EQ(spec.describe(InfoLevel::FULL, DTypeStyle::torch),
            "shape=[batch0, 2, dim2] min_shape=[1, 2, 5] max_shape=[4, 2, 7] dtype=torch.float32");
  EXPECT_EQ(spec.to_string(), spec.describe(InfoLevel::SHORT));
  EXPECT_EQ(spec.repr(), spec.describe(InfoLevel::MEDIUM));
  EXPECT_EQ(spec.repr(DTypeStyle::torch), "shape=[batch0, 2, dim2] dtype=torch.float32");
  spec.dtype = DType();
  EXPECT_EQ(spec.repr(), "shape=[batch0, 2, dim2] dtype=None");
  spec.dtype = DType(DType::Kind::string);  // torch has no word for it
  EXPECT_EQ(spec.repr(DTypeStyle::torch), "shape=[batch0, 2, dim2] dtype=string");
}

TEST(TensorSpec, EqualityAndHashAreByRank) {
  const TensorSpec a = seen({{1, 2}, 1}), b = seen({{8, 9}, 1}, kInt64), c = seen({{1}, 1});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  std::unordered_set<TensorSpec> set{a, b, c};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(merged(a, b)));
}

TEST(TensorSpec, Matches) {
  const auto spec = [](std::vector<AxisExtent> shape) { return TensorSpec{.shape = std::move(shape)}; };
  EXPECT_TRUE(spec({1, 2}).matches(spec({1, 2})));
  EXPECT_FALSE(spec({1, 2}).matches(spec({1, 3})));
  EXPECT_TRUE(spec({"batch0", 2}).matches(spec({7, 2})));
  EXPECT_TRUE(spec({7, 2}).matches(spec({"dim0", 2})));
  EXPECT_TRUE(spec({"batch0"}).matches(spec({"dim0"})));
  EXPECT_FALSE(spec({"batch0"}).matches(spec({"batch0", 1})));
  EXPECT_TRUE(spec({}).matches(spec({})));
}

TEST(TensorSpec, IsIntLooksAtTheValue) {
  for (const double whole : {0.0, -0.0, 1.0, -3.0, 1e300, 0x1p62}) EXPECT_TRUE(TensorSpec::is_int(whole)) << whole;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double other : {0.5, 1.0000000001, kNaN, inf, -inf, 5e-324})
    EXPECT_FALSE(TensorSpec::is_int(other)) << other;
}

TEST(TensorSpec, BatchSizesWithoutABatchAxis) {
  const TensorSpec spec = seen({{4, 4}, 4});
  for (const bool normalized : {false, true}) {
    EXPECT_EQ(spec.get_max_batch_size(normalized), 1);
    EXPECT_EQ(spec.get_min_batch_size(normalized), std::nullopt);
  }
  EXPECT_FALSE(spec.has_batch_axis());
  EXPECT_FALSE(spec.has_dynamic_axis());
}

// The faults of the original, numbered as docs/tensorspec-reference.md numbers them.

TEST(TensorSpecFaults, F1OrderDoesNotMatter) {
  std::vector<std::size_t> order = {0, 1, 2};
  const std::vector<Sight> a = {{{4}, 1}, {{4}, 2}, {{12}, 3}}, b = {{{6}, 3}, {{6}, 2}, {{8}, 4}};
  do {
    for (const auto& sights : {a, b})
      EXPECT_EQ(seen_all({sights[order[0]], sights[order[1]], sights[order[2]]}).to_string(), "shape=[dim0]");
  } while (std::next_permutation(order.begin(), order.end()));
  // The disagreement is remembered while the axis is still an integer, also through text.
  TensorSpec still = seen_all({{{6}, 3}, {{6}, 2}});
  EXPECT_EQ(still.to_string(), "shape=[6]");
  EXPECT_TRUE(std::isnan(still._bs_multipliers[0]));
  still = *TensorSpec::from_dict(still.to_dict());
  EXPECT_EQ(merged(still, seen({{8}, 4})).to_string(), "shape=[dim0]");
}

TEST(TensorSpecFaults, F2LearnedSpecsKeepBothRanges) {
  const TensorSpec batch = merged(seen_all({{{1}, 1}, {{2}, 2}}), seen_all({{{8}, 8}, {{16}, 16}}));
  EXPECT_EQ(batch.describe(), "shape=[batch0] min_shape=[1] max_shape=[16] dtype=float32");
  const TensorSpec dim = merged(seen_all({{{5}, 1}, {{7}, 1}}), seen_all({{{50}, 1}, {{70}, 1}}));
  EXPECT_EQ(dim.describe(), "shape=[dim0] min_shape=[5] max_shape=[70] dtype=float32");
}

TEST(TensorSpecFaults, F3ConflictingMultipliersAreDynamic) {
  const TensorSpec spec = merged(seen_all({{{1}, 1}, {{2}, 2}}), seen_all({{{2}, 1}, {{4}, 2}}));
  EXPECT_EQ(spec.to_string(), "shape=[dim0]");
  EXPECT_TRUE(spec.get_batch_axis_multipliers().empty());
}

TEST(TensorSpecFaults, F4BatchSizeCanBeNormalized) {
  const TensorSpec spec = seen_all({{{4, 2, 5}, 2}, {{8, 4, 5}, 4}});
  EXPECT_THAT(spec.get_batch_axis_multipliers(), ElementsAre(Pair(0, 2), Pair(1, 1)));
  EXPECT_EQ(spec.get_max_batch_size(), 8);
  EXPECT_EQ(spec.get_max_batch_size(true), 4);
  EXPECT_EQ(spec.get_min_batch_size(), 2);
  EXPECT_EQ(spec.get_min_batch_size(true), 2);
}

TEST(TensorSpecFaults, F4NormalizedSizesOfASpecByHandRoundInwards) {
  const TensorSpec spec{.shape = {"batch0"}, .min_shape = {5}, .max_shape = {9}, .dtype = {}, ._bs_multipliers = {2}};
  EXPECT_EQ(spec.get_min_batch_size(true), 3);
  EXPECT_EQ(spec.get_max_batch_size(true), 4);
}

TEST(TensorSpecFaults, F5FromDictLeavesItsArgumentAlone) {
  const std::string dict = seen_all({{{1, 5}, 1}, {{2, 5}, 2}}).to_dict();
  const auto first = TensorSpec::from_dict(dict), second = TensorSpec::from_dict(dict);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->to_dict(), dict);
  EXPECT_EQ(second->to_dict(), dict);
}

TEST(TensorSpecFaults, F6DTypeConflictIsRecorded) {
  TensorSpec spec = seen({{1}, 1});
  EXPECT_TRUE(spec.dtype_conflict().empty());
  spec = merged(spec, seen({{1}, 1}, kInt64));
  EXPECT_EQ(spec.dtype, kFloat32);
  EXPECT_THAT(spec.dtype_conflict(), ElementsAre(kFloat32, kInt64));
  // It is passed on, in any order, and through text.
  const DType half(DType::Kind::float16);
  const TensorSpec other = merged(seen({{1}, 1}, half), *TensorSpec::from_dict(spec.to_dict()));
  EXPECT_EQ(other.dtype, half);
  EXPECT_THAT(other.dtype_conflict(), ElementsAre(half, kFloat32, kInt64));
  // Not known is no conflict, and takes what is known.
  const TensorSpec known = merged(seen({{1}, 1}, DType()), seen({{1}, 1}, kInt64));
  EXPECT_EQ(known.dtype, kInt64);
  EXPECT_TRUE(known.dtype_conflict().empty());
  EXPECT_EQ(known.to_dict().find("dtypes_seen"), std::string::npos);
}

TEST(TensorSpecFaults, F7BatchSizesThatAreNone) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    const auto result = TensorSpec::from_tensor({"x", kFloat32, {4}}, bad);
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_batch_size);
    EXPECT_EQ(result.error().where, "batch_size");
    EXPECT_NE(result.error().detail.find(std::to_string(bad)), std::string::npos);
  }
  EXPECT_FALSE(TensorSpec::is_int(std::numeric_limits<double>::infinity()));
}

TEST(TensorSpecFaults, F8AnotherRankChangesNothing) {
  TensorSpec spec = seen_all({{{1, 5}, 1}, {{2, 5}, 2}});
  const std::string before = spec.to_dict();
  for (const Shape& sizes : {Shape{}, Shape{1}, Shape{1, 2, 3}}) {
    const Status status = spec.update_shapes_seen(seen({sizes, 1}, kInt64));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::rank_mismatch);
    EXPECT_EQ(status.error().message().rfind("Tensors must have the same rank", 0), 0u);
    EXPECT_EQ(spec.to_dict(), before);
  }
}

TEST(TensorSpecFaults, F9DescribeAlwaysAnswers) {
  const TensorSpec spec = seen({{1}, 1});
  EXPECT_EQ(spec.describe(static_cast<InfoLevel>(99)), spec.describe(InfoLevel::FULL));
}

TEST(TensorSpecFaults, F10SymbolsWithoutAWholeMultiplier) {
  for (const double multiplier : {1.5, kNaN, 0.0, -2.0, 1e300, std::numeric_limits<double>::infinity()}) {
    const TensorSpec spec{.shape = {"batch0", "batch1"},
                          .min_shape = {1, 2},
                          .max_shape = {7, 14},
                          .dtype = kFloat32,
                          ._bs_multipliers = {multiplier, 2}};
    EXPECT_THAT(spec.get_batch_axis_multipliers(), ElementsAre(Pair(1, 2))) << multiplier;
    EXPECT_EQ(spec.get_max_batch_size(), 14);
    EXPECT_EQ(spec.get_max_batch_size(true), 7);
    EXPECT_EQ(spec.get_min_batch_size(true), 1);
    EXPECT_EQ(merged(spec, spec).shape[0], AxisExtent("dim0")) << multiplier;
  }
}

// Edits by hand.

TEST(TensorSpecByHand, SymbolsAreSeenAndStay) {
  TensorSpec spec = seen({{4, 10}, 2});
  spec.shape[0] = "batch0";
  EXPECT_TRUE(spec.has_batch_axis());
  EXPECT_THAT(spec.get_batch_axis_multipliers(), ElementsAre(Pair(0, 2)));
  EXPECT_TRUE(spec.matches(seen({{9, 10}, 1})));
  spec.shape[1] = "dim1";
  EXPECT_TRUE(spec.has_dynamic_axis());
  EXPECT_EQ(merged(spec, seen({{4, 10}, 2})).to_string(), "shape=[batch0, dim1]");
  EXPECT_EQ(merged(seen({{4, 10}, 2}), spec).to_string(), "shape=[batch0, dim1]");
  // "dim" stays although 10 and 20 are 5 x batch; "batch" does not once the multipliers disagree.
  EXPECT_EQ(merged(spec, seen({{8, 20}, 4})).to_string(), "shape=[batch0, dim1]");
  EXPECT_EQ(merged(spec, seen({{4, 10}, 1})).to_string(), "shape=[dim0, dim1]");
  // A text of one's own keeps while its class does.
  spec.shape = {"batch_size", "sequence"};
  EXPECT_EQ(merged(seen({{8, 20}, 4}), spec).to_string(), "shape=[batch_size, sequence]");
  EXPECT_EQ(merged(spec, seen({{8, 20}, 1})).to_string(), "shape=[dim0, sequence]");
}

TEST(TensorSpecByHand, AnIntegerIsASizeToo) {
  TensorSpec spec = seen({{4}, 2});
  spec.shape[0] = 7;
  EXPECT_EQ(merged(spec, seen({{4}, 2})).describe(), "shape=[dim0] min_shape=[4] max_shape=[7] dtype=float32");
}

TEST(TensorSpecByHand, ListsThatDoNotFitTogether) {
  const TensorSpec specs[] = {
      {.shape = {}, .min_shape = {1}, .max_shape = {1, 2}, .dtype = {}, ._bs_multipliers = {1, 2, 3}},
      {.shape = {"batch0", 3, "dim2"}},
      {.shape = {1, 2, 3}, .min_shape = {1}, .max_shape = {}, .dtype = kInt64, ._bs_multipliers = {0.1}},
      {.shape = {"batch0", "batch1", ""},
       .min_shape = {9, INT64_MIN},
       .max_shape = {1, INT64_MAX, 5},
       .dtype = {},
       ._bs_multipliers = {2, 3}},
      {.shape = {INT64_MIN, INT64_MAX, -1},
       .min_shape = {INT64_MAX},
       .max_shape = {INT64_MIN},
       .dtype = {},
       ._bs_multipliers = {kNaN, 1e-300, 1e300, 4}},
  };
  for (const TensorSpec& a : specs) {
    for (const bool normalized : {false, true}) {
      (void)a.get_max_batch_size(normalized);
      (void)a.get_min_batch_size(normalized);
    }
    (void)a.get_batch_axis_multipliers();
    EXPECT_EQ(TensorSpec::from_dict(a.to_dict())->to_dict(), a.to_dict());
    EXPECT_EQ(TensorSpec::from_dict(a.to_dict())->describe(), a.describe());
    for (const TensorSpec& b : specs) {
      TensorSpec out = a;
      EXPECT_EQ(out.update_shapes_seen(b).ok(), a == b);
      (void)a.matches(b);
      if (a == b) { EXPECT_EQ(out._bs_multipliers.size(), out.shape.size()); }
    }
  }
  // A bound that nobody knows is not made up; one that the other knows is taken.
  EXPECT_EQ(merged(specs[1], specs[1]).describe(), "shape=[dim0, 3, dim2] min_shape=[] max_shape=[] dtype=None");
  EXPECT_EQ(merged(specs[1], seen({{2, 3, 4}, 1})).describe(),
            "shape=[dim0, 3, dim2] min_shape=[2, 3, 4] max_shape=[2, 3, 4] dtype=float32");
}

// Text.

TEST(TensorSpecDict, HasTheFieldsOfThePage) {
  TensorSpec spec = seen_all({{{1, 3, 5}, 1}, {{2, 3, 9}, 2}});
  EXPECT_EQ(spec.to_dict(),
            R"({"type":"TensorSpec","shape":["batch0",3,"dim2"],"min_shape":[1,3,5],"max_shape":[2,3,9],)"
            R"("dtype":"float32","_bs_multipliers":[1.0,null,null]})");
  EXPECT_NE(spec.to_dict(DTypeStyle::torch).find(R"("dtype":"torch.float32")"), std::string::npos);
  spec.dtype = DType();
  EXPECT_NE(spec.to_dict().find(R"("dtype":null)"), std::string::npos);
}

TEST(TensorSpecDict, TakesWhatPythonWrites) {
  // json.dumps of the dictionary, with spaces, NaN, whole multipliers as int, and a symbol that looks like NaN.
  const auto spec = TensorSpec::from_dict(
      R"({"shape": ["batch0", 3, "aNaN\"NaN"], "min_shape": [1, 3, 5], "max_shape": [2, 3, 9], "dtype": "torch.half",)"
      R"( "_bs_multipliers": [1, NaN, 1.5], "type": "TensorSpec", "added later": {"NaN": NaN}})");
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(spec->shape, ElementsAre("batch0", 3, "aNaN\"NaN"));
  EXPECT_THAT(spec->_bs_multipliers, ElementsAre(1.0, NanSensitiveDoubleEq(kNaN), 1.5));
  EXPECT_EQ(spec->dtype, DType(DType::Kind::float16));
}

TEST(TensorSpecDict, SaysWhatIsWrong) {
  const std::string tail = R"("min_shape":[],"max_shape":[],"dtype":null,"_bs_multipliers":[]})";
  struct Case {
    std::string text;
    ErrorCode code;
    const char* where;
  };
  const Case cases[] = {
      {"", ErrorCode::json_syntax, "byte 1"},
      {R"([])", ErrorCode::invalid_dict, ""},
      {R"({})", ErrorCode::invalid_dict, "type"},
      {R"({"type":"ModelSpec"})", ErrorCode::invalid_dict, "type"},
      {R"({"type":7})", ErrorCode::invalid_dict, "type"},
      {R"({"type":"TensorSpec"})", ErrorCode::invalid_dict, "dtype"},
      {R"({"type":"TensorSpec","dtype":1})", ErrorCode::invalid_dict, "dtype"},
      {R"({"type":"TensorSpec",)" + tail, ErrorCode::invalid_dict, "shape"},
      {R"({"type":"TensorSpec","shape":{},)" + tail, ErrorCode::invalid_dict, "shape"},
      {R"({"type":"TensorSpec","shape":[1,2.0],)" + tail, ErrorCode::invalid_dict, "shape[1]"},
      {R"({"type":"TensorSpec","shape":[NaN],)" + tail, ErrorCode::invalid_dict, "shape[0]"},
      {R"({"type":"TensorSpec","shape":[9223372036854775808],)" + tail, ErrorCode::invalid_dict, "shape[0]"},
      {R"({"type":"TensorSpec","shape":[],"dtypes_seen":[3],)" + tail, ErrorCode::invalid_dict, "dtypes_seen[0]"},
      {R"({"type":"TensorSpec","type":"TensorSpec"})", ErrorCode::json_duplicate_key, ""},
      {std::string(100, '['), ErrorCode::json_too_deep, ""},
  };
  for (const Case& c : cases) {
    const auto result = TensorSpec::from_dict(c.text);
    ASSERT_FALSE(result.ok()) << c.text;
    EXPECT_EQ(result.error().code, c.code) << c.text;
    if (*c.where || c.code == ErrorCode::invalid_dict) { EXPECT_EQ(result.error().where, c.where) << c.text; }
  }
}

// The page.

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(TENSORSPEC_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

TEST(TensorSpecPage, EveryRowIsInTheReferenceAndTheHeader) {
  const std::string reference = file_text("docs/tensorspec-reference.md");
  const std::string header = file_text("include/tensorspec/tensor_spec.hpp");
  const char* const rows[] = {
      "InfoLevel",
      "FULL",
      "MEDIUM",
      "SHORT",
      "TensorSpec",
      "_bs_multipliers",
      "dtype",
      "max_shape",
      "min_shape",
      "shape",
      "describe",
      "from_dict",
      "from_tensor",
      "get_batch_axis_multipliers",
      "get_max_batch_size",
      "get_min_batch_size",
      "has_batch_axis",
      "has_dynamic_axis",
      "is_int",
      "matches",
      "to_dict",
      "update_shapes_seen",
  };
  for (const std::string row : rows) {
    EXPECT_NE(reference.find("`" + row + "`"), std::string::npos) << row;
    EXPECT_NE(header.find(row), std::string::npos) << row;
  }
  // Python's own names have the C++ ones beside them.
  const std::pair<const char*, const char*> spelled[] = {
      {"__eq__", "operator=="}, {"__hash__", "std::hash"}, {"__repr__", "repr("}, {"__str__", "to_string("}};
  for (const auto& [row, name] : spelled) {
    EXPECT_NE(reference.find("`" + std::string(row) + "`"), std::string::npos) << row;
    EXPECT_NE(header.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace tensorspec
