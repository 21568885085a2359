// SPDX-License-Identifier: Apache-2.0
//
// Laws of diff on random contracts: it agrees with the definition, applied to every call there is; the mirror image;
// names play no part; what is shown is so.
#include "tensorspec/diff.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "support/contracts.hpp"
#include "tensorspec/checker.hpp"
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
  static const std::vector<std::string> kForms = {"a",        "a",        "a",       "b",     "b",           "c",
                                                  "a+b",      "a+c",      "2*a",     "a+1",   "3",           "4",
                                                  "a*b",      "a-b",      "2*b+1",   "a/2",   "floor(a/2)",  "ceil(a/2)",
                                                  "2*a+b",    "a+b+c",    "a*b+c",   "3*c",   "floor((a+1)/3)",
                                                  "2*ceil(b/2)", "ceil(a/2)*ceil(b/2)"};
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

TEST(DiffLaws, AgreesWithTheDefinition) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model older = random_model(random, 5);
    Model newer = changed(random, older, 5);
    if (draw(random, 0, 3) == 0) {
      const std::size_t inputs = older.inputs.size(), outputs = older.outputs.size();
      newer = random_model(random, 5);
      newer.inputs.resize(inputs, Dim(3));
      newer.outputs.resize(outputs, Dim(3));
    }
    const ContractDifference got = diff(older.contract(), newer.contract());
    ASSERT_EQ(words(changes(got)), words(by_definition(older, newer)))
        << text_of(older) << text_of(newer) << to_text(got);
    ASSERT_TRUE(got.proved) << text_of(older) << text_of(newer);
    for (const Change change : changes(got)) ++seen[std::string(to_string(change))];
  }
  for (const Change change : {Change::equal, Change::wider, Change::narrower, Change::broken})
    EXPECT_GT(seen[std::string(to_string(change))], 300) << to_string(change);
}

}  // namespace
}  // namespace tensorspec
