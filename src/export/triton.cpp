// SPDX-License-Identifier: Apache-2.0
//
// config.pbtxt of Triton: ModelConfig in the text form of protobuf. With max_batch_size above 0, dims leave out axis 0,
// which must then be the batch of every input and output. The backend is left to the file beside it (model.onnx,
// model.plan) or to whoever adds it.
#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::string proto_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7F)
      out += std::string("\\") + static_cast<char>('0' + (byte >> 6)) + static_cast<char>('0' + (byte >> 3 & 7)) +
             static_cast<char>('0' + (byte & 7));
    else out += c;
  }
  return out + "\"";
}

// The symbol that is axis 0 of every tensor: the batch, when it is one.
const Symbol* batch_of(const Variant& variant) {
  const std::string* name = nullptr;
  for (const auto* tensors : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *tensors) {
      const std::string* first = tensor.shape.empty() ? nullptr : tensor.shape[0].as_symbol();
      if (first == nullptr || (name != nullptr && *name != *first)) return nullptr;
      name = first;
    }
  if (name == nullptr) return nullptr;
  const Symbol* symbol = variant.symbol(*name);
  const bool batch = (variant.batch_size && *variant.batch_size == Dim::symbol(*name)) || symbol->name == "batch" ||
                     symbol->source == Symbol::Source::given || symbol->source == Symbol::Source::inferred;
  return batch ? symbol : nullptr;
}

class Config {
 public:
  explicit Config(ExportJob& job) : job_(job), variant_(*job.part().variant), batch_(batch_of(variant_)) {}

  Status write() {
    std::int64_t max_batch = 0;
    if (batch_ != nullptr) {
      const std::int64_t high = job_.part().box().domains.at(batch_->name).high;
      if (high > std::numeric_limits<std::int32_t>::max()) {
        job_.note("max_batch_size is 0, Triton does not batch: " + batch_->name + " has no limit; --set " +
                  batch_->name + "=1..8 gives it one");
        batch_ = nullptr;
      } else {
        max_batch = high;
        job_.limited.insert(batch_->name);
        if (batch_->multiple_of > 1)
          job_.note("Triton may form batches of any size up to " + std::to_string(high) + ", not only in steps of " +
                    std::to_string(batch_->multiple_of));
      }
    } else {
      job_.note(
          "max_batch_size is 0, Triton does not batch: axis 0 of every input and output would have to be the batch");
    }
    job_.print("name: " + proto_string(job_.options.name) + "\nmax_batch_size: " + std::to_string(max_batch) + "\n");
    TRY_VOID(tensors("input", variant_.inputs));
    if (variant_.outputs.empty()) job_.note("no outputs were recorded: add them, Triton needs them");
    return tensors("output", variant_.outputs);
  }

 private:
  Status tensors(const std::string& word, const std::vector<TensorContract>& list) {
    if (list.empty()) return {};
    std::vector<std::string> items;
    for (const TensorContract& tensor : list) {
      TRY(const std::string type, type_of(tensor));
      if (tensor.optional) job_.note("optional output " + printable(tensor.name) + ": Triton always expects it");
      std::string item = "  {\n    name: " + proto_string(tensor.name) + "\n    data_type: " + type + "\n";
      TRY(const std::string dims, dims_of(tensor));
      items.push_back(item + dims + "  }");
    }
    job_.print(word + " [\n" + join(items, ",\n") + "\n]\n");
    return {};
  }

  Result<std::string> type_of(const TensorContract& tensor) {
    const auto word = [](const DType& dtype) -> std::optional<std::string> {
      const auto name = dtype.kserve_name();
      if (!name) return std::nullopt;
      return "TYPE_" + std::string(*name == "BYTES" ? "STRING" : *name);
    };
    if (!tensor.dtypes.empty() && !word(tensor.dtypes[0]))
      return Error{
          ErrorCode::export_refused, printable(tensor.name),
          "Triton has no data type for " + std::string(tensor.dtypes[0].name()) + "; cast the tensor in the model"};
    return dtype_in(tensor, word, job_, "TYPE_FP32");
  }

  Result<std::string> dims_of(const TensorContract& tensor) {
    std::vector<std::string> dims;
    for (std::size_t axis = batch_ == nullptr ? 0 : 1; axis < tensor.shape.size(); ++axis) {
      const auto size = tensor.shape[axis].as_integer();
      if (size == std::int64_t{0})
        job_.note(printable(axis_name(tensor.name, axis)) + " is always 0, which Triton cannot say: -1");
      dims.push_back(size.value_or(0) > 0 ? std::to_string(*size) : "-1");
    }
    if (!dims.empty()) return "    dims: [ " + join(dims, ", ") + " ]\n";
    // A dims field may not be empty: the request has an axis of 1 that the model does not see.
    job_.note(printable(tensor.name) + " has one axis of 1 more in requests than in the model (reshape)");
    return std::string("    dims: [ 1 ]\n    reshape { shape: [ ] }\n");
  }

  ExportJob& job_;
  const Variant& variant_;
  const Symbol* batch_;
};

Status write(ExportJob& job) { return Config(job).write(); }

}  // namespace

constinit const Exporter exporters::triton{
    .info = {.id = "triton",
             .engine = "Triton Inference Server",
             .file = "config.pbtxt",
             .form = "model configuration",
             .proof = "tritonclient parses it as ModelConfig; refuses unknown fields and types",
             .keeps = Keeps::dtypes | Keeps::outputs},
    .write = write,
};

}  // namespace tensorspec
