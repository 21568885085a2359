// SPDX-License-Identifier: Apache-2.0
//
// Laws of diff on random contracts: it agrees with the definition, applied to every call there is; the mirror image;
// names play no part; what is shown is so.
#include "tensorspec/diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/cases.hpp"
#include "support/contracts.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec {
namespace {

using Random = std::mt19937_64;
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}
template <class T>
const T& pick(Random& random, const std::vector<T>& of) {
  return of[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(of.size()) - 1))];
}

// A variant with a tensor x of inputs and one y of outputs, which may have no axis. Dims are over up to three symbols.
struct Model {
  std::vector<Dim> inputs, outputs;
  std::vector<Symbol> symbols;

  Contract contract() const {
    Variant variant;
    variant.inputs = {{"x", {DType(DType::Kind::float32)}, inputs, false, ""}};
    variant.outputs = {{"y", {DType(DType::Kind::float32)}, outputs, false, ""}};
    variant.symbols = symbols;
    Contract::Data data;
    data.variants = {std::move(variant)};
    auto made = Contract::make(std::move(data));
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }
  std::vector<Dim> dims() const {
    std::vector<Dim> out = inputs;
    out.insert(out.end(), outputs.begin(), outputs.end());
    return out;
  }
};

Dim random_dim(Random& random) {
  static const std::vector<std::string> kForms = {"a",
                                                  "a",
                                                  "a",
                                                  "b",
                                                  "b",
                                                  "c",
                                                  "a+b",
                                                  "a+c",
                                                  "2*a",
                                                  "a+1",
                                                  "3",
                                                  "4",
                                                  "a*b",
                                                  "a-b",
                                                  "2*b+1",
                                                  "a/2",
                                                  "floor(a/2)",
                                                  "ceil(a/2)",
                                                  "2*a+b",
                                                  "a+b+c",
                                                  "a*b+c",
                                                  "3*c",
                                                  "floor((a+1)/3)",
                                                  "2*ceil(b/2)",
                                                  "ceil(a/2)*ceil(b/2)"};
  return Dim::parse(pick(random, kForms)).value();
}

Symbol random_symbol(Random& random, const std::string& name, std::int64_t largest) {
  Symbol symbol;
  symbol.name = name;
  symbol.min = draw(random, 0, 3);
  if (draw(random, 0, 3) == 0) symbol.multiple_of = draw(random, 2, 3);
  if (symbol.multiple_of > 1) symbol.residue = draw(random, 0, symbol.multiple_of - 1);
  symbol.max = *symbol.min + draw(random, symbol.multiple_of - 1, largest);
  return symbol;
}

Model random_model(Random& random, std::int64_t largest) {
  Model model;
  for (std::int64_t i = draw(random, 1, 4); i > 0; --i) model.inputs.push_back(random_dim(random));
  for (std::int64_t i = draw(random, 0, 2); i > 0; --i) model.outputs.push_back(random_dim(random));
  for (const char* name : {"a", "b", "c"}) model.symbols.push_back(random_symbol(random, name, largest));
  return model;
}

// The same model with up to two things changed.
Model changed(Random& random, Model model, std::int64_t largest) {
  for (std::int64_t i = draw(random, 0, 2); i > 0; --i) {
    auto& group = !model.outputs.empty() && draw(random, 0, 2) == 0 ? model.outputs : model.inputs;
    Dim& dim = group[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(group.size()) - 1))];
    Symbol& symbol = model.symbols[static_cast<std::size_t>(draw(random, 0, 2))];
    switch (draw(random, 0, 3)) {
      case 0: dim = random_dim(random); break;
      case 1: symbol = random_symbol(random, symbol.name, largest); break;
      case 2: dim = Dim::symbol("c"); break;
      default: symbol.max = *symbol.max + draw(random, 0, 2); break;
    }
  }
  return model;
}

// Every assignment of the symbols.
std::vector<Sizes> assignments(const Model& model) {
  std::vector<Sizes> out = {{}};
  for (const Symbol& symbol : model.symbols) {
    std::vector<Sizes> next;
    for (const Sizes& sizes : out)
      for (std::int64_t v = *symbol.min; v <= *symbol.max; ++v) {
        if (v % symbol.multiple_of != symbol.residue) continue;
        next.push_back(sizes);
        next.back()[symbol.name] = v;
      }
    out = std::move(next);
  }
  return out;
}

// The sizes of all columns; -1 for what is no size.
std::vector<std::vector<std::int64_t>> rows_of(const Model& model) {
  std::vector<std::vector<std::int64_t>> out;
  for (const Sizes& sizes : assignments(model)) {
    std::vector<std::int64_t> row;
    for (const Dim& dim : model.dims()) {
      const auto value = dim.evaluate([&](std::string_view name) { return std::optional(sizes.find(name)->second); });
      row.push_back(value && *value >= 0 ? *value : -1);
    }
    out.push_back(std::move(row));
  }
  return out;
}

using Columns = std::vector<std::size_t>;
using Rows = std::vector<std::vector<std::int64_t>>;

std::vector<std::int64_t> cut(const std::vector<std::int64_t>& row, const Columns& columns) {
  std::vector<std::int64_t> out;
  for (const std::size_t column : columns) out.push_back(row[column]);
  return out;
}
// The sizes that a side can have in these columns.
std::set<std::vector<std::int64_t>> possible(const Rows& rows, const Columns& columns) {
  std::set<std::vector<std::int64_t>> out;
  for (const auto& row : rows) {
    auto sizes = cut(row, columns);
    if (std::find(sizes.begin(), sizes.end(), -1) == sizes.end()) out.insert(std::move(sizes));
  }
  return out;
}

// The definition: has a call of `from` a size at the column that `to` cannot have beside the sizes of the given ones?
bool lost(const Rows& from, const Rows& to, const Columns& given, std::size_t column, std::size_t valid) {
  Columns all = given;
  all.push_back(column);
  const auto before = possible(to, given), after = possible(to, all);
  return std::any_of(from.begin(), from.end(), [&](const auto& row) {
    const bool call = std::find(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(valid), -1) ==
                      row.begin() + static_cast<std::ptrdiff_t>(valid);
    return call && before.contains(cut(row, given)) && !after.contains(cut(row, all));
  });
}

Change change_of(bool lost, bool gained) {
  return lost ? (gained ? Change::broken : Change::narrower) : gained ? Change::wider : Change::equal;
}

std::vector<Change> by_definition(const Model& older, const Model& newer) {
  const Rows old_rows = rows_of(older), new_rows = rows_of(newer);
  const std::vector<Dim> old_dims = older.dims(), new_dims = newer.dims();
  std::vector<Change> out;
  Columns given;
  for (std::size_t k = 0; k < old_dims.size(); ++k) {
    std::size_t same = 0;
    while (!(old_dims[same] == old_dims[k] && new_dims[same] == new_dims[k])) ++same;
    if (same < k) {
      out.push_back(out[same]);
      continue;
    }
    const std::size_t valid = k < older.inputs.size() ? older.inputs.size() : old_dims.size();
    out.push_back(change_of(lost(old_rows, new_rows, {}, k, valid) || lost(old_rows, new_rows, given, k, valid),
                            lost(new_rows, old_rows, {}, k, valid) || lost(new_rows, old_rows, given, k, valid)));
    Columns all = given;
    all.push_back(k);
    const auto theirs = possible(new_rows, all);
    for (const auto& sizes : possible(old_rows, all))
      if (theirs.contains(sizes)) {
        given = all;
        break;
      }
  }
  return out;
}

std::vector<Change> changes(const ContractDifference& difference) {
  std::vector<Change> out;
  for (const Difference& row : difference.variants[0].differences) out.push_back(row.change);
  return out;
}

std::string words(const std::vector<Change>& all) {
  std::string out;
  for (const Change change : all) out += std::string(to_string(change)) + " ";
  return out;
}

// As tests/support/contracts.hpp reads it.
std::string text_of(const Model& model) {
  const auto shape = [](const std::vector<Dim>& dims) {
    std::string out;
    for (const Dim& dim : dims) out += (out.empty() ? "" : ",") + dim.to_string();
    return out;
  };
  std::string out = "x " + shape(model.inputs) + " | y " + shape(model.outputs) + " |";
  for (const Symbol& s : model.symbols)
    out += " " + s.name + " " + std::to_string(*s.min) + ".." + std::to_string(*s.max) + "%" +
           std::to_string(s.multiple_of) + "+" + std::to_string(s.residue) + ";";
  return out + "\n";
}

// Sizes of a witness, in the order of columns: of an input those of the inputs alone.
std::vector<std::int64_t> sizes_of(const Witness& witness, bool output) {
  std::vector<std::int64_t> out = witness.call.inputs[0].shape;
  if (output) out.insert(out.end(), witness.call.outputs[0].shape.begin(), witness.call.outputs[0].shape.end());
  return out;
}

void expect_shown(const std::optional<Witness>& witness, bool wanted, bool output, const Rows& by, const Rows& not_by) {
  ASSERT_EQ(witness.has_value(), wanted);
  if (!witness) return;
  const auto sizes = sizes_of(*witness, output);
  Columns columns;
  for (std::size_t k = 0; k < sizes.size(); ++k) columns.push_back(k);
  EXPECT_TRUE(possible(by, columns).contains(sizes)) << witness->text;
  EXPECT_FALSE(possible(not_by, columns).contains(sizes)) << witness->text;
}

struct Pair {
  Model older, newer;
};
Pair random_pair(Random& random, std::int64_t largest) {
  Pair pair;
  pair.older = random_model(random, largest);
  pair.newer = changed(random, pair.older, largest);
  if (draw(random, 0, 3) == 0) {
    pair.newer = random_model(random, largest);
    pair.newer.inputs.resize(pair.older.inputs.size(), Dim(3));
    pair.newer.outputs.resize(pair.older.outputs.size(), Dim(3));
  }
  return pair;
}

TEST(DiffLaws, AgreesWithTheDefinitionAndShowsIt) {
  std::map<Change, int> seen;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [older, newer] = random_pair(random, 5);
    SCOPED_TRACE(text_of(older) + text_of(newer));
    const ContractDifference got = diff(older.contract(), newer.contract());
    ASSERT_EQ(words(changes(got)), words(by_definition(older, newer))) << to_text(got);
    ASSERT_TRUE(got.proved) << to_text(got);
    const Rows old_rows = rows_of(older), new_rows = rows_of(newer);
    for (const Difference& row : got.variants[0].differences) {
      ++seen[row.change];
      expect_shown(row.lost, row.change == Change::narrower || row.change == Change::broken, row.output, old_rows,
                   new_rows);
      expect_shown(row.gained, row.change == Change::wider || row.change == Change::broken, row.output, new_rows,
                   old_rows);
    }
  }
  for (const Change change : {Change::equal, Change::wider, Change::narrower, Change::broken})
    EXPECT_GT(seen[change], 100) << to_string(change);
}

// Too many calls to try one by one: what is said to be proved is so, and most is.
TEST(DiffLaws, ProofsHoldWhereCallsAreTooManyToTry) {
  constexpr int kPairs = 30;
  int proved = 0;
  for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [older, newer] = random_pair(random, 40);
    SCOPED_TRACE(text_of(older) + text_of(newer));
    const ContractDifference got = diff(older.contract(), newer.contract());
    if (!got.proved) continue;
    ++proved;
    ASSERT_EQ(words(changes(got)), words(by_definition(older, newer))) << to_text(got);
  }
  EXPECT_GT(proved, kPairs * 3 / 4);
}

Change mirrored(Change change) {
  return change == Change::wider ? Change::narrower : change == Change::narrower ? Change::wider : change;
}

TEST(DiffLaws, TheOtherWayRoundIsTheMirrorImage) {
  for (std::uint64_t seed = 1; seed <= tests::cases(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [older, newer] = random_pair(random, 12);
    const ContractDifference there = diff(older.contract(), newer.contract());
    const ContractDifference back = diff(newer.contract(), older.contract());
    if (!there.proved || !back.proved) continue;
    std::vector<Change> wanted = changes(there);
    for (Change& change : wanted) change = mirrored(change);
    ASSERT_EQ(words(changes(back)), words(wanted)) << text_of(older) << text_of(newer);
    ASSERT_EQ(back.change, mirrored(there.change));
  }
}

TEST(DiffLaws, NamesOfSymbolsPlayNoPart) {
  for (std::uint64_t seed = 1; seed <= tests::cases(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [older, newer] = random_pair(random, 12);
    Model renamed = newer;
    const std::map<std::string, Dim> names = {
        {"a", Dim::symbol("z")}, {"b", Dim::symbol("a")}, {"c", Dim::symbol("b")}};
    for (auto* dims : {&renamed.inputs, &renamed.outputs})
      for (Dim& dim : *dims) dim = dim.substitute(names).value();
    for (Symbol& symbol : renamed.symbols) symbol.name = *names.at(symbol.name).as_symbol();
    SCOPED_TRACE(text_of(newer) + text_of(renamed));
    const ContractDifference same = diff(newer.contract(), renamed.contract());
    ASSERT_EQ(same.change, Change::equal) << to_text(same);
    const ContractDifference one = diff(older.contract(), newer.contract());
    const ContractDifference other = diff(older.contract(), renamed.contract());
    if (one.proved && other.proved) { ASSERT_EQ(words(changes(one)), words(changes(other))); }
  }
}

TEST(DiffLaws, AContractEqualsItself) {
  for (std::uint64_t seed = 1; seed <= tests::cases(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Contract contract = random_model(random, 1000).contract();
    const ContractDifference difference = diff(contract, contract);
    ASSERT_EQ(difference.change, Change::equal) << to_text(difference);
    ASSERT_TRUE(difference.proved) << to_text(difference);
  }
}

}  // namespace
}  // namespace tensorspec
