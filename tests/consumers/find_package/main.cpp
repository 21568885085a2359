// SPDX-License-Identifier: Apache-2.0
//
// A whole program with tensorspec: learns from calls of its own and from the files it is given, prints the contract and
// holds another call against it.
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tensorspec/checker.hpp"
#include "tensorspec/explain.hpp"
#include "tensorspec/ingest.hpp"
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

int main(int argc, char** argv) {
  tensorspec::Learner learner;
  bool all_good = true;
  const auto bad = [&](const tensorspec::Error& error) {
    std::cerr << error.message() << '\n';
    all_good = false;
    return true;  // go on with the rest
  };
  const auto learn = [&](const tensorspec::Call& call) {
    if (const auto status = learner.observe(call); !status.ok()) bad(status.error());
  };

  for (const auto& [batch, length] : {std::pair(1, 7), std::pair(2, 7)}) learn(call_of(batch, length));
  const std::vector<std::string> paths(argv + 1, argv + argc);
  tensorspec::IngestHandlers handlers;
  handlers.call = [&](const tensorspec::Call& call, std::string_view) { learn(call); };
  handlers.bad = bad;
  handlers.note = [](const std::string& note) { std::cerr << note << '\n'; };
  tensorspec::ingest(paths, {}, handlers);

  const auto contract = tensorspec::explain(learner.evidence());
  if (!contract.ok()) {
    bad(contract.error());
    return 2;
  }
  std::cout << tensorspec::to_table(*contract);

  tensorspec::Call wrong = call_of(2, 9);
  wrong.outputs[0].shape[1] = 8;
  for (const auto& violation : tensorspec::Checker(*contract).check(wrong).violations)
    std::cout << violation.message << '\n';
  return all_good ? 0 : 1;
}
