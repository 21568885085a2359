// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dim.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tensorspec {
namespace {

TEST(Dim, PrintsWhatItParses) {
  // What is written, and the canonical form that is printed and parsed back.
  const std::pair<const char*, const char*> cases[] = {
      {"32", "32"},
      {"0", "0"},
      {"batch", "batch"},
      {"2*batch", "2*batch"},
      {"batch*2", "2*batch"},
      {"past+seq", "past+seq"},
      {"seq + past", "past+seq"},
      {"8*h+4", "8*h+4"},
      {"4+8*h", "8*h+4"},
      {"batch*seq", "batch*seq"},
      {"seq*batch", "batch*seq"},
      {"a-1", "a-1"},
      {"4-h", "4-h"},
      {"-h", "-h"},
      {"-h-2", "-h-2"},
      {"a+a", "2*a"},
      {"a-a", "0"},
      {"(a+1)*(b+2)", "a*b+2*a+b+2"},
      {"ceil(t/2)", "ceil(t/2)"},
      {"floor((t+1)/2)", "floor((t+1)/2)"},
      {"floor((w+3)/8)", "floor((w+3)/8)"},
      {"(w+3)//8", "floor((w+3)/8)"},
      {"21*h*w/1024", "21*h*w/1024"},
      {"h/2+h/2", "h"},
      {"(h+w)/2", "(h+w)/2"},
      {"ceil(h/32)*ceil(w/32)", "ceil(h/32)*ceil(w/32)"},
      {"floor(h/16)*floor(w/16)+1", "floor(h/16)*floor(w/16)+1"},
      {"floor((8*w+11)/8)", "w+1"},
      {"floor((2*h+1)/4)", "floor(h/2)"},
      {"ceil((2*h+1)/4)", "ceil((h+1)/2)"},
      {"floor(7/2)", "3"},
      {"ceil(7/2)", "4"},
      {"floor((4-h)/2)", "floor((-h)/2)+2"},
      {"h*h", "h*h"},
  };
  for (const auto& [text, canonical] : cases) {
    const auto dim = Dim::parse(text);
    ASSERT_TRUE(dim.ok()) << text << ": " << dim.error().message();
    EXPECT_EQ(dim->to_string(), canonical) << text;
    const auto again = Dim::parse(dim->to_string());
    ASSERT_TRUE(again.ok()) << canonical;
    EXPECT_EQ(*again, *dim) << canonical;
  }
}

TEST(Dim, SaysWhereTheNotationIsWrong) {
  const std::tuple<const char*, ErrorCode, const char*> cases[] = {
      {"", ErrorCode::dim_syntax, "column 1"},
      {"past+", ErrorCode::dim_syntax, "column 6"},
      {"2batch", ErrorCode::dim_syntax, "column 2"},
      {"a b", ErrorCode::dim_syntax, "column 3"},
      {"(a", ErrorCode::dim_syntax, "column 3"},
      {"a/b", ErrorCode::dim_syntax, "column 3"},
      {"floor a", ErrorCode::dim_syntax, "column 7"},
      {"a%2", ErrorCode::dim_syntax, "column 2"},
      {"9223372036854775808", ErrorCode::overflow, "column 1"},
  };
  for (const auto& [text, code, where] : cases) {
    const auto dim = Dim::parse(text);
    ASSERT_FALSE(dim.ok()) << text;
    EXPECT_EQ(dim.error().code, code) << text;
    EXPECT_EQ(dim.error().where, where) << text;
  }
  EXPECT_EQ(Dim::parse("a/0").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Dim::parse("9223372036854775807*a*2").error().code, ErrorCode::overflow);
  EXPECT_EQ(Dim::parse(std::string(5000, 'a')).error().code, ErrorCode::dim_too_large);
  EXPECT_EQ(Dim::parse(std::string(100, '(') + "a" + std::string(100, ')')).error().code, ErrorCode::dim_too_large);
  EXPECT_EQ(Dim::parse("(a+b+c+d+e)*(f+g+h+i+j)*(k+l+m+n+o)").error().code, ErrorCode::dim_too_large);
}

TEST(Dim, EvaluatesOrSaysItCannot) {
  const auto lookup = [](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "h") return 37;
    if (name == "w") return 64;
    if (name == "big") return INT64_MAX;
    return std::nullopt;
  };
  const std::pair<const char*, std::optional<std::int64_t>> cases[] = {
      {"h+w", 101},      {"h*w", 37 * 64},        {"floor(h/2)", 18},
      {"ceil(h/2)", 19}, {"floor((-h)/2)", -19},  {"ceil((-h)/2)", -18},
      {"w/32", 2},       {"h/2", std::nullopt},   {"x", std::nullopt},
      {"x-x", 0},        {"big+1", std::nullopt}, {"big*w", std::nullopt},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(Dim::parse(text)->evaluate(lookup), value) << text;
}

TEST(Dim, SubstitutionIsEvaluationInSteps) {
  const Dim dim = Dim::parse("floor((2*h+w)/3)*w+h").value();
  const auto put = dim.substitute({{"h", Dim::parse("4*k+1").value()}});
  ASSERT_TRUE(put.ok());
  for (std::int64_t k = 0; k < 20; ++k)
    for (std::int64_t w = 0; w < 20; ++w) {
      const auto direct =
          dim.evaluate([&](std::string_view name) { return std::optional(name == "h" ? 4 * k + 1 : w); });
      const auto steps = put->evaluate([&](std::string_view name) { return std::optional(name == "k" ? k : w); });
      EXPECT_EQ(direct, steps) << k << " " << w;
    }
}

// Random expressions as text, beside a value computed while writing the text: canonical forms must not change values.
class RandomExpression {
 public:
  explicit RandomExpression(std::mt19937_64& random) : random_(random) {}

  std::pair<std::string, std::int64_t> make(int depth) {
    switch (depth == 0 ? pick(2) : pick(7)) {
      case 0: {
        const std::int64_t value = static_cast<std::int64_t>(pick(9));
        return {std::to_string(value), value};
      }
      case 1: {
        const std::size_t i = pick(3);
        return {std::string(1, "abc"[i]), kValues[i]};
      }
      case 2: return join(depth, '+');
      case 3: return join(depth, '-');
      case 4: return join(depth, '*');
      case 5: return rounded(depth, "floor");
      default: return rounded(depth, "ceil");
    }
  }
  static constexpr std::int64_t kValues[] = {5, 12, 1};

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  std::pair<std::string, std::int64_t> join(int depth, char sign) {
    const auto [x, p] = make(depth - 1);
    const auto [y, q] = make(depth - 1);
    return {"(" + x + ")" + sign + "(" + y + ")", sign == '+' ? p + q : sign == '-' ? p - q : p * q};
  }
  std::pair<std::string, std::int64_t> rounded(int depth, const std::string& name) {
    const auto [x, p] = make(depth - 1);
    const auto d = static_cast<std::int64_t>(1 + pick(6));
    const double quotient = static_cast<double>(p) / static_cast<double>(d);
    return {name + "((" + x + ")/" + std::to_string(d) + ")",
            static_cast<std::int64_t>(name == "floor" ? std::floor(quotient) : std::ceil(quotient))};
  }
  std::mt19937_64& random_;
};

TEST(Dim, CanonicalFormKeepsTheValue) {
  constexpr std::uint64_t kSeed = 20261130;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  int evaluated = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto [text, value] = RandomExpression(random).make(4);
    const auto dim = Dim::parse(text);
    if (!dim.ok()) {
      EXPECT_NE(dim.error().code, ErrorCode::dim_syntax) << text;
      continue;
    }
    ++evaluated;
    const auto lookup = [](std::string_view name) { return std::optional(RandomExpression::kValues[name[0] - 'a']); };
    EXPECT_EQ(dim->evaluate(lookup), value) << text << " as " << dim->to_string();
    const auto again = Dim::parse(dim->to_string());
    ASSERT_TRUE(again.ok()) << dim->to_string() << ": " << again.error().message();
    EXPECT_EQ(*again, *dim) << text << " as " << dim->to_string();
  }
  EXPECT_GT(evaluated, 3000);
}

}  // namespace
}  // namespace tensorspec
