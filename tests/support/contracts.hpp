// SPDX-License-Identifier: Apache-2.0
//
// Contracts in short: contract("ids~ b,s; mask~ b,p+s | logits b,s,100; extra? b | b 1..4; p ..64%8+4; batch=b") has
// two inputs and two outputs. "~" behind a name is int64 instead of float32, "?" is optional, "*" is any dtype. Symbols
// have a range with one end or two, and a step ("%8" or "%8+4"). "&" stands between variants.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tensorspec/contract.hpp"

namespace tensorspec::tests {

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);) out.push_back(part);
  return out;
}

inline std::vector<TensorContract> tensor_contracts(const std::string& text) {
  std::vector<TensorContract> out;
  for (const std::string& item : split(text, ';')) {
    std::stringstream words(item);
    TensorContract tensor;
    std::string dims;
    if (!(words >> tensor.name)) continue;
    words >> dims;
    tensor.dtypes = {DType(DType::Kind::float32)};
    for (; std::string("~?*").find(tensor.name.back()) != std::string::npos; tensor.name.pop_back()) {
      if (tensor.name.back() == '~') tensor.dtypes = {DType(DType::Kind::int64)};
      if (tensor.name.back() == '*') tensor.dtypes.clear();
      if (tensor.name.back() == '?') tensor.optional = true;
    }
    for (const std::string& dim : split(dims, ',')) tensor.shape.push_back(Dim::parse(dim).value());
    out.push_back(std::move(tensor));
  }
  return out;
}

// "w 320..1603%8+3"
inline Symbol symbol_of(const std::string& text) {
  Symbol symbol;
  std::stringstream words(text);
  std::string range;
  words >> symbol.name >> range;
  if (const auto step = range.find('%'); step != std::string::npos) {
    std::stringstream numbers(range.substr(step + 1));
    char plus = 0;
    numbers >> symbol.multiple_of >> plus >> symbol.residue;
    range.resize(step);
  }
  const auto dots = range.find("..");
  if (dots != 0 && !range.empty()) symbol.min = std::stoll(range.substr(0, dots));
  if (dots != std::string::npos && dots + 2 < range.size()) symbol.max = std::stoll(range.substr(dots + 2));
  return symbol;
}

inline Contract contract(const std::string& text) {
  Contract::Data data;
  for (const std::string& part : split(text, '&')) {
    std::vector<std::string> lists = split(part, '|');
    lists.resize(3);
    Variant variant;
    variant.inputs = tensor_contracts(lists[0]);
    variant.outputs = tensor_contracts(lists[1]);
    for (const std::string& item : split(lists[2], ';')) {
      if (const auto equal = item.find('='); equal != std::string::npos)
        variant.batch_size = Dim::parse(item.substr(equal + 1)).value();
      else if (item.find_first_not_of(' ') != std::string::npos) variant.symbols.push_back(symbol_of(item));
    }
    data.variants.push_back(std::move(variant));
  }
  auto made = Contract::make(std::move(data));
  EXPECT_TRUE(made.ok()) << text << ": " << made.error().message();
  return std::move(made).value();
}

}  // namespace tensorspec::tests
