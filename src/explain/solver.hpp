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
  std::vector<Form> rivals;  // by length
};

class Solver {
 public:
  // strides: per class the claimed step when its sizes are multiples of it, else 1. batch: the class of the batch size
  // that was given or declared, or ClassTable::kNone. The table must outlive this.
  Solver(const ClassTable& table, std::vector<std::int64_t> strides, std::size_t batch);

  // nullopt: no form over these symbols is worth its length. basis: ascending in the order that breaks ties.
  std::optional<Explanation> explain(std::size_t target, std::span<const std::size_t> basis);

 private:
  struct Fitted {
    Form form;
    costs::Cost length;
    std::size_t symbols, unknowns, witnesses;
    costs::Cost gain;
  };
  struct Weighed {
    const Fitted* fitted;
    costs::Cost cost;
  };
  using Key = std::pair<std::vector<std::size_t>, Stage>;  // target, then symbols

  const std::vector<Fitted>& fits(std::size_t target, const std::vector<std::size_t>& symbols, Stage stage);
  std::vector<Fitted> fit(std::size_t target, const std::vector<std::size_t>& symbols, Stage stage) const;
  void weigh(std::size_t target, std::span<const std::size_t> basis, Stage stage, std::vector<Weighed>& out);
  bool accepted(const Weighed& weighed) const;
  bool multiple_of_batch(const Fitted& fitted) const;
  Explanation explanation(const Weighed& best, const std::vector<Weighed>& all) const;

  const ClassTable& table_;
  std::vector<std::int64_t> strides_;
  std::size_t batch_;
  std::map<Key, std::vector<Fitted>> cache_;
};

}  // namespace tensorspec
