// SPDX-License-Identifier: Apache-2.0
//
// Learner: takes calls, keeps evidence. explain() turns the evidence into a contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/evidence.hpp"

namespace tensorspec {

// Mutable and mergeable. The evidence is at every moment that of all calls taken, exactly: what is fast here is finding
// what a call repeats, so that names are compared instead of sorted, and a row seen is counted instead of learned.
//
// Cost of a call of n extents that is like one of the last calls in tensors, ranks and dtypes: O(n) and no allocation
// when its sizes were seen before; O(n * rank of the lattice) and no allocation, but when a table doubles, when they
// are new and keep every relation. A call that breaks a relation, or has other tensors, costs microseconds.
//
// Not synchronised: one thread at a time, evidence() included, for it brings counts home; and what it returns is
// changed by the next observe(). Give each thread a Learner of its own and merge them; that is exact.
class Learner {
 public:
  explicit Learner(std::size_t sample_size = Evidence::kDefaultSampleSize);
  // Goes on from what was learned before.
  explicit Learner(Evidence evidence);
  // A copy knows the same Columns.
  Learner(const Learner& other);
  Learner& operator=(const Learner& other);
  Learner(Learner&&) noexcept;
  Learner& operator=(Learner&&) noexcept;
  ~Learner();

  // Errors: those of validate(Call), and nothing is learned from such a call; memory_limit.
  Status observe(const Call& call);

  // What the numbers of a row mean, told once, for callers that hold sizes and no Call: a binding, a server that knows
  // its model. Belongs to the learner that gave it (and its copies), for as long as that lives.
  class Columns {
   public:
    std::size_t size() const noexcept { return size_; }  // numbers in a row

   private:
    friend class Learner;
    std::size_t layout_ = static_cast<std::size_t>(-1), size_ = 0;
  };
  // Rows of calls like this one: the same tensors in the same order with the same ranks and dtypes, accepted or not,
  // with a batch size or without. A row holds the extents of the inputs, axis by axis, then of the outputs, then the
  // batch size. The call itself is not learned, its sizes do not matter. Errors: those of validate(Call).
  Result<Columns> columns_of(const Call& like);
  // observe() for such a row. Errors: as there; invalid_argument when the row has another size than the columns.
  // O(columns); nothing is compared but sizes.
  Status observe(Columns columns, std::span<const std::int64_t> row, std::uint64_t weight = 1);

  // Errors: evidence_mismatch, and nothing is changed; memory_limit.
  Status merge(const Learner& other);

  // Keeps Evidence::max_bytes() at or below `bytes` from now on: the sample size is halved until it is, down to
  // kMinSampleSize. Which size comes out depends on the calls alone, not on their order. Errors: memory_limit, here or
  // from observe() and merge(), when even the smallest sample takes more; the evidence is then whole, but larger.
  Status limit_memory(std::uint64_t bytes);
  static constexpr std::size_t kMinSampleSize = 64;

  // O(tensors).
  const Evidence& evidence() const noexcept;

 private:
  struct Layout;

  Layout* find(const Call& call);
  Layout& add(const Call& call);
  Status learn(Layout& layout, const std::int64_t* row, std::uint64_t weight);
  Status keep_limit();

  Evidence evidence_;
  std::uint64_t max_bytes_ = std::numeric_limits<std::uint64_t>::max();
  mutable std::vector<Layout> layouts_;  // they hold counts that evidence() brings home
  std::size_t last_ = 0;                 // the layout of the last call
  std::vector<std::int64_t> row_;        // of the call at hand, columns in the order of the signature
};

}  // namespace tensorspec
