// SPDX-License-Identifier: Apache-2.0
//
// The signature of an MLflow model (ModelSignature.to_dict): JSON texts inside JSON. -1 is a varying axis.
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> type_name(const DType& dtype) {
  if (dtype.kind() == DType::Kind::string) return "str";
  return numpy_name(dtype);
}

Json schema(const std::vector<TensorContract>& tensors, ExportJob& job) {
  if (tensors.empty()) return {};
  Json::Array out;
  for (const TensorContract& tensor : tensors) {
    Json::Array shape;
    for (const Dim& dim : tensor.shape) shape.push_back(dim.as_integer().value_or(-1));
    Json spec = Json().add("dtype", dtype_in(tensor, type_name, job, "float32")).add("shape", std::move(shape));
    Json entry = Json().add("name", tensor.name).add("type", "tensor").add("tensor-spec", std::move(spec));
    if (tensor.optional) job.note("optional output " + printable(tensor.name) + " is always expected");
    out.push_back(std::move(entry));
  }
  return Json(std::move(out)).dump();
}

Status write(ExportJob& job) {
  const Variant& variant = *job.part().variant;
  Json out = Json().add("inputs", schema(variant.inputs, job)).add("outputs", schema(variant.outputs, job));
  job.print(out.add("params", Json()).dump(1) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::mlflow{
    .info = {.id = "mlflow",
             .engine = "MLflow 3",
             .file = "mlflow_signature.json",
             .form = "model signature",
             .proof = "mlflow-skinny enforces it; refuses rank, fixed sizes, dtypes and missing inputs",
             .keeps = Keeps::dtypes | Keeps::outputs},
    .write = write,
};

}  // namespace tensorspec
