// SPDX-License-Identifier: Apache-2.0
//
// Python source with the inputs of coremltools.convert. One box of sizes is a RangeDim for each axis; several are
// EnumeratedShapes of their largest sizes, of which Core ML takes 128 and one input that has them. Multi-arrays are
// float16, float32 or int32, and have an axis at least.
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxShapes = 128;

std::optional<std::string> type_name(const DType& dtype) {
  switch (dtype.kind()) {
    case DType::Kind::float16: return "np.float16";
    case DType::Kind::float32: return "np.float32";
    case DType::Kind::int32: return "np.int32";
    default: return std::nullopt;
  }
}

std::string narrowed(const TensorContract& tensor, ExportJob& job) {
  if (tensor.dtypes.size() == 1 && !type_name(tensor.dtypes[0])) {
    const DType::Kind kind = tensor.dtypes[0].kind();
    const bool whole = kind == DType::Kind::boolean || (kind >= DType::Kind::int1 && kind <= DType::Kind::uint64);
    const std::string word = whole ? "np.int32" : "np.float32";
    job.note("dtype " + printable(tensor.dtypes[0].name()) + " of " + printable(tensor.name) + " becomes " + word);
    return word;
  }
  return dtype_in(tensor, type_name, job, "np.float32");
}

std::string range(const AxisSizes& sizes) {
  if (sizes.fixed()) return std::to_string(sizes.min);
  return "ct.RangeDim(lower_bound=" + std::to_string(sizes.min) +
         ", upper_bound=" + std::to_string(sizes.max.value_or(sizes.opt)) + ", default=" + std::to_string(sizes.opt) +
         ")";
}

// The largest sizes of each box, each shape once, in the order of the boxes.
std::vector<std::string> enumerated(const ExportJob::Part& part, std::size_t input) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const SizeBox& box : part.boxes) {
    std::vector<std::string> sizes;
    for (const AxisSizes& axis : box.inputs[input]) sizes.push_back(std::to_string(axis.max.value_or(axis.opt)));
    std::string shape = python_tuple(sizes);
    if (seen.insert(shape).second) out.push_back(std::move(shape));
  }
  return out;
}

Status write(ExportJob& job) {
  const ExportJob::Part& part = job.part();
  TRY_VOID(need_limits(*part.variant, part.boxes));
  Names names([](std::string_view) { return false; });
  std::string inputs;
  std::size_t enumerating = 0;
  for (std::size_t i = 0; i < part.variant->inputs.size(); ++i) {
    const TensorContract& tensor = part.variant->inputs[i];
    const std::string name = names.take(tensor.name);
    if (name != tensor.name) job.note("renamed: input " + printable(tensor.name) + " is " + name);
    std::string shape;
    const auto shapes = enumerated(part, i);
    if (part.boxes.size() > 1 && shapes.size() > 1) {
      if (++enumerating > 1 || shapes.size() > kMaxShapes)
        return Error{ErrorCode::export_refused, printable(tensor.name),
                     enumerating > 1 ? "Core ML takes enumerated shapes of one input alone; export one profile"
                                     : "Core ML takes 128 shapes, the profiles have " + std::to_string(shapes.size())};
      shape = "ct.EnumeratedShapes(shapes=[" + join(shapes, ", ") + "])";
    } else {
      std::vector<std::string> dims;
      for (const AxisSizes& sizes : part.box().inputs[i]) dims.push_back(range(sizes));
      if (dims.empty()) {
        dims.emplace_back("1");
        job.note(printable(tensor.name) + " has no axis, which Core ML cannot say: one axis of 1");
      }
      shape = python_tuple(dims);
    }
    for (const AxisSizes& sizes : part.box().inputs[i])
      if (sizes.max == 0)
        return Error{ErrorCode::export_refused, printable(tensor.name),
                     "Core ML has no axis of size 0; leave the input out"};
    inputs += "    ct.TensorType(name=" + text_literal(name) + ", shape=" + shape + ", dtype=" + narrowed(tensor, job) +
              "),\n";
  }
  job.print(
      "# coremltools.convert(model, inputs=inputs, minimum_deployment_target=coremltools.target.iOS16)\n"
      "import coremltools as ct\nimport numpy as np\n\ninputs = [\n" +
      inputs + "]\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::coreml{
    .info = {.id = "coreml",
             .engine = "Core ML, coremltools 9",
             .file = "coreml_inputs.py",
             .form = "Python source: inputs of coremltools.convert",
             .proof = "coremltools converts and writes the ranges; predictions need macOS, so it cannot refuse here",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
