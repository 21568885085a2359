// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/declared.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tensorspec {
namespace {

// "batch|3|?|": dims between bars; "-" is one of which nothing is said.
DeclaredTensor tensor(const std::string& name, const std::string& dims) {
  DeclaredTensor out{.name = name, .dtype = DType(DType::Kind::float32), .shape = std::vector<DeclaredDim>()};
  for (std::size_t at = 0; at < dims.size();) {
    const std::size_t end = std::min(dims.find('|', at), dims.size());
    const std::string text = dims.substr(at, end - at);
    DeclaredDim dim;
    if (const auto size = parse_int64(text); size && *size >= 0) dim.size = size;
    else if (text != "-") dim.text = text;
    out.shape->push_back(dim);
    at = end + 1;
  }
  return out;
}

// "[batch, 3] [batch] | batch s0?": shapes, then symbols, of which those that stand for nothing said have a mark.
std::string said(const Declared& declared) {
  const auto found = contract_of(declared);
  if (!found.ok()) return std::string(error_name(found.error().code));
  const Variant& variant = found->contract.variants().at(0);
  std::string out;
  for (const auto* group : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *group) {
      std::vector<std::string> dims;
      for (const Dim& dim : tensor.shape) dims.push_back(dim.to_string());
      out += "[" + join(dims, ", ") + "] ";
    }
  out += "|";
  for (const Symbol& symbol : variant.symbols)
    out += " " + symbol.name + (symbol.source == Symbol::Source::unknown ? "?" : "");
  return out;
}

TEST(Declared, DimsBecomeSymbols) {
  const struct {
    const char *what, *input, *output, *expected;
  } cases[] = {
      {"names and sizes", "batch|3|w", "batch", "[batch, 3, w] [batch] | batch w"},
      {"nothing said is a size of its own", "-|-", "-", "[s0, s1] [s2] | s0? s1? s2?"},
      {"words that say nothing", "?|*|None|unk", "?", "[s0, s1, s2, s3] [s4] | s0? s1? s2? s3? s4?"},
      {"-1 as text", "-1|-2", "0", "[s0, s1] [0] | s0? s1?"},
      {"numbers as text", " 3|b", "b", "[3, b] [b] | b"},
      {"s0 is taken", "s0|-", "s2|-", "[s0, s1] [s2, s3] | s0 s1? s2 s3?"},
      {"an expression over names", "past|seq", "past + seq|2*seq", "[past, seq] [past+seq, 2*seq] | past seq"},
      {"its names may come later", "h//2|a", "h", "[floor(h/2), a] [h] | a h"},
      {"an expression over others is a name", "batch-size", "batch-size|seq len",
       "[batch_size] [batch_size, seq_len] | batch_size seq_len"},
      {"half of it known is not enough", "batch", "batch*beam", "[batch] [batch_beam] | batch batch_beam"},
      {"what no dim can say", "s0", "Max(1, s0)|2**s0", "[s0] [Max_1__s0_, _2__s0] | s0 Max_1__s0_ _2__s0"},
      {"names changed stay apart", "a.b|a_b|a-b", "a.b", "[a_b_2, a_b, a_b_3] [a_b_2] | a_b_2 a_b a_b_3"},
      {"words of the notation", "floor|ceil", "floor", "[floor_, ceil_] [floor_] | floor_ ceil_"},
      {"digits first", "0axis", "\xc3\xa9", "[_0axis] [__] | _0axis __"},
      {"a constant expression", "2*3|1-2", "5", "[6, s0] [5] | s0?"},
      {"beyond all sizes", "9223372036854775807", "1", "[s0] [1] | s0?"},
      {"blanks around", " batch |batch", "batch", "[batch, batch] [batch] | batch"},
  };
  for (const auto& c : cases) EXPECT_EQ(said({{tensor("x", c.input)}, {tensor("y", c.output)}}), c.expected) << c.what;
}

TEST(Declared, NotesSayWhatIsLost) {
  Declared declared{{tensor("x", "?|?|b.c|-"), tensor("y", "?")}, {}};
  declared.inputs.push_back({.name = "q", .dtype = DType::other("sequence(float32)"), .shape = std::nullopt});
  const auto found = contract_of(declared);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->contract.variants()[0].inputs.size(), 2u);
  EXPECT_EQ(join(found->notes, "\n"),
            "'b.c' is called b_c, since it is neither a name nor an expression over names\n"
            "q (sequence(float32)) is left out: it has no shape\n"
            "'?' says nothing; the 3 axes that have it are sizes of their own");
}

TEST(Declared, SymbolsKnowWhereTheyStand) {
  const auto found = contract_of({{tensor("x", "3|n|-")}, {tensor("y", "n")}});
  ASSERT_TRUE(found.ok());
  const Variant& variant = found->contract.variants()[0];
  ASSERT_EQ(variant.symbols.size(), 2u);
  EXPECT_EQ(variant.symbols[0].at, "x[1]");
  EXPECT_EQ(variant.symbols[1].at, "x[2]");
  EXPECT_EQ(to_string(variant.symbols[1].source), "unknown");
  EXPECT_FALSE(variant.symbols[0].declared);
  EXPECT_EQ(variant.inputs[0].dtypes, std::vector<DType>{DType(DType::Kind::float32)});
  EXPECT_EQ(Contract::from_json(found->contract.to_json())->to_json(), found->contract.to_json());
}

TEST(Declared, RangesAreThoseOfAllAxes) {
  const auto dim = [](const char* text, std::int64_t low, std::int64_t high) {
    return DeclaredDim{.text = text, .min = low, .max = high};
  };
  DeclaredTensor x = tensor("x", ""), y = tensor("y", "");
  x.shape->assign({dim("n", 1, 8), dim("m", 1, 2), dim("", 3, 9), DeclaredDim{.text = "k", .max = 4}});
  y.shape->assign({dim("n", 0, 6), dim("m", 5, 9)});
  const auto found = contract_of({{x, y}, {}, {"said by the file"}});
  ASSERT_TRUE(found.ok());
  std::string ranges;
  for (const Symbol& symbol : found->contract.variants()[0].symbols)
    ranges += symbol.name + " " + (symbol.min ? std::to_string(*symbol.min) : "") + ".." +
              (symbol.max ? std::to_string(*symbol.max) : "") + "; ";
  EXPECT_EQ(ranges, "n 1..6; m ..; s0 3..9; k ..4; ");
  EXPECT_EQ(join(found->notes, "\n"), "said by the file\nthe ranges of m exclude one another and are left out");
}

// A learned contract: tensors with dims, and the ranges of its symbols.
Contract learned(const std::vector<std::pair<std::string, std::vector<std::string>>>& inputs) {
  Variant variant;
  for (const auto& [name, dims] : inputs) {
    TensorContract tensor;
    tensor.name = name;
    tensor.dtypes = {DType(DType::Kind::float32)};
    for (const std::string& dim : dims) tensor.shape.push_back(Dim::parse(dim).value());
    variant.inputs.push_back(std::move(tensor));
  }
  Symbol batch;
  batch.name = "batch";
  batch.min = 1;
  batch.max = 6;
  variant.symbols.push_back(batch);
  Contract::Data data;
  data.variants.push_back(std::move(variant));
  return Contract::make(std::move(data)).value();
}

TEST(Hints, NamesOfAxes) {
  std::string names;
  for (const auto& [axis, name] : axis_names_of({{tensor("x", "N|3|?|seq len|s77|-1"), tensor("y", "N|N + 1")}, {}}))
    names += axis + " " + name + "; ";
  EXPECT_EQ(names, "x[0] N; x[3] seq_len; y[0] N; ");
}

TEST(Hints, WhatCallsOverrule) {
  const auto said = [](const Contract& contract, const std::string& x, const std::string& y) {
    return join(overruled(contract, {{tensor("x", x), tensor("y", y)}, {}}), "\n");
  };
  const Contract both = learned({{"x", {"batch", "seq"}}, {"y", {"batch", "past+seq"}}});
  EXPECT_EQ(said(both, "N|T", "N|T2"), "");
  EXPECT_EQ(said(both, "?|-", "N|past + T"), "");
  EXPECT_EQ(said(both, "1|T", "N|?"), "x[0] is declared 1, sizes 1..6 were seen");
  EXPECT_EQ(said(both, "N|T", "N|T"), "'T' is declared of axes that were not equal: y[1] is past+seq, x[1] is seq");
  EXPECT_EQ(said(both, "x_0|T", "y_0|U"),
            "'x_0', 'y_0' are declared of axes that were equal in every call: one size, batch");
  EXPECT_EQ(said(both, "N", "N|U"), "x is declared with 1 axis, seen with 2");
  const Contract fixed = learned({{"x", {"1", "48"}}, {"z", {"batch"}}});
  EXPECT_EQ(said(fixed, "N|32", "N"),
            "x[0] is declared 'N', only 1 was seen\nx[1] is declared 32, 48 was seen\n"
            "input y is declared and not in every call\ninput z is in calls and not declared");
  Declared other{{tensor("x", "1|48")}, {}};
  other.inputs[0].dtype = DType(DType::Kind::float16);
  EXPECT_EQ(join(overruled(learned({{"x", {"1", "48"}}}), other), ""), "x is declared float16, float32 was seen");
  // Columns of a table have names alone.
  Declared columns = other;
  columns.names_only = true;
  EXPECT_TRUE(overruled(learned({{"x", {"1", "48"}}}), columns).empty());
  EXPECT_EQ(said(learned({{"other", {"1"}}}), "1", "2"), "");
  const auto limited = [&](std::int64_t min, std::int64_t max, const std::string& seen) {
    Declared limits{{{"x", {}, std::vector<DeclaredDim>{{.text = "batch", .min = min, .max = max}}}}, {}};
    return join(overruled(learned({{"x", {seen}}}), limits), "\n");
  };
  EXPECT_EQ(limited(1, 6, "batch"), "");
  EXPECT_EQ(limited(1, 4, "batch"), "x[0] is declared at most 4, sizes 1..6 were seen");
  EXPECT_EQ(limited(2, 8, "batch"), "x[0] is declared at least 2, sizes 1..6 were seen");
}

TEST(Declared, ANameTwiceIsAConflict) {
  EXPECT_EQ(said({{tensor("x", "1"), tensor("x", "2")}, {}}), "contract_conflict");
  EXPECT_EQ(said({{}, {}}), "|");
}

}  // namespace
}  // namespace tensorspec
