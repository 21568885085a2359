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

TEST(Declared, ANameTwiceIsAConflict) {
  EXPECT_EQ(said({{tensor("x", "1"), tensor("x", "2")}, {}}), "contract_conflict");
  EXPECT_EQ(said({{}, {}}), "|");
}

}  // namespace
}  // namespace tensorspec
