// SPDX-License-Identifier: Apache-2.0
//
// Python source with the tf.TensorSpec of every input, for tf.function(input_signature=..). None is a varying axis.
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> type_name(const DType& dtype) {
  if (dtype.kind() == DType::Kind::string || dtype.kind() == DType::Kind::bfloat16)
    return "tf." + std::string(dtype.name());
  const auto name = numpy_name(dtype);
  return name ? std::optional("tf." + *name) : std::nullopt;
}

Status write(ExportJob& job) {
  const Variant& variant = *job.part().variant;
  Names names([](std::string_view) { return false; });
  std::string specs;
  for (const TensorContract& tensor : variant.inputs) {
    const std::string name = names.take(tensor.name);
    if (name != tensor.name) job.note("renamed: input " + printable(tensor.name) + " is " + name);
    std::vector<std::string> dims;
    for (const Dim& dim : tensor.shape) dims.push_back(dim.as_integer() ? std::to_string(*dim.as_integer()) : "None");
    specs += "    tf.TensorSpec(shape=[" + join(dims, ", ") +
             "], dtype=" + dtype_in(tensor, type_name, job, "tf.float32") + ", name=" + text_literal(name) + "),\n";
  }
  job.print("# tf.function(f, input_signature=input_signature)\nimport tensorflow as tf\n\ninput_signature = [\n" +
            specs + "]\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::tf{
    .info = {.id = "tf",
             .engine = "TensorFlow 2",
             .file = "tf_signature.py",
             .form = "Python source: input_signature",
             .proof = "format only: TensorFlow is too large to install for it",
             .keeps = Keeps::dtypes},
    .write = write,
};

}  // namespace tensorspec
