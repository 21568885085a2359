// SPDX-License-Identifier: Apache-2.0
//
// Evidence: everything exactly known of the calls seen, in memory that depends on the model and not on how many calls
// there were. Merging is exact: the result is a function of the set of calls with their counts, down to the bytes of
// the saved file, whatever the order or grouping.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorspec/call.hpp"
#include "tensorspec/lattice.hpp"

namespace tensorspec {

// The 64-bit hash that chooses the sample: h = fmix64(n), then h = fmix64(h ^ x) for each of the n extents, where
// fmix64 is the finaliser of MurmurHash3 (public domain). Fixed for ever: samples of different machines must agree.
std::uint64_t sample_hash(std::span<const std::int64_t> extents) noexcept;

// The distinct vectors with the K smallest (hash, vector), each with its exact count: below K distinct vectors the
// exact multiset, above an unbiased sample of the distinct vectors. Rows lie in one array, so nothing is allocated but
// when that doubles, and a copy is a copy of bytes. All vectors have the same size, that of the first one. K is at most
// 2^24.
class BottomKSample {
 public:
  explicit BottomKSample(std::size_t capacity = 4096) : capacity_(capacity) {}

  struct Key {
    std::uint64_t hash;
    std::span<const std::int64_t> extents;
  };
  struct Entry {
    Key key;
    std::uint64_t count;
  };
  // Valid until the sample is changed again.
  struct Evicted {
    std::span<const std::int64_t> extents;
    std::uint64_t count;
  };

  // Counts the vector `count` times more. Returns what does not stay: the vector itself when it is beyond a full
  // sample, or the one that it drives out. O(vector + log K), and up to 12 K bytes are moved when it is new.
  // REQUIRES: count >= 1.
  std::optional<Evicted> add(std::span<const std::int64_t> extents, std::uint64_t count);
  // The same for a vector that the sample holds; true when it was found. false says nothing: only rows that
  // find_by() has in its table are found, which is nearly all. O(vector). Never allocates.
  bool add_known(std::span<const std::int64_t> extents, std::uint64_t count) noexcept;
  // Keeps a table for add_known(), by the extents in these columns; they should tell the vectors apart.
  void find_by(std::vector<std::uint32_t> columns);
  // All that `other` holds; what does not stay goes to `evict`. REQUIRES: the same capacity.
  void merge(const BottomKSample& other, const std::function<void(const Evicted&)>& evict);
  // Makes K smaller; what does not stay goes to `evict`. REQUIRES: capacity <= the present one.
  void shrink(std::size_t capacity, const std::function<void(const Evicted&)>& evict);

  std::size_t capacity() const noexcept { return capacity_; }
  // Bytes that a full sample of vectors of that size takes.
  std::uint64_t max_bytes(std::size_t columns) const noexcept;
  // More than `capacity` distinct vectors were seen.
  bool saturated() const noexcept { return saturated_; }
  void mark_saturated() noexcept { saturated_ = true; }

  // Ascending by hash, then vector: for (const auto& [key, count] : sample.entries()). Valid until the sample changes.
  class Entries {
   public:
    class Iterator {
     public:
      Iterator(const BottomKSample* sample, std::size_t at) : sample_(sample), at_(at) {}
      Entry operator*() const { return sample_->entry(at_); }
      Iterator& operator++() { return ++at_, *this; }
      friend bool operator==(const Iterator&, const Iterator&) = default;

     private:
      const BottomKSample* sample_;
      std::size_t at_;
    };
    explicit Entries(const BottomKSample& sample) : sample_(&sample) {}
    std::size_t size() const noexcept { return sample_->hashes_.size(); }
    bool empty() const noexcept { return size() == 0; }
    Entry operator[](std::size_t at) const { return sample_->entry(at); }
    Iterator begin() const { return {sample_, 0}; }
    Iterator end() const { return {sample_, size()}; }

   private:
    const BottomKSample* sample_;
  };
  Entries entries() const noexcept { return Entries(*this); }

  // By what was added; not by how it lies in memory.
  friend bool operator==(const BottomKSample& a, const BottomKSample& b) noexcept;

 private:
  std::size_t capacity_, columns_ = 0;
  bool saturated_ = false;
  std::vector<std::uint64_t> hashes_;  // ascending
  std::vector<std::uint32_t> places_;  // of the row with that hash
  std::vector<std::int64_t> rows_;     // by place
  std::vector<std::uint64_t> counts_;  // by place, they saturate; 0: no row
  std::uint32_t spare_ = 0;            // once full: the place without a row
  // The table of add_known(): where a row may lie. An entry may be out of date, so a row is compared before it counts.
  std::vector<std::uint32_t> find_by_;
  std::vector<std::uint64_t> table_;  // buckets of 8: the high half has bits of the hash, the low half the place + 1

  std::span<const std::int64_t> row(std::size_t place) const noexcept {
    return {rows_.data() + place * columns_, columns_};
  }
  Entry entry(std::size_t at) const noexcept { return {{hashes_[at], row(places_[at])}, counts_[places_[at]]}; }
  std::optional<Evicted> add(std::uint64_t hash, std::span<const std::int64_t> extents, std::uint64_t count);
  bool is_row(std::size_t place, std::span<const std::int64_t> extents) const noexcept;
  void make_room();
  std::uint64_t table_hash(std::span<const std::int64_t> extents) const noexcept;
  void enter(std::uint32_t place);
  void rebuild_table();
};

// Counts of sizes: exact up to 4,096 distinct sizes, then in log-linear bins at most 1/128 of their lower bound wide (a
// bin is named by its lower bound). A function of the multiset alone. Adding allocates only when the table doubles.
class SizeHistogram {
 public:
  // REQUIRES: size >= 0.
  void add(std::int64_t size, std::uint64_t count);
  void merge(const SizeHistogram& other);
  bool exact() const noexcept { return exact_; }
  // Ascending by size. O(n log n).
  std::vector<std::pair<std::int64_t, std::uint64_t>> counts() const;
  static std::int64_t bin(std::int64_t size) noexcept;
  // The largest size of the bin.
  static std::int64_t bin_end(std::int64_t size) noexcept;
  // Restores a saved histogram. REQUIRES: the lower bounds of bins when not exact.
  static SizeHistogram restore(bool exact, const std::map<std::int64_t, std::uint64_t>& counts);
  // It never takes more, in bytes.
  static constexpr std::uint64_t kMaxBytes = 16384 * 16;

  friend bool operator==(const SizeHistogram& a, const SizeHistogram& b) {
    return a.exact_ == b.exact_ && a.counts() == b.counts();
  }

 private:
  struct Slot {
    std::int64_t size = -1;  // -1: free
    std::uint64_t count = 0;
  };
  bool exact_ = true;
  std::size_t used_ = 0;
  std::vector<Slot> slots_;  // a hash table, at most half full

  void put(std::int64_t size, std::uint64_t count);
  void coarsen_if_many();
  void rebuild(std::size_t slots);
};

// What is known of the calls with the same columns. Columns are the extents of the axes of the inputs, then of the
// outputs, tensors in natural order of name, then the batch size if it was given.
class State {
 public:
  State(const Signature& signature, std::size_t sample_capacity);

  // One call more; true when the lattice grew. Allocates when that does and when a table doubles.
  // REQUIRES: row.size() == columns, extents of 0 to 2^62, tensors of the call in the order of the signature.
  bool add(std::span<const std::int64_t> row, std::uint64_t weight);
  // The same for a row that was seen; false, and nothing is changed, when it is not found at once. Never allocates.
  bool add_known(std::span<const std::int64_t> row, std::uint64_t weight) noexcept;
  // The same for a row that keeps every relation, seen or not; false, and nothing is changed, when it breaks one.
  // Allocates only when a table doubles. REQUIRES: row.size() == columns, any numbers.
  bool add_related(std::span<const std::int64_t> row, std::uint64_t weight);
  void add_dtypes(std::size_t tensor, const DType& dtype, std::uint64_t weight);
  // Where add_dtypes() counts, for who does it often; the place stays the same while the state lives.
  std::uint64_t& dtype_count(std::size_t tensor, const DType& dtype) { return dtypes_[tensor][dtype]; }
  void add_order(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
  // REQUIRES: the same signature and sample capacity.
  void merge(const State& other);
  // REQUIRES: sample_capacity <= the present one.
  void shrink_sample(std::size_t sample_capacity);
  // Bytes it takes at most while the lattice does not grow: a full sample and full histograms.
  std::uint64_t max_bytes() const noexcept;

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
  std::vector<std::size_t> first_of_;  // per class: its first column
  std::vector<SizeHistogram> tails_;
  std::vector<std::map<DType, std::uint64_t>> dtypes_;
  std::vector<std::string> input_order_, output_order_;

  static constexpr std::size_t kConstant = static_cast<std::size_t>(-1);
  void widen(std::span<const std::int64_t> low, std::span<const std::int64_t> high);
  void count(std::span<const std::int64_t> row, std::uint64_t weight);
  void split_classes();
  void find_rows_by_pivots();
  void add_tail(const BottomKSample::Evicted& evicted);
};

// Calls that the model refused, filed by their inputs. They never widen anything.
struct RejectedCalls {
  BottomKSample sample;
  std::uint64_t calls = 0, weight = 0;

  void add(std::span<const std::int64_t> row, std::uint64_t call_weight);
  // REQUIRES: the same sample capacity.
  void merge(const RejectedCalls& other);

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
  // The same in place; states stay where they are.
  Status merge(const Evidence& other);
  // Makes the sample smaller: exactly the evidence that would be here had it been that small from the start. Nothing
  // changes when it is not smaller than now. REQUIRES: sample_size >= 1.
  void shrink_sample(std::size_t sample_size);
  // Bytes that this evidence takes at most, however many calls of the signatures and relations seen follow: full
  // samples, full histograms, and the growth of one table. It never falls while calls are added. O(states).
  std::uint64_t max_bytes() const noexcept;

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
  friend class Learner;

  State& state_of(const Signature& signature) {
    return states_.try_emplace(signature, signature, sample_size_).first->second;
  }
  RejectedCalls& rejected_of(const Signature& inputs) {
    return rejected_.try_emplace(inputs, RejectedCalls{BottomKSample(sample_size_)}).first->second;
  }

  std::size_t sample_size_;
  std::map<Signature, State> states_;
  std::map<Signature, RejectedCalls> rejected_;
};

}  // namespace tensorspec
