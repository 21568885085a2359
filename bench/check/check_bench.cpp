// SPDX-License-Identifier: Apache-2.0
//
// Checks of a conforming call of 3 tensors. The floor is the straight-line code that a person would write for this one
// contract, given the tensors where they belong; the other paths do the same for any contract.
#include <benchmark/benchmark.h>

#include <random>

#include "tensorspec/checker.hpp"
#include "timing.hpp"

namespace {

using tensorspec::Call;
using tensorspec::CallView;
using tensorspec::Checker;
using tensorspec::Contract;
using tensorspec::DType;
using tensorspec::TensorView;
using tensorspec::bench::time_operation;
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

// As many requests as fit into the first cache, where those of a server have just been written.
constexpr std::size_t kCalls = 64, kBatch = 256;

std::int64_t uniform(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

struct Inputs {
  Checker checker{Contract::from_json(kContract).value()};
  std::vector<Request> good, reordered, bad;

  Inputs() {
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kCalls; ++i) {
      good.emplace_back(Sizes{uniform(random, 1, 64), uniform(random, 1, 512), 8 * uniform(random, 0, 256)});
      reordered.push_back(good.back());
      std::swap(reordered.back().call.inputs[0], reordered.back().call.inputs[2]);
      bad.push_back(good.back());
      auto& tensor = bad.back().call.inputs[i % 3];
      tensor.shape[i % tensor.shape.size()] += 3;
      bad.back().view();
    }
  }
  // Every way says what the one by hand says; else nothing is timed.
  bool agree() const {
    for (const auto* requests : {&good, &bad})
      for (const Request& request : *requests) {
        const bool wanted = conforms(request.in_slots());
        if (checker.test(0, request.in_slots()).ok != wanted || checker.test(request.call).ok != wanted ||
            checker.check(request.call).ok != wanted || checker.explain(request.call).ok != wanted)
          return false;
      }
    for (const Request& request : reordered)
      if (!checker.test(request.call)) return false;
    return true;
  }
};

// Times `check` on requests one after another.
template <class Check>
void time_check(benchmark::State& state, const std::string& name, const std::vector<Request> Inputs::*list,
                const std::vector<std::string>& others, Check check) {
  const Inputs inputs;
  if (!inputs.agree()) return state.SkipWithError("another answer");
  const std::vector<Request>& requests = inputs.*list;
  std::size_t next = 0;
  time_operation(state, name, kBatch, others, [&] {
    benchmark::DoNotOptimize(check(inputs.checker, requests[next]));
    next = (next + 1) % kCalls;
  });
}

void ByHand(benchmark::State& state) {
  time_check(state, "hand", &Inputs::good, {}, [](const Checker&, const Request& r) { return conforms(r.in_slots()); });
}
BENCHMARK(ByHand);

void TestSlots(benchmark::State& state) {
  time_check(state, "slots", &Inputs::good, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.test(0, r.in_slots()).ok; });
}
BENCHMARK(TestSlots);

void TestCall(benchmark::State& state) {
  time_check(state, "call", &Inputs::good, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.test(r.call).ok; });
}
BENCHMARK(TestCall);

void TestCallInAnotherOrder(benchmark::State& state) {
  time_check(state, "reordered", &Inputs::reordered, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.test(r.call).ok; });
}
BENCHMARK(TestCallInAnotherOrder);

void CheckCall(benchmark::State& state) {
  time_check(state, "check", &Inputs::good, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.check(r.call).ok; });
}
BENCHMARK(CheckCall);

void ExplainCall(benchmark::State& state) {
  time_check(state, "explain", &Inputs::good, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.explain(r.call).ok; });
}
BENCHMARK(ExplainCall);

void TestWrongCall(benchmark::State& state) {
  time_check(state, "wrong", &Inputs::bad, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.test(r.call).ok; });
}
BENCHMARK(TestWrongCall);

void ExplainWrongCall(benchmark::State& state) {
  time_check(state, "explain_wrong", &Inputs::bad, {"hand"},
             [](const Checker& checker, const Request& r) { return checker.explain(r.call).ok; });
}
BENCHMARK(ExplainWrongCall);

}  // namespace
