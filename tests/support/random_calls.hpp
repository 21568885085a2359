// SPDX-License-Identifier: Apache-2.0
//
// Random calls of a model with relations, for laws that must hold for any calls.
#pragma once

#include <cstdint>
#include <random>
#include <utility>

#include "tensorspec/call.hpp"

namespace tensorspec::tests {

using Random = std::mt19937_64;

inline std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// With batch sizes, outputs, tensors and acceptance missing at random; sizes up to 4 * most.
inline Call random_call(Random& random, std::int64_t most) {
  const std::int64_t batch = between(random, 1, 4), seq = between(random, 1, most), past = between(random, 0, most);
  Call call;
  if (random() % 3 != 0) call.batch_size = batch;
  const DType int64(DType::Kind::int64), float32(DType::Kind::float32), float16(DType::Kind::float16);
  call.inputs = {{"ids", int64, {batch, seq}}, {"mask", int64, {batch, past + seq}}};
  if (random() % 4 == 0) call.inputs.push_back({"cache[10].k", float32, {batch, 4, past}});
  if (random() % 4 == 0) std::swap(call.inputs[0], call.inputs[1]);
  if (random() % 2 == 0) call.outputs = {{"y", random() % 5 == 0 ? float16 : float32, {2 * batch, seq, 8 * past}}};
  call.ok = random() % 10 != 0;
  call.weight = static_cast<std::uint64_t>(between(random, 1, 3));
  return call;
}

}  // namespace tensorspec::tests
