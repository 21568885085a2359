// SPDX-License-Identifier: Apache-2.0
//
// Checker: holds a call against a contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {

// relations: missing and unexpected tensors, rank, dtype, static sizes, relations between axes, claimed strides.
// range: those, and the observed or declared ranges.
enum class Policy : std::uint8_t { relations, range };

// One way in which a call does not conform.
struct Violation {
  // Published words; see docs/errors.md.
  enum class Code : std::uint8_t {
    missing_tensor,
    unexpected_tensor,
    rank,
    dtype,
    static_size,
    relation,
    range,
    stride,
    unknown_variant,
    batch,
  };
  Code code = Code::relation;
  std::string tensor;               // empty when it is about the call as a whole
  std::optional<std::size_t> axis;  // nullopt when it is about the tensor as a whole
  std::string expected;             // "past+seq = 12", "48", "float32"
  std::string actual;               // "13", "float64"
  bool actual_is_number = false;
  std::string message;  // one line: "mask axis 1: 13, expected 12 = past+seq (past = 8 from ..., seq = 4 from ...)"
};
std::string_view to_string(Violation::Code code) noexcept;

struct Verdict {
  bool ok = true;
  std::optional<std::size_t> variant;  // index in the contract; the nearest one when none has exactly these inputs
  std::vector<Violation> violations, warnings;
};

// Immutable; safe to share between threads. Holds no reference to the contract it was made from.
class Checker {
 public:
  explicit Checker(const Contract& contract);

  // The variant is chosen by the inputs. A call without outputs is checked on its inputs. A tensor of unknown dtype is
  // not held against the dtypes. O(axes of the variant).
  Verdict check(const Call& call, Policy policy = Policy::range) const;

 private:
  std::vector<Variant> variants_;
};

}  // namespace tensorspec
