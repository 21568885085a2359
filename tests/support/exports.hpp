// SPDX-License-Identifier: Apache-2.0
//
// Exports in tests: the contracts of tests/contracts/, a model that fits a contract, the text and notes of an export.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/places.hpp"
#include "tensorspec/export.hpp"
#include "wire/proto_builder.hpp"

namespace tensorspec::tests {

// "ocr" and its contract, by name.
inline std::vector<std::pair<std::string, Contract>> shipped_contracts() {
  std::vector<std::pair<std::string, Contract>> out;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/tests/contracts")) {
    const std::string file = entry.path().filename().string(), suffix = ".contract.json";
    if (!file.ends_with(suffix)) continue;
    auto contract = Contract::load(entry.path());
    EXPECT_TRUE(contract.ok()) << file << ": " << contract.error().message();
    if (contract.ok()) out.emplace_back(file.substr(0, file.size() - suffix.size()), *std::move(contract));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}
inline Contract shipped_contract(const std::string& name) {
  return Contract::load(source_folder() + "/tests/contracts/" + name + ".contract.json").value();
}

// An ONNX model with the inputs and outputs of the variant, every varying axis called "N", and an intermediate value
// that calls its axis "batch".
inline std::string model_of(const Variant& variant) {
  const auto value = [](const TensorContract& tensor) {
    std::string shape;
    for (const Dim& dim : tensor.shape)
      shape += bytes(1, dim.as_integer() ? varint(1, static_cast<std::uint64_t>(*dim.as_integer())) : bytes(2, "N"));
    const int type = tensor.dtypes.empty() ? 1 : tensor.dtypes[0].onnx_number();
    return bytes(1, tensor.name) + bytes(2, bytes(1, varint(1, static_cast<std::uint64_t>(type)) + bytes(2, shape)));
  };
  std::string graph = bytes(1, bytes(1, "a") + bytes(2, "b") + bytes(4, "Relu")) + bytes(2, "graph");
  for (const TensorContract& tensor : variant.inputs) graph += bytes(11, value(tensor));
  for (const TensorContract& tensor : variant.outputs) graph += bytes(12, value(tensor));
  graph += bytes(13, bytes(1, "b") + bytes(2, bytes(1, varint(1, 1) + bytes(2, bytes(1, bytes(2, "batch"))))));
  return varint(1, 8) + bytes(2, "tests") + bytes(7, graph) + bytes(8, varint(2, 21));
}

inline std::string text_of(const Exported& exported) {
  std::string out;
  const Status status = write_export(exported, [&](std::string_view bytes) {
    out += bytes;
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.error().message();
  return out;
}

// The text of an export, or "code where: detail".
inline std::string export_text(const Contract& contract, std::string_view exporter, const ExportOptions& options = {}) {
  const auto exported = export_contract(contract, exporter, options);
  if (exported.ok()) return text_of(*exported);
  return std::string(error_name(exported.error().code)) + " " + exported.error().where + ": " + exported.error().detail;
}

}  // namespace tensorspec::tests
