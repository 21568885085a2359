// SPDX-License-Identifier: Apache-2.0
//
// Solver: the best form of a class over given symbols, and whether the evidence is worth it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "explain/fit.hpp"

namespace tensorspec {

// A form over classes (its symbols are indices of classes) that is believed, or weakly so.
struct Explanation {
  Form form;
  costs::Cost cost = 0;    // with the choice of symbols
  costs::Cost margin = 0;  // gain less cost
  std::size_t witnesses = 0;
  bool weak = false;
  Stage stage = Stage::sum;
  std::vector<Form> rivals;  // by length
};

// Sizes first, first + step, first + 2*step ...
struct Step {
  std::int64_t step = 1, first = 0;
};

class Solver {
 public:
  // strides: per class the claimed step when its sizes are multiples of it, else 1. batch: the class of the batch size
  // that was given or declared, or ClassTable::kNone. The table must outlive this.
  Solver(const ClassTable& table, std::vector<std::int64_t> strides, std::size_t batch);

  // nullopt: no form over these symbols is worth its length. basis: ascending in the order that breaks ties. Without
  // rivals.
  std::optional<Explanation> explain(std::size_t target, std::span<const std::size_t> basis);

  // The live rivals of an explanation over that basis; with more of them than a claim can hold it becomes weak.
  void add_rivals(std::size_t target, std::span<const std::size_t> basis, Explanation& explanation);

 private:
  struct Fitted {
    Form form;
    costs::Cost length;
    std::size_t symbols, unknowns, witnesses;
    costs::Cost gain;
    bool can_fail;  // sizes enough were seen to refute each of its roundings
  };
  struct Weighed {
    const Fitted* fitted;
    costs::Cost cost;
    Stage stage;
  };
  using Steps = std::vector<Step>;                         // per class
  using Key = std::pair<std::vector<std::size_t>, Stage>;  // target, then symbols

  const std::vector<Fitted>& fits(std::size_t target, const std::vector<std::size_t>& symbols, Stage stage);
  std::vector<Fitted> fit(std::size_t target, const std::vector<std::size_t>& symbols, Stage stage) const;
  std::vector<Fitted> worth_weighing(std::size_t target, const std::vector<std::size_t>& symbols, const Points& points,
                                     std::vector<Form> forms) const;
  std::vector<Fitted> other_offsets(std::size_t target, Form form) const;
  void weigh(std::size_t target, std::span<const std::size_t> basis, Stage stage, std::vector<Weighed>& out);
  static void sort(std::vector<Weighed>& all);
  bool accepted(const Weighed& weighed, costs::Cost margin) const;
  bool multiple_of_batch(const Fitted& fitted) const;
  bool uses_output(const Form& form) const;
  Explanation explanation(const Weighed& best, Stage stage) const;
  std::pair<Steps, Steps> steps() const;  // claimed, and seen
  // True iff the two are equal, and whole, wherever every symbol keeps its step; false when that is too long to try.
  static bool same_on(const Steps& steps, const Form& a, const Form& b);

  const ClassTable& table_;
  std::vector<std::int64_t> strides_;
  std::size_t batch_;
  std::map<Key, std::vector<Fitted>> cache_;
};

}  // namespace tensorspec
