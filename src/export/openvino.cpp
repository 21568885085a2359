// SPDX-License-Identifier: Apache-2.0
//
// Python source with the PartialShape of every input, for Model.reshape, and the --input of ovc as a comment.
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::string bounds_text(const AxisSizes& sizes) {
  if (sizes.fixed()) return std::to_string(sizes.min);
  if (!sizes.max) return sizes.min == 0 ? "?" : std::to_string(sizes.min) + "..";
  return std::to_string(sizes.min) + ".." + std::to_string(*sizes.max);
}

Status write(ExportJob& job) {
  const ExportJob::Part& part = job.part();
  std::string shapes;
  std::vector<std::string> words;
  bool plain = true;
  for (std::size_t i = 0; i < part.variant->inputs.size(); ++i) {
    std::vector<std::string> dims;
    for (const AxisSizes& sizes : part.box().inputs[i]) dims.push_back(bounds_text(sizes));
    const std::string& name = part.variant->inputs[i].name;
    const std::string shape = "[" + join(dims, ",") + "]";
    shapes += "    " + text_literal(name) + ": " + text_literal(shape) + ",\n";
    words.push_back(name + shape);
    plain = plain && name.find_first_of("[](){}:,'\"\\ ") == std::string::npos && name == printable(name);
  }
  std::string text = "# model = reshape(openvino.Core().read_model(\"model.onnx\"))\n";
  if (plain) text += "# ovc model.onnx --input '" + join(words, ",") + "'\n";
  else job.note("the --input of ovc cannot carry these names: only the Python source is there");
  job.print(text + "shapes = {\n" + shapes +
            "}\n\n\ndef reshape(model):\n    import openvino\n\n"
            "    model.reshape({name: openvino.PartialShape(shape) for name, shape in shapes.items()})\n"
            "    return model\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::openvino{
    .info = {.id = "openvino",
             .engine = "OpenVINO 2026",
             .file = "openvino_shapes.py",
             .form = "Python source: reshape",
             .proof = "OpenVINO reshapes and runs; refuses sizes outside a range",
             .keeps = Keeps::minimum | Keeps::maximum},
    .write = write,
};

}  // namespace tensorspec
