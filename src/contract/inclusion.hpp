// SPDX-License-Identifier: Apache-2.0
//
// Whether one variant's sizes are all sizes of another, axis by axis. A variant's sizes are a parametrised set: the
// vectors of its dims for all values of its symbols. Names of symbols play no part.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/bounds.hpp"
#include "contract/isolate.hpp"
#include "contract/parameters.hpp"

namespace tensorspec::diffing {

// What is compared: an axis that both variants have, or the batch size given with a call.
struct Column {
  // A call has inputs; with a batch size; with outputs.
  enum class Stage : std::uint8_t { input, batch, output };
  Stage stage = Stage::input;
  std::int64_t least = 0;  // the smallest size there is
  // Columns with different numbers here are in no call together, unless one has 0: an output seen with several ranks.
  std::size_t apart = 0;
};

// One variant, by columns.
struct Side {
  std::vector<Dim> dims;             // per column
  Domains domains;                   // of every symbol
  std::vector<std::string> symbols;  // in order of appearance
  std::vector<Dim> inputs, outputs;  // dims of the whole variant: those must be sizes in a call, each once
};

// Is there a call of one side that the other side refuses at a column?
struct Loss {
  Answer answer = Answer::unknown;
  Sizes sizes;                      // when yes: the symbols of such a call
  std::vector<std::size_t> beside;  // and the columns that bind the one in question
};

// Refers to what it is made from.
class Inclusion {
 public:
  Inclusion(const std::vector<Column>& columns, const Side& from, const Side& to, Effort& effort);

  // Makes a column one of those given: from now on only calls count whose sizes there both sides can have.
  void give(std::size_t column);
  bool anything_given() const noexcept { return !given_.columns.empty(); }

  // Is there a call of `from` with a size at this column that `to` can never have there (alone), or cannot have beside
  // the sizes of the given columns? unknown: not found out, or the effort is spent.
  Loss lost(std::size_t column, bool alone) const;

  // A call of `from` that `to` can have at the given columns, to vary in the search.
  const Sizes& start() const noexcept { return start_; }
  void start_from(const Sizes& sizes);
  // Whether `to` can have the sizes of a call in the given columns and this one; `theirs` gets the symbols of `to`.
  Answer accepts(const Sizes& sizes, std::size_t column, Sizes& theirs) const;
  // A call that it can have there; nullopt: none was found.
  std::optional<Sizes> common(std::size_t column) const;

 private:
  using Columns = std::vector<std::size_t>;
  using Test = std::function<bool(const Sizes&)>;
  struct Given {
    Columns columns;
    Map forced;                                 // symbols of `to` that the columns determine
    std::map<std::string, std::size_t> source;  // the column that does
    Map merged;                                 // symbols of `from` that are then functions of others
    Columns pending;                            // columns that may have more to tell
  };
  // A column, the symbols in it that the given columns leave open, and the given columns that have such symbols too.
  struct Group {
    Columns columns;
    std::vector<std::string> open;
  };

  // Consequences of what is given.
  void conclude(Given& given) const;
  bool force(Given& given, std::size_t column, bool guess) const;
  bool merge(Given& given, std::size_t column) const;
  bool settled(const Given& given, std::size_t column) const;
  Domains restricted(const Given& given) const;
  Group group_of(std::size_t column, const Given& given) const;
  Columns binding(std::size_t column, const Given& given) const;
  std::optional<Dim> ours(std::size_t column, const Given& given) const;

  // Proofs that nothing is lost.
  bool proved(std::size_t column, const Given& given) const;
  bool solve(const Group& group, const Given& given, Map& known) const;
  std::optional<Dim> guess(const std::string& symbol, const Group& group, const Given& given, const Map& known) const;
  bool in_domain(const std::string& symbol, const Dim& value, const Group& group, const Given& given,
                 const Domains& domains) const;
  bool proved_by_image(std::size_t column, const Given& given, const Domains& domains) const;

  // Searches for a call.
  Loss ask(std::size_t column, const Given& given) const;
  Column::Stage stage(std::size_t column) const { return (*columns_)[column].stage; }
  bool is_call(const Sizes& sizes, Column::Stage stage) const;
  Answer accepts(const Sizes& sizes, const Columns& columns, Sizes& theirs) const;
  bool is_lost(const Sizes& sizes, std::size_t column, const Given& given, const Columns& binding) const;
  std::vector<std::string> relevant(const Columns& columns, const Given& given) const;
  std::vector<std::int64_t> trials(const std::string& symbol, const Columns& columns, const Given& given) const;
  std::optional<Sizes> completed(Sizes sizes, const Given& given) const;
  std::optional<Sizes> search_all(const Columns& columns, const Given& given, const Test& test) const;
  std::optional<Sizes> vary(const std::vector<std::string>& names, const Columns& columns, const Given& given,
                            const Test& test) const;
  std::optional<bool> each(const std::vector<std::string>& names, const Given& given, const Test& test) const;
  bool none_lost(const std::vector<std::string>& names, std::size_t column, const Given& given, const Columns& beside,
                 bool calls) const;

  const std::vector<Column>* columns_;
  const Side* from_;
  const Side* to_;
  Effort* effort_;
  Given given_, none_;
  Map guesses_;  // symbols of `to` as all columns together have it, to be proved
  Sizes start_;
};

}  // namespace tensorspec::diffing
