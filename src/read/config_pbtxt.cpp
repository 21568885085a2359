// SPDX-License-Identifier: Apache-2.0
//
// Triton model configurations: the inputs and outputs that a caller sees. With max_batch_size every one of them has a
// batch axis before its dims.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"
#include "wire/document.hpp"
#include "wire/text_proto.hpp"

namespace tensorspec {
namespace {

using Kind = TextField::Kind;

// Ensembles of hundreds of models take some hundred kilobytes.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
// ModelConfig
constexpr std::string_view kFields[] = {"name",
                                        "platform",
                                        "backend",
                                        "runtime",
                                        "version_policy",
                                        "input",
                                        "output",
                                        "batch_input",
                                        "batch_output",
                                        "max_batch_size",
                                        "optimization",
                                        "dynamic_batching",
                                        "sequence_batching",
                                        "instance_group",
                                        "ensemble_scheduling",
                                        "parameters",
                                        "model_warmup",
                                        "metric_tags",
                                        "model_operations",
                                        "default_model_filename",
                                        "model_metrics",
                                        "response_cache",
                                        "cc_model_filenames",
                                        "model_transaction_policy",
                                        "model_repository_agents"};
// Those that may stand more than once.
constexpr std::string_view kRepeated[] = {"input",        "output",         "batch_input",
                                          "batch_output", "instance_group", "parameters",
                                          "model_warmup", "metric_tags",    "cc_model_filenames"};
// Those of ModelInput and ModelOutput that may not.
constexpr std::string_view kOfTensor[] = {
    "name",          "data_type",          "format",          "reshape",
    "optional",      "allow_ragged_batch", "is_shape_tensor", "is_non_linear_format_io",
    "label_filename"};
// DataType, by number, as the inference protocol calls them.
constexpr std::string_view kTypes[] = {"",      "BOOL",  "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16",
                                       "INT32", "INT64", "FP16",  "FP32",   "FP64",   "BYTES",  "BF16"};
constexpr std::string_view kMarks[] = {"platform", "backend", "input", "output", "max_batch_size"};

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool sniff(const Head& head) {
  std::string_view text = head.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // An MLmodel file: its lines may look like fields.
  if (text.find("\nflavors:") != std::string_view::npos) return false;
  const auto fields = parse_text_proto(text, true);
  if (!fields.ok()) return false;
  return std::all_of(fields->begin(), fields->end(), [](const TextField& f) { return is_one_of(kFields, f.name); }) &&
         std::any_of(fields->begin(), fields->end(), [](const TextField& f) { return is_one_of(kMarks, f.name); });
}

class ConfigReader {
 public:
  explicit ConfigReader(ByteSource& source) : source_(source) {}

  Result<Declared> read() {
    TRY(const std::string text, read_document(source_, kMaxBytes));
    auto fields = parse_text_proto(text);
    if (!fields.ok()) return within(std::move(fields).error(), source_.name(), "@");
    TRY_VOID(check_single(
        *fields, [](std::string_view name) { return is_one_of(kFields, name) && !is_one_of(kRepeated, name); }));
    for (const TextField& field : *fields)
      if (field.name == "max_batch_size") { TRY(max_batch_size_, whole_number(field)); }
    for (const TextField& field : *fields) {
      const bool input = field.name == "input";
      if ((!input && field.name != "output") || field.kind != Kind::message) continue;
      TRY(DeclaredTensor tensor, read_tensor(field));
      (input ? declared_.inputs : declared_.outputs).push_back(std::move(tensor));
    }
    return std::move(declared_);
  }

 private:
  Error fail(ErrorCode code, const TextField& field, std::string detail) const {
    return Error{.code = code, .where = source_.place().at(field.offset), .detail = std::move(detail)};
  }

  Result<std::int64_t> whole_number(const TextField& field) const {
    const auto number = whole_number_of(field);
    if (!number) return fail(ErrorCode::config_pbtxt, field, field.name + " is no whole number");
    return *number;
  }

  template <class IsSingle>
  Status check_single(const std::vector<TextField>& fields, IsSingle is_single) const {
    std::set<std::string_view> seen;
    for (const TextField& field : fields)
      if (is_single(field.name) && !seen.insert(field.name).second)
        return fail(ErrorCode::config_pbtxt, field, field.name + " stands a second time");
    return {};
  }

  // ModelInput and ModelOutput
  Result<DeclaredTensor> read_tensor(const TextField& message) {
    TRY_VOID(check_single(message.fields, [](std::string_view name) { return is_one_of(kOfTensor, name); }));
    DeclaredTensor tensor;
    std::vector<DeclaredDim>& dims = tensor.shape.emplace();
    if (max_batch_size_ > 0) dims.push_back({.text = "batch", .min = 1, .max = max_batch_size_});
    for (const TextField& field : message.fields) {
      if (field.name == "name" && field.kind == Kind::text) {
        TRY_VOID(check_name(source_.name(), field.value));
        tensor.name = field.value;
      } else if (field.name == "data_type") {
        TRY(tensor.dtype, dtype_of(field));
      } else if (field.name == "dims") {
        if (dims.size() == kMaxRank) return fail(ErrorCode::rank_too_large, field, {});
        TRY(DeclaredDim dim, read_dim(field));
        dims.push_back(std::move(dim));
      }
    }
    if (tensor.name.empty()) return fail(ErrorCode::config_pbtxt, message, "an " + message.name + " without a name");
    note(tensor.name, message);
    return tensor;
  }

  Result<DeclaredDim> read_dim(const TextField& field) const {
    TRY(const std::int64_t size, whole_number(field));
    if (size == -1) return DeclaredDim();
    if (size < -1 || size > kMaxExtent) return fail(ErrorCode::invalid_extent, field, field.value);
    return DeclaredDim{.size = size};
  }

  Result<DType> dtype_of(const TextField& field) const {
    if (field.value == "TYPE_INVALID") return DType();
    const auto number = whole_number_of(field);
    if (!number) return DType::from_text(field.value);
    if (*number < 0 || static_cast<std::size_t>(*number) >= std::size(kTypes))
      return fail(ErrorCode::config_pbtxt, field, "no data_type has the number " + field.value);
    return DType::from_text(kTypes[*number]);
  }

  // What changes how the dims are meant.
  void note(const std::string& name, const TextField& message) {
    for (const TextField& field : message.fields) {
      const bool yes = field.value == "true" || field.value == "True" || field.value == "t" || field.value == "1";
      if (field.name == "optional" && yes)
        declared_.notes.push_back(name + " is optional: calls without it are not described");
      if (field.name == "allow_ragged_batch" && yes)
        declared_.notes.push_back(name + " may be ragged: requests of a batch may differ in size");
      if (field.name != "reshape" || field.kind != Kind::message) continue;
      std::vector<std::string> sizes;
      for (const TextField& inner : field.fields)
        if (const auto size = whole_number_of(inner); size && inner.name == "shape")
          sizes.push_back(std::to_string(*size));
      declared_.notes.push_back(name + ": the model itself has the shape [" + join(sizes, ", ") +
                                (max_batch_size_ > 0 ? "] behind the batch" : "]") + ", callers that of dims");
    }
  }

  ByteSource& source_;
  Declared declared_;
  std::int64_t max_batch_size_ = 0;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const Declared declared, ConfigReader(source).read());
  sink.declared(declared);
  return {};
}

}  // namespace

constinit const Reader readers::config_pbtxt{.id = "config_pbtxt",
                                             .title = "Triton model configuration",
                                             .specification = "model_config.proto of Triton 2.73, protobuf text format",
                                             .extensions = ".pbtxt",
                                             .sniff = sniff,
                                             .open = open};

}  // namespace tensorspec
