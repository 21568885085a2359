// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/evidence.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/try.hpp"

namespace tensorspec {

State::State(const Signature& signature, std::size_t sample_capacity)
    : lattice_(signature.columns()),
      sample_(sample_capacity),
      class_of_(signature.columns(), kConstant),
      dtypes_(signature.inputs.size() + signature.outputs.size()) {}

bool State::add(std::span<const std::int64_t> row, std::uint64_t weight) {
  if (add_related(row, weight)) return false;
  lattice_.insert(row);
  split_classes();
  widen(row, row);
  count(row, weight);
  find_rows_by_pivots();
  return true;
}

bool State::add_related(std::span<const std::int64_t> row, std::uint64_t weight) {
  if (!lattice_.contains(row)) return false;
  // Columns of a class are equal here too, and constants are what they were: one column of each class tells the rest.
  bool outside = false;
  for (const std::size_t first : first_of_) {
    if (row[first] < 0 || row[first] > kMaxExtent) return false;
    outside = outside || row[first] < minimum_[first] || row[first] > maximum_[first];
  }
  if (outside) widen(row, row);
  count(row, weight);
  return true;
}

void State::count(std::span<const std::int64_t> row, std::uint64_t weight) {
  calls_ = saturating_add(calls_, 1);
  weight_ = saturating_add(weight_, weight);
  if (const auto evicted = sample_.add(row, weight)) add_tail(*evicted);
}

bool State::add_known(std::span<const std::int64_t> row, std::uint64_t weight) noexcept {
  if (!sample_.add_known(row, weight)) return false;
  calls_ = saturating_add(calls_, 1);
  weight_ = saturating_add(weight_, weight);
  return true;
}

void State::widen(std::span<const std::int64_t> low, std::span<const std::int64_t> high) {
  if (calls_ == 0) {
    minimum_.assign(low.begin(), low.end());
    maximum_.assign(high.begin(), high.end());
    return;
  }
  for (std::size_t i = 0; i < low.size(); ++i) minimum_[i] = std::min(minimum_[i], low[i]);
  for (std::size_t i = 0; i < high.size(); ++i) maximum_[i] = std::max(maximum_[i], high[i]);
}

// A row of the lattice is told by its extents at the pivots, so a few columns serve to find it.
void State::find_rows_by_pivots() {
  std::vector<std::uint32_t> pivots;
  for (std::size_t j = 0; j < lattice_.rank(); ++j) pivots.push_back(static_cast<std::uint32_t>(lattice_.pivot(j)));
  sample_.find_by(std::move(pivots));
}

void State::add_dtypes(std::size_t tensor, const DType& dtype, std::uint64_t weight) {
  std::uint64_t& count = dtypes_[tensor][dtype];
  count = saturating_add(count, weight);
}

void State::add_order(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const auto keep_smaller = [](std::vector<std::string>& known, const std::vector<std::string>& seen) {
    if (known.empty() || seen < known) known = seen;
  };
  keep_smaller(input_order_, inputs);
  keep_smaller(output_order_, outputs);
}

SizeHistogram State::tail(std::size_t column) const {
  SizeHistogram histogram;
  if (tail_weight_ == 0) return histogram;
  if (class_of_[column] != kConstant) return tails_[class_of_[column]];
  histogram.add(minimum_[column], tail_weight_);
  return histogram;
}

void State::add_tail(const BottomKSample::Evicted& evicted) {
  tail_weight_ = saturating_add(tail_weight_, evicted.count);
  for (std::size_t i = 0; i < tails_.size(); ++i) tails_[i].add(evicted.extents[first_of_[i]], evicted.count);
}

// The lattice grew: classes of equal columns may have come apart and constants begun to vary. A class that splits hands
// its histogram to each part, since the columns agreed until now. REQUIRES: the bounds are those from before.
void State::split_classes() {
  std::vector<std::size_t> classes(columns(), kConstant), firsts;
  std::vector<SizeHistogram> tails;
  for (std::size_t column = 0; column < columns(); ++column) {
    const auto progression = lattice_.column(column);
    if (progression && progression->modulus == 0) continue;
    // Columns that were once different never become equal, so only members of the same old class can still be.
    const auto same = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
      return class_of_[first] == class_of_[column] && lattice_.columns_equal(first, column);
    });
    classes[column] = static_cast<std::size_t>(same - firsts.begin());
    if (same != firsts.end()) continue;
    firsts.push_back(column);
    tails.push_back(tail(column));
  }
  class_of_ = std::move(classes);
  first_of_ = std::move(firsts);
  tails_ = std::move(tails);
}

void State::merge(const State& other) {
  if (other.calls_ == 0) return;
  AffineLattice joined = std::move(AffineLattice::merge(lattice_, other.lattice_)).value();
  const bool grew = joined != lattice_;
  lattice_ = std::move(joined);
  if (grew) split_classes();
  if (other.tail_weight_ > 0)
    for (std::size_t i = 0; i < tails_.size(); ++i) tails_[i].merge(other.tail(first_of_[i]));
  widen(other.minimum_, other.maximum_);
  calls_ = saturating_add(calls_, other.calls_);
  weight_ = saturating_add(weight_, other.weight_);
  tail_weight_ = saturating_add(tail_weight_, other.tail_weight_);
  if (grew) find_rows_by_pivots();
  sample_.merge(other.sample_, [this](const BottomKSample::Evicted& evicted) { add_tail(evicted); });
  for (std::size_t tensor = 0; tensor < dtypes_.size(); ++tensor)
    for (const auto& [dtype, count] : other.dtypes_[tensor]) add_dtypes(tensor, dtype, count);
  add_order(other.input_order_, other.output_order_);
}

void State::shrink_sample(std::size_t sample_capacity) {
  sample_.shrink(sample_capacity, [this](const BottomKSample::Evicted& evicted) { add_tail(evicted); });
}

std::uint64_t State::max_bytes() const noexcept {
  constexpr std::uint64_t kLatticeNumber = 32, kRowsBeside = 8;
  return sample_.max_bytes(columns()) + tails_.size() * SizeHistogram::kMaxBytes +
         (lattice_.rank() + kRowsBeside) * columns() * kLatticeNumber;
}

void RejectedCalls::add(std::span<const std::int64_t> row, std::uint64_t call_weight) {
  calls = saturating_add(calls, 1);
  weight = saturating_add(weight, call_weight);
  sample.add(row, call_weight);
}

void RejectedCalls::merge(const RejectedCalls& other) {
  calls = saturating_add(calls, other.calls);
  weight = saturating_add(weight, other.weight);
  sample.merge(other.sample, [](const BottomKSample::Evicted&) {});
}

namespace {

struct Ordered {
  std::vector<const TensorInfo*> tensors;  // in the order of the signature
  std::vector<std::string> names;          // in the order of the call
};

Ordered order(const std::vector<TensorInfo>& tensors) {
  Ordered out;
  for (const TensorInfo& tensor : tensors) {
    out.tensors.push_back(&tensor);
    out.names.push_back(tensor.name);
  }
  std::sort(out.tensors.begin(), out.tensors.end(), [](const TensorInfo* a, const TensorInfo* b) {
    return TensorSlot{a->name, a->shape.size()} < TensorSlot{b->name, b->shape.size()};
  });
  return out;
}

}  // namespace

Status Evidence::add(const Call& call) {
  TRY_VOID(validate(call));
  Signature signature = Signature::of(call);
  const Ordered inputs = order(call.inputs), outputs = order(call.outputs);
  Shape row;
  for (const TensorInfo* tensor : inputs.tensors) row.insert(row.end(), tensor->shape.begin(), tensor->shape.end());
  if (!call.ok) {
    signature.outputs.clear();
    if (call.batch_size) row.push_back(*call.batch_size);
    rejected_of(signature).add(row, call.weight);
    return {};
  }
  for (const TensorInfo* tensor : outputs.tensors) row.insert(row.end(), tensor->shape.begin(), tensor->shape.end());
  if (call.batch_size) row.push_back(*call.batch_size);
  State& state = state_of(signature);
  state.add(row, call.weight);
  std::size_t tensor = 0;
  for (const auto* group : {&inputs, &outputs})
    for (const TensorInfo* info : group->tensors) state.add_dtypes(tensor++, info->dtype, call.weight);
  state.add_order(inputs.names, outputs.names);
  return {};
}

Status Evidence::merge(const Evidence& other) {
  if (sample_size_ != other.sample_size_)
    return Error{ErrorCode::evidence_mismatch, "",
                 std::to_string(sample_size_) + " and " + std::to_string(other.sample_size_)};
  for (const auto& [signature, state] : other.states_) state_of(signature).merge(state);
  for (const auto& [signature, calls] : other.rejected_) rejected_of(signature).merge(calls);
  return {};
}

Result<Evidence> Evidence::merge(const Evidence& a, const Evidence& b) {
  Evidence out = a;
  TRY_VOID(out.merge(b));
  return out;
}

void Evidence::shrink_sample(std::size_t sample_size) {
  if (sample_size >= sample_size_) return;
  sample_size_ = sample_size;
  for (auto& [signature, state] : states_) state.shrink_sample(sample_size);
  for (auto& [signature, calls] : rejected_) calls.sample.shrink(sample_size, [](const BottomKSample::Evicted&) {});
}

std::uint64_t Evidence::max_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [signature, state] : states_) bytes += state.max_bytes();
  for (const auto& [signature, calls] : rejected_) bytes += calls.sample.max_bytes(signature.columns());
  return bytes;
}

std::uint64_t Evidence::calls() const noexcept {
  std::uint64_t count = 0;
  for (const auto& [signature, state] : states_) count = saturating_add(count, state.calls());
  for (const auto& [signature, rejected] : rejected_) count = saturating_add(count, rejected.calls);
  return count;
}

}  // namespace tensorspec
