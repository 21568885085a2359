// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>
#include <string>

#include "tensorspec/tensor_spec.hpp"

namespace {

int failures = 0;

void expect(const std::string& got, const std::string& want) {
  if (got == want) return;
  std::printf("got  %s\nwant %s\n", got.c_str(), want.c_str());
  ++failures;
}

std::string repr(const at::Tensor& tensor) {
  const auto spec = tensorspec::TensorSpec::from_tensor(tensor, 1);
  return spec.ok() ? spec->repr(tensorspec::DTypeStyle::torch) : spec.error().message();
}

// Every c10::ScalarType has a dtype, and those that torch.dtype has too are spelled as Python spells them.
void every_scalar_type() {
  int named = 0;
  for (int i = 0; i < static_cast<int>(c10::ScalarType::NumOptions); ++i) {
    const auto dtype = tensorspec::DType::from_scalar_type(c10::toString(static_cast<c10::ScalarType>(i)));
    if (dtype.torch_name()) ++named;
    else if (static_cast<c10::ScalarType>(i) != c10::ScalarType::Undefined)
      expect(c10::toString(static_cast<c10::ScalarType>(i)), "a dtype");
  }
  std::printf("%d scalar types\n", named);
}

}  // namespace

int main() {
  static_assert(tensorspec::TensorLike<at::Tensor>);
  expect(repr(at::zeros({2, 3})), "shape=[2, 3] dtype=torch.float32");
  expect(repr(at::zeros({}, at::kLong)), "shape=[] dtype=torch.int64");
  expect(repr(at::empty({0, 4}, at::kBFloat16)), "shape=[0, 4] dtype=torch.bfloat16");
  expect(repr(at::empty({5}, at::kFloat8_e4m3fn)), "shape=[5] dtype=torch.float8_e4m3fn");
  expect(repr(at::empty({5}, at::kComplexHalf)), "shape=[5] dtype=torch.complex32");
  expect(repr(at::empty({1 << 30, 1 << 30}, at::device(at::kMeta).dtype(at::kHalf))),
         "shape=[1073741824, 1073741824] dtype=torch.float16");
  every_scalar_type();

  auto spec = *tensorspec::TensorSpec::from_tensor(at::zeros({1, 6}), 1);
  if (!spec.update_shapes_seen(*tensorspec::TensorSpec::from_tensor(at::zeros({4, 9}), 4)).ok()) ++failures;
  expect(spec.to_string(), "shape=[batch0, dim1]");

  // The same tensor by DLPack.
  DLManagedTensor* managed = at::toDLPack(at::zeros({7, 8}, at::kInt));
  expect(tensorspec::TensorSpec::from_tensor(managed->dl_tensor, 1)->repr(), "shape=[7, 8] dtype=int32");
  managed->deleter(managed);

  std::puts(failures == 0 ? "ok" : "failed");
  return failures == 0 ? 0 : 1;
}
