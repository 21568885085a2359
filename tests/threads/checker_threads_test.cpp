// SPDX-License-Identifier: Apache-2.0
//
// One Checker, eight threads. Run under the thread sanitizer, which sees what a lucky run hides.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/calls.hpp"
#include "tensorspec/checker.hpp"

namespace tensorspec {
namespace {

constexpr int kThreads = 8, kRounds = 50;

Contract contract_of(const std::string& variant) {
  auto contract =
      Contract::from_json(R"({"format": "tensorspec-contract", "version": 1, "variants": [)" + variant + "]}");
  EXPECT_TRUE(contract.ok());
  return std::move(contract).value();
}

std::string text_of(const Outcome& outcome) {
  return std::to_string(outcome.ok) + std::to_string(outcome.warned) + " " + std::string(to_string(outcome.code)) +
         " " + std::to_string(outcome.tensor) + " " + std::to_string(outcome.axis);
}
std::string text_of(const Verdict& verdict) {
  std::string out;
  for (const auto* list : {&verdict.violations, &verdict.warnings})
    for (const Violation& violation : *list) out += violation.message + "\n";
  return out;
}

// Every thread gives every answer that one thread alone gave.
void agree(const Checker& checker, const std::vector<Call>& calls) {
  std::vector<std::string> outcomes, verdicts;
  for (const Call& call : calls) {
    outcomes.push_back(text_of(checker.test(call, Policy::seen)));
    verdicts.push_back(text_of(checker.check(call, Policy::seen)));
  }
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const Checker copy = checker;
      for (int round = 0; round < kRounds; ++round)
        for (std::size_t i = 0; i < calls.size(); ++i) {
          const std::size_t at = (i + static_cast<std::size_t>(t)) % calls.size();
          const Checker& one = round % 2 == 0 ? checker : copy;
          if (text_of(one.test(calls[at], Policy::seen)) != outcomes[at]) ++different;
          if (text_of(one.check(calls[at], Policy::seen)) != verdicts[at]) ++different;
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

TEST(Threads, OneCheckerForAll) {
  const Contract contract = contract_of(R"({"batch_size": "b",
      "inputs": [{"name": "ids", "dtype": "int64", "shape": ["b", "s"]},
                 {"name": "mask", "dtype": "int64", "shape": ["b", "p+s"]}, {"name": "past", "shape": ["b", "p"]}],
      "symbols": [{"name": "b", "min": 1, "max": 4}, {"name": "p", "multiple_of": 4}]})");
  agree(Checker(contract),
        {tests::call("2 | ids~ 2,3; mask~ 2,7; past 2,4"), tests::call("- | past 2,4; ids~ 2,3; mask~ 2,7"),
         tests::call("2 | ids~ 2,3; mask~ 2,8; past 2,4"), tests::call("9 | ids~ 9,3; mask~ 9,6; past 9,3"),
         tests::call("- | ids 2,3"), tests::call("- | nothing 1")});
}

// Examinations of a contract that does not fit on the stack share memory.
TEST(Threads, OneLargeChecker) {
  std::string inputs;
  std::vector<Call> calls(3);
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    inputs += (i ? "," : "") + ("{\"name\": \"x" + n + "\", \"shape\": [\"s" + n + "\", \"2*s" + n + "\"]}");
    for (Call& call : calls) call.inputs.push_back({"x" + n, DType(DType::Kind::int8), {i, 2 * i}});
  }
  calls[1].inputs[7].shape[1] = 5;
  calls[2].inputs[299].shape[0] = 5;
  agree(Checker(contract_of("{\"inputs\": [" + inputs + "]}")), calls);
}

}  // namespace
}  // namespace tensorspec
