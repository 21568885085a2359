// SPDX-License-Identifier: Apache-2.0
//
// Checker: holds calls against a contract.
//
//   const Checker checker(contract);  // once
//   if (!checker.test(call))          // tens of nanoseconds, no allocation
//     log(checker.explain(call).violations[0].message);
//
// Whoever has tensors and no Call resolves the names once and fills slots then:
//
//   const auto bound = checker.bind(std::vector<std::string_view>{"mask", "ids"});  // once
//   TensorView slots[2];
//   slots[bound->inputs[0]] = {mask_sizes, DType::Kind::int64};
//   slots[bound->inputs[1]] = {ids_sizes, DType::Kind::int64};
//   const Outcome outcome = checker.test(bound->variant, {.inputs = slots});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {

// relations: missing and unexpected tensors, rank, dtype, static sizes, relations between axes, claimed strides.
// range: those, and the observed or declared ranges.
// seen: those, and the shapes of the call must be those of a recorded call: the same sizes of all inputs, and of the
// outputs and the batch size as far as both calls have them. What the contract cannot know warns: it keeps no evidence,
// or only a sample of the many shapes seen.
enum class Policy : std::uint8_t { relations, range, seen };

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

// A verdict without its sentences: 16 bytes, trivially copyable.
struct Outcome {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint8_t kNoAxis = UINT8_MAX;

  bool ok = true;
  bool warned = false;  // the verdict has warnings
  // The first violation, or, of a call that conforms, the first warning; of no meaning when there is neither.
  Violation::Code code = Violation::Code::relation;
  bool output = false;            // the tensor is an output
  std::uint8_t axis = kNoAxis;    // kNoAxis: the tensor as a whole
  std::uint32_t tensor = kNone;   // index in the variant's inputs or outputs; of an unexpected tensor: in those given.
                                  // kNone: the call as a whole
  std::uint32_t variant = kNone;  // as in Verdict

  explicit operator bool() const noexcept { return ok; }
};

// One tensor of a call, owned by the caller. Without arguments: no tensor.
struct TensorView {
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  const std::int64_t* extents = nullptr;
  std::uint32_t rank = kAbsent;
  DType::Kind dtype = DType::Kind::other;
  std::string_view spelling;  // of a dtype without a kind; empty: the dtype is not known, which fits any

  TensorView() = default;
  TensorView(std::span<const std::int64_t> shape, DType::Kind kind, std::string_view other = {}) noexcept
      : extents(shape.data()), rank(static_cast<std::uint32_t>(shape.size())), dtype(kind), spelling(other) {}
  // Valid as long as the tensor is.
  TensorView(const TensorInfo& tensor) noexcept  // NOLINT: implicit by design
      : TensorView(tensor.shape, tensor.dtype.kind()) {
    if (dtype == DType::Kind::other) spelling = tensor.dtype.name();
  }
  bool present() const noexcept { return rank != kAbsent; }
};

// A call whose names were resolved before: one slot a tensor name of the variant, in the contract's order; see bind().
struct CallView {
  std::span<const TensorView> inputs, outputs = {};  // no outputs: they are not checked
  std::optional<std::int64_t> batch_size = std::nullopt;
};

// Where a caller's tensors belong: the slot of each name, in the order the names were given.
struct BoundNames {
  std::size_t variant = 0;
  std::vector<std::size_t> inputs, outputs;
};

namespace flat {
class FlatContract;
}

// A contract compiled for checks. Immutable, cheap to copy, holds no reference to the contract it was made from; every
// member may be called from any number of threads.
//
// The variant of a call is the one that has exactly its inputs, by name and rank, else the nearest. A call without
// outputs is checked on its inputs. A dtype that is not known is not held against the dtypes.
//
// test() and check() give the same answer; what is not certain is never guessed. A call that conforms costs a few
// comparisons an axis; one that does not is examined with care, O(axes x times a symbol is used) at worst. Up to 256
// tensors and 256 symbols a variant test() works on the stack (12 KB); in a larger contract such examinations take
// turns.
class Checker {
 public:
  // O(contract + sample of its evidence), of which it keeps a copy; `strictest` below Policy::seen leaves the sample
  // out, and Policy::seen can then only warn.
  explicit Checker(const Contract& contract, Policy strictest = Policy::seen);

  // Never allocates.
  Outcome test(const Call& call, Policy policy = Policy::range) const noexcept;
  // The same for the tensors in the slots of a variant; slots beyond the given ones are absent. Another variant with
  // these names is chosen when its ranks fit and those of `variant` do not. REQUIRES: variant < the contract's, and not
  // more slots than it has.
  Outcome test(std::size_t variant, const CallView& call, Policy policy = Policy::range) const noexcept;

  // The whole answer. Allocates nothing for a call that conforms without warnings.
  Verdict check(const Call& call, Policy policy = Policy::range) const;
  // The same by the slow path alone: every violation and warning with its sentence. A few microseconds.
  Verdict explain(const Call& call, Policy policy = Policy::range) const;
  Verdict explain(std::size_t variant, const CallView& call, Policy policy = Policy::range) const;

  // The variant with exactly these inputs, in any order, and the slots of all names; nullopt when there is none, or a
  // name stands twice, or an output is not the variant's. Of several that differ in ranks the first: test() finds the
  // other.
  std::optional<BoundNames> bind(std::span<const std::string_view> inputs,
                                 std::span<const std::string_view> outputs = {}) const;
  // The names of the slots. REQUIRES: variant < the contract's. An output seen with several ranks has one slot.
  std::span<const std::string_view> input_slots(std::size_t variant) const noexcept;
  std::span<const std::string_view> output_slots(std::size_t variant) const noexcept;

 private:
  std::shared_ptr<const flat::FlatContract> contract_;
};

}  // namespace tensorspec
