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

void State::add(std::span<const std::int64_t> row, std::uint64_t weight) {
  if (calls_ == 0) {
    minimum_.assign(row.begin(), row.end());
    maximum_ = minimum_;
  } else {
    for (std::size_t i = 0; i < row.size(); ++i) {
      minimum_[i] = std::min(minimum_[i], row[i]);
      maximum_[i] = std::max(maximum_[i], row[i]);
    }
  }
  calls_ = saturating_add(calls_, 1);
  weight_ = saturating_add(weight_, weight);
  if (lattice_.insert(row)) split_classes();
  if (const auto evicted = sample_.add(row, weight)) add_tail(*evicted);
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
  std::size_t next = 0;
  for (std::size_t column = 0; column < class_of_.size(); ++column)
    if (class_of_[column] == next) tails_[next++].add(evicted.extents[column], evicted.count);
}

// The lattice grew: classes of equal columns may have come apart and constants begun to vary. A class that splits hands
// its histogram to each part, since the columns agreed until now.
void State::split_classes() {
  std::vector<std::size_t> classes(columns(), kConstant);
  std::vector<SizeHistogram> tails;
  std::vector<std::size_t> firsts;
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
    SizeHistogram histogram;
    if (tail_weight_ > 0) {
      if (class_of_[column] != kConstant) histogram = tails_[class_of_[column]];
      else histogram.add(sample_.entries().begin()->first.extents[column], tail_weight_);
    }
    tails.push_back(std::move(histogram));
  }
  class_of_ = std::move(classes);
  tails_ = std::move(tails);
}

void State::merge(const State& other) {
  if (other.calls_ == 0) return;
  // Sizes of what left either sample, per column, before the classes change.
  std::vector<SizeHistogram> left(columns());
  const bool any_tail = tail_weight_ > 0 || other.tail_weight_ > 0;
  if (calls_ == 0) {
    minimum_ = other.minimum_;
    maximum_ = other.maximum_;
  } else {
    if (any_tail)
      for (std::size_t i = 0; i < columns(); ++i) left[i] = tail(i);
    for (std::size_t i = 0; i < columns(); ++i) {
      minimum_[i] = std::min(minimum_[i], other.minimum_[i]);
      maximum_[i] = std::max(maximum_[i], other.maximum_[i]);
    }
  }
  lattice_ = std::move(AffineLattice::merge(lattice_, other.lattice_)).value();
  split_classes();
  calls_ = saturating_add(calls_, other.calls_);
  weight_ = saturating_add(weight_, other.weight_);
  tail_weight_ = saturating_add(tail_weight_, other.tail_weight_);
  if (any_tail) {
    std::size_t next = 0;
    for (std::size_t column = 0; column < columns(); ++column) {
      if (class_of_[column] != next) continue;
      left[column].merge(other.tail(column));
      tails_[next++] = std::move(left[column]);
    }
  }
  if (other.sample_.saturated()) sample_.mark_saturated();
  for (const auto& [key, count] : other.sample_.entries())
    if (const auto evicted = sample_.add(key.extents, count)) add_tail(*evicted);
  for (std::size_t tensor = 0; tensor < dtypes_.size(); ++tensor)
    for (const auto& [dtype, count] : other.dtypes_[tensor]) add_dtypes(tensor, dtype, count);
  add_order(other.input_order_, other.output_order_);
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
    RejectedCalls& rejected =
        rejected_.try_emplace(signature, RejectedCalls{BottomKSample(sample_size_)}).first->second;
    rejected.calls = saturating_add(rejected.calls, 1);
    rejected.weight = saturating_add(rejected.weight, call.weight);
    rejected.sample.add(row, call.weight);
    return {};
  }
  for (const TensorInfo* tensor : outputs.tensors) row.insert(row.end(), tensor->shape.begin(), tensor->shape.end());
  if (call.batch_size) row.push_back(*call.batch_size);
  State& state = states_.try_emplace(signature, signature, sample_size_).first->second;
  state.add(row, call.weight);
  std::size_t tensor = 0;
  for (const auto* group : {&inputs, &outputs})
    for (const TensorInfo* info : group->tensors) state.add_dtypes(tensor++, info->dtype, call.weight);
  state.add_order(inputs.names, outputs.names);
  return {};
}

Result<Evidence> Evidence::merge(const Evidence& a, const Evidence& b) {
  if (a.sample_size_ != b.sample_size_)
    return Error{ErrorCode::evidence_mismatch, "",
                 std::to_string(a.sample_size_) + " and " + std::to_string(b.sample_size_)};
  Evidence out = a;
  for (const auto& [signature, state] : b.states_)
    out.states_.try_emplace(signature, signature, a.sample_size_).first->second.merge(state);
  for (const auto& [signature, theirs] : b.rejected_) {
    RejectedCalls& ours =
        out.rejected_.try_emplace(signature, RejectedCalls{BottomKSample(a.sample_size_)}).first->second;
    ours.calls = saturating_add(ours.calls, theirs.calls);
    ours.weight = saturating_add(ours.weight, theirs.weight);
    if (theirs.sample.saturated()) ours.sample.mark_saturated();
    for (const auto& [key, count] : theirs.sample.entries()) ours.sample.add(key.extents, count);
  }
  return out;
}

std::uint64_t Evidence::calls() const noexcept {
  std::uint64_t count = 0;
  for (const auto& [signature, state] : states_) count = saturating_add(count, state.calls());
  for (const auto& [signature, rejected] : rejected_) count = saturating_add(count, rejected.calls);
  return count;
}

}  // namespace tensorspec
