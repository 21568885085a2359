// SPDX-License-Identifier: Apache-2.0
//
// Metadata of a model in the Open Inference Protocol v2 (KServe): what GET v2/models/NAME answers. -1 is a varying
// axis.
#include "base/json.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

Json tensors_json(const std::vector<TensorContract>& tensors, ExportJob& job) {
  Json::Array out;
  for (const TensorContract& tensor : tensors) {
    const auto word = [](const DType& dtype) -> std::optional<std::string> {
      const auto name = dtype.kserve_name();
      return name ? std::optional<std::string>(*name) : std::nullopt;
    };
    Json::Array shape;
    for (const Dim& dim : tensor.shape) shape.push_back(dim.as_integer().value_or(-1));
    out.push_back(Json()
                      .add("name", tensor.name)
                      .add("datatype", dtype_in(tensor, word, job, "FP32"))
                      .add("shape", std::move(shape)));
  }
  return out;
}

Status write(ExportJob& job) {
  const Variant& variant = *job.part().variant;
  Json out = Json().add("name", job.options.name).add("versions", Json::Array{"1"}).add("platform", "");
  out.add("inputs", tensors_json(variant.inputs, job)).add("outputs", tensors_json(variant.outputs, job));
  job.print(out.dump(1) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::kserve{
    .info = {.id = "kserve",
             .engine = "Open Inference Protocol v2",
             .file = "kserve_metadata.json",
             .form = "model metadata",
             .proof = "tritonclient reads it as ModelMetadataResponse; cannot refuse a size",
             .keeps = Keeps::dtypes | Keeps::outputs},
    .write = write,
};

}  // namespace tensorspec
