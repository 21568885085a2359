// SPDX-License-Identifier: Apache-2.0
//
// Checks of a conforming call of 3 tensors. The floor is the straight-line code that a person would write for this one
// contract, given the tensors where they belong; the other paths do the same for any contract.
#include <random>

#include "measure.hpp"
#include "tensorspec/checker.hpp"

namespace {

using tensorspec::Call;
using tensorspec::CallView;
using tensorspec::Checker;
using tensorspec::Contract;
using tensorspec::DType;
using tensorspec::Policy;
using tensorspec::TensorView;
using tensorspec::bench::Bench;
using Kind = DType::Kind;

constexpr char kContract[] = R"({"format": "tensorspec-contract", "version": 1, "variants": [{"batch_size": "batch",
  "inputs": [{"name": "input_ids", "dtype": "int64", "shape": ["batch", "seq"]},
             {"name": "attention_mask", "dtype": "int64", "shape": ["batch", "past+seq"]},
             {"name": "past_key_values", "dtype": ["float16", "float32"], "shape": ["batch", 12, "past", 64]}],
  "symbols": [{"name": "batch", "min": 1, "max": 64}, {"name": "seq", "min": 1, "max": 512},
              {"name": "past", "min": 0, "max": 2048, "multiple_of": 8}]}]})";

struct Sizes {
  std::int64_t batch, seq, past;
};

// The tensors of one call, with sizes in memory of their own.
struct Request {
  Call call;
  std::vector<TensorView> slots;

  explicit Request(Sizes s) {
    call.batch_size = s.batch;
    call.inputs = {{"input_ids", DType(Kind::int64), {s.batch, s.seq}},
                   {"attention_mask", DType(Kind::int64), {s.batch, s.past + s.seq}},
                   {"past_key_values", DType(Kind::float32), {s.batch, 12, s.past, 64}}};
    view();
  }
  Request(const Request& other) : call(other.call) { view(); }
  void view() { slots.assign(call.inputs.begin(), call.inputs.end()); }
  CallView in_slots() const { return {.inputs = slots, .batch_size = call.batch_size}; }
};

// By hand.
bool conforms(const CallView& call) {
  const TensorView &ids = call.inputs[0], &mask = call.inputs[1], &past = call.inputs[2];
  if (ids.rank != 2 || mask.rank != 2 || past.rank != 4) return false;
  if (ids.dtype != Kind::int64 || mask.dtype != Kind::int64) return false;
  if (past.dtype != Kind::float16 && past.dtype != Kind::float32) return false;
  const std::int64_t batch = ids.extents[0], seq = ids.extents[1], length = past.extents[2];
  return mask.extents[0] == batch && past.extents[0] == batch && past.extents[1] == 12 && past.extents[3] == 64 &&
         mask.extents[1] == length + seq && length % 8 == 0 && batch >= 1 && batch <= 64 && seq >= 1 && seq <= 512 &&
         length >= 0 && length <= 2048 && (!call.batch_size || *call.batch_size == batch);
}

}  // namespace

int main(int argc, char** argv) {
  Bench bench(argc, argv);
  const auto contract = Contract::from_json(kContract);
  if (!contract.ok()) return 1;
  const Checker checker(*contract);
  std::mt19937_64 random(1);
  const auto uniform = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::size_t count = 256;
  std::vector<Request> good, reordered, bad;
  for (std::size_t i = 0; i < count; ++i) {
    good.emplace_back(Sizes{uniform(1, 64), uniform(1, 512), 8 * uniform(0, 256)});
    reordered.push_back(good.back());
    std::swap(reordered.back().call.inputs[0], reordered.back().call.inputs[2]);
    bad.push_back(good.back());
    auto& tensor = bad.back().call.inputs[static_cast<std::size_t>(uniform(0, 2))];
    tensor.shape[static_cast<std::size_t>(uniform(0, static_cast<std::int64_t>(tensor.shape.size()) - 1))] += 3;
    bad.back().view();
  }
  const auto contenders = [&](const std::vector<Request>& requests) {
    return std::vector<Bench::Contender>{
        Bench::contender("by hand", count, [&](std::size_t i) { return conforms(requests[i].in_slots()); }),
        Bench::contender("test(variant, CallView)", count,
                         [&](std::size_t i) { return checker.test(0, requests[i].in_slots()).ok; }),
        Bench::contender("test(Call)", count, [&](std::size_t i) { return checker.test(requests[i].call).ok; }),
        Bench::contender("check(Call)", count, [&](std::size_t i) { return checker.check(requests[i].call).ok; }),
        Bench::contender("explain(Call)", count, [&](std::size_t i) { return checker.explain(requests[i].call).ok; })};
  };
  bench.group("3 tensors that conform", count, contenders(good));
  bench.group("3 tensors, one axis wrong", count, contenders(bad));
  bench.group("3 tensors in another order than the contract", count,
              {Bench::contender("test(Call), the order of the contract", count,
                                [&](std::size_t i) { return checker.test(good[i].call).ok; }),
               Bench::contender("test(Call), another order", count,
                                [&](std::size_t i) { return checker.test(reordered[i].call).ok; })});
  return bench.finish();
}
