// SPDX-License-Identifier: Apache-2.0
//
// Evidence: everything exactly known of the calls seen, in memory that depends on the model and not on how many calls
// there were. Merging is exact: the result is a function of the set of calls with their counts, down to the bytes of
// the saved file, whatever the order or grouping.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/lattice.hpp"

namespace tensorspec {

// The 64-bit hash that chooses the sample: h = fmix64(n), then h = fmix64(h ^ x) for each of the n extents, where
// fmix64 is the finaliser of MurmurHash3 (public domain). Fixed for ever: samples of different machines must agree.
std::uint64_t sample_hash(std::span<const std::int64_t> extents) noexcept;

// The distinct vectors with the K smallest (hash, vector), each with its exact count: below K distinct vectors the
// exact multiset, above an unbiased sample of the distinct vectors.
class BottomKSample {
 public:
  explicit BottomKSample(std::size_t capacity = 4096) : capacity_(capacity) {}

  struct Key {
    std::uint64_t hash;
    Shape extents;
    auto operator<=>(const Key&) const = default;
  };
  struct Evicted {
    Shape extents;
    std::uint64_t count;
  };

  // Counts the vector `count` times more. Returns what does not stay: the vector itself when it is beyond a full
  // sample, or the one that it drives out. O(log K).
  std::optional<Evicted> add(std::span<const std::int64_t> extents, std::uint64_t count);

  std::size_t capacity() const noexcept { return capacity_; }
  // More than `capacity` distinct vectors were seen.
  bool saturated() const noexcept { return saturated_; }
  void mark_saturated() noexcept { saturated_ = true; }
  const std::map<Key, std::uint64_t>& entries() const noexcept { return entries_; }

  friend bool operator==(const BottomKSample&, const BottomKSample&) = default;

 private:
  std::size_t capacity_;
  bool saturated_ = false;
  std::map<Key, std::uint64_t> entries_;  // to counts, which saturate
};

// Counts of sizes: exact up to 4,096 distinct sizes, then in log-linear bins at most 1/128 of their lower bound wide (a
// bin is named by its lower bound). A function of the multiset alone.
class SizeHistogram {
 public:
  void add(std::int64_t size, std::uint64_t count);
  void merge(const SizeHistogram& other);
  bool exact() const noexcept { return exact_; }
  const std::map<std::int64_t, std::uint64_t>& counts() const noexcept { return counts_; }
  static std::int64_t bin(std::int64_t size) noexcept;
  // Restores a saved histogram. REQUIRES: the lower bounds of bins when not exact.
  static SizeHistogram restore(bool exact, std::map<std::int64_t, std::uint64_t> counts);

  friend bool operator==(const SizeHistogram&, const SizeHistogram&) = default;

 private:
  bool exact_ = true;
  std::map<std::int64_t, std::uint64_t> counts_;

  void coarsen_if_many();
};

// What is known of the calls with the same columns. Columns are the extents of the axes of the inputs, then of the
// outputs, tensors in natural order of name, then the batch size if it was given.
class State {
 public:
  State(const Signature& signature, std::size_t sample_capacity);

  // REQUIRES: row.size() == columns; tensors of the call in the order of the signature.
  void add(std::span<const std::int64_t> row, std::uint64_t weight);
  void add_dtypes(std::size_t tensor, const DType& dtype, std::uint64_t weight);
  void add_order(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
  // REQUIRES: the same signature and sample capacity.
  void merge(const State& other);

  std::size_t columns() const noexcept { return lattice_.dimension(); }
  const AffineLattice& lattice() const noexcept { return lattice_; }
  const Shape& minimum() const noexcept { return minimum_; }
  const Shape& maximum() const noexcept { return maximum_; }
  std::uint64_t calls() const noexcept { return calls_; }
  std::uint64_t weight() const noexcept { return weight_; }
  const BottomKSample& sample() const noexcept { return sample_; }
  // Sizes of a column in the calls that left the sample; empty while nothing left it.
  SizeHistogram tail(std::size_t column) const;
  // Per tensor (inputs, then outputs, in the order of the signature): the dtypes seen and how often.
  const std::vector<std::map<DType, std::uint64_t>>& dtypes() const noexcept { return dtypes_; }
  // The lexicographically smallest order of names seen.
  const std::vector<std::string>& input_order() const noexcept { return input_order_; }
  const std::vector<std::string>& output_order() const noexcept { return output_order_; }

  friend bool operator==(const State&, const State&) = default;

 private:
  friend struct EvidenceJson;

  AffineLattice lattice_;
  Shape minimum_, maximum_;
  std::uint64_t calls_ = 0, weight_ = 0;
  BottomKSample sample_;
  // Histograms of what left the sample: one per class of columns that were never different and not constant, in order
  // of the class's first column.
  std::uint64_t tail_weight_ = 0;
  std::vector<std::size_t> class_of_;  // per column: index into tails_, or kConstant
  std::vector<SizeHistogram> tails_;
  std::vector<std::map<DType, std::uint64_t>> dtypes_;
  std::vector<std::string> input_order_, output_order_;

  static constexpr std::size_t kConstant = static_cast<std::size_t>(-1);
  void split_classes();
  void add_tail(const BottomKSample::Evicted& evicted);
};

// Calls that the model refused, filed by their inputs. They never widen anything.
struct RejectedCalls {
  BottomKSample sample;
  std::uint64_t calls = 0, weight = 0;

  friend bool operator==(const RejectedCalls&, const RejectedCalls&) = default;
};

// A value; not synchronised: one writer, or any number of readers.
class Evidence {
 public:
  static constexpr std::size_t kDefaultSampleSize = 4096;
  explicit Evidence(std::size_t sample_size = kDefaultSampleSize) : sample_size_(sample_size) {}

  // Errors: those of validate(Call), and nothing is changed then.
  Status add(const Call& call);
  // Errors: evidence_mismatch when the sample sizes differ. A commutative monoid with the empty evidence of that sample
  // size as identity.
  static Result<Evidence> merge(const Evidence& a, const Evidence& b);

  std::size_t sample_size() const noexcept { return sample_size_; }
  const std::map<Signature, State>& states() const noexcept { return states_; }
  // Keys have the inputs alone and whether the batch size was given.
  const std::map<Signature, RejectedCalls>& rejected() const noexcept { return rejected_; }
  bool empty() const noexcept { return states_.empty() && rejected_.empty(); }
  std::uint64_t calls() const noexcept;

  // Compact JSON, version 1, the same bytes for equal evidence; the schema is docs/contract.schema.json.
  std::string to_json() const;
  // Errors: evidence_format, json_*.
  static Result<Evidence> from_json(std::string_view text);

  friend bool operator==(const Evidence&, const Evidence&) = default;

 private:
  friend struct EvidenceJson;

  std::size_t sample_size_;
  std::map<Signature, State> states_;
  std::map<Signature, RejectedCalls> rejected_;
};

}  // namespace tensorspec
