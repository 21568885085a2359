// SPDX-License-Identifier: Apache-2.0
//
// JSON Schema (2020-12) of a request of the Open Inference Protocol v2: the tensors there must be, and per axis the
// least and largest size and its step. One of several sets of inputs, where calls have them.
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

Json axis_schema(const Dim& dim, const AxisSizes& sizes, const SizeBox& box) {
  if (sizes.fixed()) return Json().add("const", sizes.min);
  Json out = Json().add("type", "integer").add("minimum", sizes.min);
  if (sizes.max) out.add("maximum", *sizes.max);
  // A step with another residue than 0 has no word.
  const auto values = diffing::image(dim, box.domains);
  if (values && values->step > 1 && values->anchor % values->step == 0) out.add("multipleOf", values->step);
  return out;
}

Json tensor_schema(const TensorContract& tensor, const TensorSizes& sizes, const SizeBox& box) {
  Json::Array axes, datatypes;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    axes.push_back(axis_schema(tensor.shape[axis], sizes[axis], box));
  for (const DType& dtype : tensor.dtypes)
    if (const auto name = dtype.kserve_name()) datatypes.push_back(*name);
  Json shape = Json().add("type", "array");
  const auto rank = static_cast<std::uint64_t>(axes.size());
  if (!axes.empty()) shape.add("prefixItems", std::move(axes));
  shape.add("minItems", rank).add("maxItems", rank);
  Json properties = Json().add("name", Json().add("const", tensor.name));
  properties.add("shape", std::move(shape));
  if (datatypes.size() == tensor.dtypes.size() && !datatypes.empty())
    properties.add("datatype", Json().add("enum", std::move(datatypes)));
  return Json()
      .add("type", "object")
      .add("required", Json::Array{"name", "shape", "datatype"})
      .add("properties", std::move(properties));
}

Json inputs_schema(const ExportJob::Part& part) {
  Json::Array all;
  const std::vector<TensorContract>& inputs = part.variant->inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    all.push_back(Json()
                      .add("contains", tensor_schema(inputs[i], part.box().inputs[i], part.box()))
                      .add("minContains", 1)
                      .add("maxContains", 1));
  const auto count = static_cast<std::uint64_t>(inputs.size());
  Json out = Json().add("type", "array").add("minItems", count).add("maxItems", count);
  if (!all.empty()) out.add("allOf", std::move(all));
  return out;
}

Status write(ExportJob& job) {
  Json::Array variants;
  for (const ExportJob::Part& part : job.parts) {
    variants.push_back(inputs_schema(part));
    for (const Symbol& symbol : part.variant->symbols)
      if (symbol.multiple_of > 1 && symbol.residue != 0)
        job.note("not said, steps: " + symbol.name + " in steps of " + std::to_string(symbol.multiple_of) + " from " +
                 std::to_string(symbol.residue) + ", since multipleOf begins at 0");
    for (const TensorContract& tensor : part.variant->inputs)
      for (const DType& dtype : tensor.dtypes)
        if (!dtype.kserve_name())
          job.note("not said, dtypes: " + printable(tensor.name) + ", since the protocol has no word for " +
                   printable(dtype.name()));
  }
  Json out = Json()
                 .add("$schema", "https://json-schema.org/draft/2020-12/schema")
                 .add("title", "Request of the Open Inference Protocol v2 for " + job.options.name)
                 .add("type", "object")
                 .add("required", Json::Array{"inputs"});
  Json inputs = variants.size() == 1 ? variants[0] : Json().add("anyOf", std::move(variants));
  out.add("properties", Json().add("inputs", std::move(inputs)));
  job.print(out.dump(1) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::json_schema{
    .info = {.id = "json_schema",
             .engine = "JSON Schema 2020-12, for Open Inference Protocol v2",
             .file = "request.schema.json",
             .form = "schema of a request",
             .proof = "jsonschema accepts a request; refuses range, step, rank, dtype, a missing tensor",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::strides | Keeps::dtypes | Keeps::variants},
    .write = write,
};

}  // namespace tensorspec
