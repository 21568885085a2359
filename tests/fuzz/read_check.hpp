// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every reader for every input. Shared by the fuzz target and the test that replays the corpus.
#pragma once

#include <string>
#include <string_view>

#include "tensorspec/read.hpp"

namespace tensorspec::tests {

// Checks what it is given instead of keeping it.
class CheckingSink final : public ReadSink {
 public:
  void tensor(TensorInfo tensor) override {
    // The names of two tensors may be equal only across calls; one tensor must be valid by itself.
    if (const Status status = validate(tensor); !status.ok()) fault_ = "invalid tensor: " + status.error().message();
  }
  void call(const Call& call, std::uint64_t /*line*/) override {
    if (const Status status = validate(call); !status.ok()) fault_ = "invalid call: " + status.error().message();
  }
  void declared(const Declared& found) override {
    const auto contract = contract_of(found);
    if (!contract.ok()) {
      if (contract.error().code != ErrorCode::contract_conflict) fault_ = "no contract: " + contract.error().message();
    } else if (const auto again = Contract::from_json(contract->contract.to_json()); !again.ok()) {
      fault_ = "a contract that cannot be read: " + again.error().message();
    }
  }
  bool bad(const Error& error) override {
    check(error);
    return true;
  }
  void check(const Error& error) {
    if (!error.where.starts_with("fuzz")) fault_ = "an error that does not begin with the file: " + error.message();
  }
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

// Reads the bytes as every format in turn and once by content, or as format `only` alone. Empty, or what is wrong.
inline std::string read_fault(std::string_view bytes, std::string_view only = {}) {
  std::string fault;
  const auto run = [&](std::string_view from) {
    CheckingSink sink;
    const auto format = read_bytes("fuzz", std::as_bytes(std::span(bytes)), sink, from);
    if (!format.ok()) sink.check(format.error());
    if (!format.ok() && format.error().code == ErrorCode::ambiguous_format) fault = format.error().message();
    if (!sink.fault().empty()) fault = std::string(from) + ": " + sink.fault();
  };
  if (!only.empty()) {
    run(only);
    return fault;
  }
  run({});
  for (const FormatInfo& format : formats()) run(format.id);
  return fault;
}

}  // namespace tensorspec::tests
