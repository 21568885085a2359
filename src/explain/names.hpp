// SPDX-License-Identifier: Apache-2.0
//
// Names of symbols over all variants: the same axis has the same name wherever it varies.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tensorspec/explain.hpp"

namespace tensorspec {

using AxisKey = std::tuple<bool, std::string, std::size_t>;  // output?, tensor, axis

class Names {
 public:
  explicit Names(const Declarations& declarations) : declarations_(declarations) {}

  // The name of the symbol on these axes: that of an earlier variant, one kept from an earlier contract, or the next of
  // s0, s1.
  std::string name_of(const std::vector<AxisKey>& axes, const std::set<std::string>& taken);
  // What the person wants it to be called.
  std::string shown(const std::string& learned);
  // A learned name for which another is wanted and that no symbol had; nullptr: none.
  const std::string* unused() const;

 private:
  std::string remember(const std::vector<AxisKey>& axes, const std::string& name);

  const Declarations& declarations_;
  std::map<AxisKey, std::string> by_axis_;
  std::set<std::string> learned_;
  std::size_t next_ = 0;
};

}  // namespace tensorspec
