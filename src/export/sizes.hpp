// SPDX-License-Identifier: Apache-2.0
//
// From symbols to the min, opt and max of every axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/parameters.hpp"
#include "tensorspec/contract.hpp"
#include "tensorspec/profile.hpp"

namespace tensorspec {

// min <= opt <= max. Of an expression these are limits that hold for every size of its symbols; they may be wide.
struct AxisSizes {
  std::int64_t min = 0, opt = 0;
  std::optional<std::int64_t> max;  // nullopt: no limit
  bool fixed() const noexcept { return max == min; }
};
using TensorSizes = std::vector<AxisSizes>;

struct SizeBox {
  diffing::Domains domains;  // of the symbols; a high of kNoLimit is none
  diffing::Sizes opt;        // of the symbols: together a call that the contract takes
  bool guessed = false;      // opt is neither a call that was made nor sizes that someone called typical
  std::vector<TensorSizes> inputs, outputs;  // as in the variant
};

// The box of each profile; of no profile one, the ranges of the contract. A symbol that a profile leaves out has its
// range. Errors: export_no_sizes, profile_mismatch.
Result<std::vector<SizeBox>> boxes_of(const Contract& contract, const Variant& variant,
                                      const std::vector<Profile>& profiles);

// Every input axis has a max in every box. Errors: export_unlimited, naming the symbols.
Status need_limits(const Variant& variant, const std::vector<SizeBox>& boxes);

// min, opt and max of an input as engines with optimisation profiles take them.
struct ProfileShapes {
  std::string name;
  Shape min, opt, max;
};
// Per box, all inputs with axes; none at all when no axis of any input varies, since a static model takes no profile.
// Errors: export_unlimited.
Result<std::vector<std::vector<ProfileShapes>>> profile_shapes(const Variant& variant,
                                                               const std::vector<SizeBox>& boxes);
// "2x3x48"
std::string joined_by_x(const Shape& shape);

}  // namespace tensorspec
