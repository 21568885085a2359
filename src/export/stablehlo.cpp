// SPDX-License-Identifier: Apache-2.0
//
// A function of StableHLO by its types alone: tensor<?x3x?xf32, #stablehlo.bounds<8, ?, 512>>, upper limits only.
#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> element_type(const DType& dtype) {
  switch (dtype.kind()) {
    case DType::Kind::boolean: return "i1";
    case DType::Kind::int2: return "i2";
    case DType::Kind::int4: return "i4";
    case DType::Kind::int8: return "i8";
    case DType::Kind::int16: return "i16";
    case DType::Kind::int32: return "i32";
    case DType::Kind::int64: return "i64";
    case DType::Kind::uint2: return "ui2";
    case DType::Kind::uint4: return "ui4";
    case DType::Kind::uint8: return "ui8";
    case DType::Kind::uint16: return "ui16";
    case DType::Kind::uint32: return "ui32";
    case DType::Kind::uint64: return "ui64";
    case DType::Kind::float16: return "f16";
    case DType::Kind::bfloat16: return "bf16";
    case DType::Kind::float32: return "f32";
    case DType::Kind::float64: return "f64";
    case DType::Kind::float8_e4m3fn: return "f8E4M3FN";
    case DType::Kind::float8_e5m2: return "f8E5M2";
    case DType::Kind::complex64: return "complex<f32>";
    case DType::Kind::complex128: return "complex<f64>";
    default: return std::nullopt;
  }
}

Result<std::vector<std::string>> types(const std::vector<TensorContract>& tensors,
                                       const std::vector<TensorSizes>& sizes, ExportJob& job) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].dtypes.empty() && !element_type(tensors[i].dtypes[0]))
      return Error{ErrorCode::export_refused, printable(tensors[i].name),
                   "StableHLO has no element type for " + printable(tensors[i].dtypes[0].name())};
    std::string shape;
    std::vector<std::string> bounds;
    bool bounded = false;
    for (const AxisSizes& axis : sizes[i]) {
      shape += (axis.fixed() ? std::to_string(axis.min) : "?") + "x";
      const bool limit = !axis.fixed() && axis.max;
      bounds.push_back(limit ? std::to_string(*axis.max) : "?");
      bounded = bounded || limit;
    }
    out.push_back("tensor<" + shape + dtype_in(tensors[i], element_type, job, "f32") +
                  (bounded ? ", #stablehlo.bounds<" + join(bounds, ", ") + ">>" : ">"));
  }
  return out;
}

Status write(ExportJob& job) {
  const Variant& variant = *job.part().variant;
  TRY(const auto inputs, types(variant.inputs, job.part().box().inputs, job));
  TRY(const auto outputs, types(variant.outputs, job.part().box().outputs, job));
  std::string text;
  const auto list_names = [&](const std::vector<TensorContract>& tensors, const std::string& word) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      text += "// " + word + " " + std::to_string(i) + ": " + printable(tensors[i].name) + "\n";
  };
  list_names(variant.inputs, "argument");
  list_names(variant.outputs, "result");
  text += "func.func private @main(" + join(inputs, ", ") + ")";
  if (outputs.size() == 1) text += " -> " + outputs[0];
  else if (!outputs.empty()) text += " -> (" + join(outputs, ", ") + ")";
  job.print(text + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::stablehlo{
    .info = {.id = "stablehlo",
             .engine = "StableHLO",
             .file = "types.mlir",
             .form = "MLIR: a function by its types",
             .proof = "jaxlib's MLIR parses and verifies it; cannot refuse a size",
             .keeps = Keeps::maximum | Keeps::dtypes | Keeps::outputs},
    .write = write,
};

}  // namespace tensorspec
