// SPDX-License-Identifier: Apache-2.0
//
// Calls in short: call("2 | x 2,3,48,320 | y 2,40,6625") is batch size 2, an input and an output. "-" stands for no
// batch size; tensors are separated by ";"; a scalar is "sr" alone; "~" behind the name gives int64 instead of float32.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tensorspec/evidence.hpp"

namespace tensorspec::tests {

inline std::vector<TensorInfo> tensors(const std::string& text) {
  std::vector<TensorInfo> out;
  std::stringstream list(text);
  for (std::string item; std::getline(list, item, ';');) {
    std::stringstream words(item);
    TensorInfo tensor;
    std::string sizes;
    if (!(words >> tensor.name)) continue;
    words >> sizes;
    const bool whole = tensor.name.back() == '~';
    if (whole) tensor.name.pop_back();
    tensor.dtype = DType(whole ? DType::Kind::int64 : DType::Kind::float32);
    std::stringstream extents(sizes);
    for (std::string size; std::getline(extents, size, ',');) tensor.shape.push_back(std::stoll(size));
    out.push_back(std::move(tensor));
  }
  return out;
}

inline Call call(const std::string& text) {
  Call out;
  std::stringstream parts(text);
  std::string batch, inputs, outputs;
  std::getline(parts, batch, '|');
  std::getline(parts, inputs, '|');
  std::getline(parts, outputs, '|');
  if (batch.find('-') == std::string::npos) out.batch_size = std::stoll(batch);
  out.inputs = tensors(inputs);
  out.outputs = tensors(outputs);
  return out;
}

// Of calls separated by " / "; one that begins with "!" was refused.
inline Evidence evidence(const std::string& text) {
  Evidence out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(" / ", begin), text.size());
    const std::size_t refused = text[begin] == '!' ? 1 : 0;
    Call next = call(text.substr(begin + refused, end - begin - refused));
    next.ok = refused == 0;
    EXPECT_TRUE(out.add(next).ok());
    begin = end + 3;
  }
  return out;
}

}  // namespace tensorspec::tests
