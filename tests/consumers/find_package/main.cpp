// SPDX-License-Identifier: Apache-2.0
//
// A whole program with tensorspec: learns from a few calls, prints the contract, holds another call against it.
#include <cstdint>
#include <iostream>
#include <utility>

#include "tensorspec/checker.hpp"
#include "tensorspec/explain.hpp"
#include "tensorspec/learner.hpp"
#include "tensorspec/report.hpp"

namespace {

tensorspec::Call call_of(std::int64_t batch, std::int64_t length) {
  tensorspec::Call call;
  call.batch_size = batch;
  call.inputs = {{"ids", tensorspec::DType::from_text("int64"), {batch, length}}};
  call.outputs = {{"logits", tensorspec::DType::from_text("float32"), {batch, length, 50}}};
  return call;
}

}  // namespace

int main() {
  tensorspec::Learner learner;
  for (const auto& [batch, length] : {std::pair(1, 7), std::pair(2, 7), std::pair(4, 12)})
    if (const auto status = learner.observe(call_of(batch, length)); !status.ok()) {
      std::cerr << status.error().message() << '\n';
      return 1;
    }
  const auto contract = tensorspec::explain(learner.evidence());
  if (!contract.ok()) {
    std::cerr << contract.error().message() << '\n';
    return 1;
  }
  std::cout << tensorspec::to_table(*contract);

  tensorspec::Call bad = call_of(2, 9);
  bad.outputs[0].shape[1] = 8;
  for (const auto& violation : tensorspec::Checker(*contract).check(bad).violations)
    std::cout << violation.message << '\n';
}
