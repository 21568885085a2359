// SPDX-License-Identifier: Apache-2.0
//
// Dictionaries of AITune's TensorSpec (TensorSpec.to_dict, saved as JSON): one, or lists and objects of them, whose
// places become names. What such a spec saw is declared: axes that went with the batch size are multiples of `batch`,
// others that varied are sizes of their own, each with the range it was seen in.
#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "core/json_nan.hpp"
#include "read/json_head.hpp"
#include "tensorspec/tensor_spec.hpp"
#include "wire/document.hpp"

namespace tensorspec {
namespace {

// A spec takes some hundred bytes.
constexpr std::size_t kMaxDocument = std::size_t{64} << 20;
constexpr std::string_view kType = "TensorSpec";

bool sniff(const Head& head) { return head.json() && is_aitune(*head.json()); }

class SpecReader {
 public:
  explicit SpecReader(const std::string& file) : file_(file) {}

  Status take(const Json& value, const std::string& path) {
    const Json* type = value.find("type");
    if (type && type->string() && *type->string() == kType) return take_spec(value, path);
    if (const Json::Object* members = value.object()) {
      for (const auto& [key, member] : *members) TRY_VOID(take(member, path.empty() ? key : path + "." + key));
    } else if (const Json::Array* items = value.array()) {
      std::size_t number = 0;
      for (const Json& item : *items) TRY_VOID(take(item, path + "[" + std::to_string(number++) + "]"));
    }
    return {};
  }
  Declared& declared() noexcept { return declared_; }

 private:
  Status take_spec(const Json& value, const std::string& path) {
    const auto spec = TensorSpec::from_dict(value.dump());
    if (!spec.ok()) return within(within(spec.error(), path, " "), file_, ":");
    // "inputs.x" is x among the inputs; what stands elsewhere is an input.
    static constexpr std::string_view kInputs = "inputs", kOutputs = "outputs";
    const auto is_below = [&](std::string_view side) {
      return path.starts_with(side) &&
             (path.size() == side.size() || path[side.size()] == '.' || path[side.size()] == '[');
    };
    const bool output = is_below(kOutputs);
    std::string name = path;
    for (const std::string_view side : {kInputs, kOutputs})
      if (is_below(side) && name.substr(side.size(), 1) == ".") name.erase(0, side.size() + 1);
    if (name.empty()) name = "input_0";
    TRY_VOID(check_name(file_, name));
    auto tensor = translate(*spec, std::move(name));
    if (!tensor.ok()) return within(within(std::move(tensor).error(), path, " "), file_, ":");
    (output ? declared_.outputs : declared_.inputs).push_back(*std::move(tensor));
    if (declared_.inputs.size() + declared_.outputs.size() <= kMaxTensors) return {};
    return Error{ErrorCode::too_many_tensors, file_, "the limit is " + std::to_string(kMaxTensors)};
  }

  static Result<DeclaredTensor> translate(const TensorSpec& spec, std::string name) {
    const std::size_t rank = spec.shape.size();
    if (rank > kMaxRank) return Error{ErrorCode::rank_too_large, "", ""};
    if (spec.min_shape.size() != rank || spec.max_shape.size() != rank || spec._bs_multipliers.size() != rank)
      return Error{ErrorCode::invalid_dict, "", "its lists differ in length"};
    DeclaredTensor tensor{.name = std::move(name), .dtype = spec.dtype, .shape = std::vector<DeclaredDim>()};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t low = spec.min_shape[axis], high = spec.max_shape[axis];
      if (low < 0 || high < low || high > kMaxExtent)
        return Error{ErrorCode::invalid_extent, "", std::to_string(low) + ".." + std::to_string(high)};
      tensor.shape->push_back(translate(spec.shape[axis], spec._bs_multipliers[axis], low, high));
    }
    return tensor;
  }

  // "batch0" is whatever multiple of the batch size the axis is; "dim2" of two tensors are two sizes.
  static DeclaredDim translate(const AxisExtent& extent, double multiplier, std::int64_t low, std::int64_t high) {
    if (!extent.is_symbol()) return {.size = *extent.size()};
    if (!extent.symbol()->starts_with("batch")) return {.min = low, .max = high};
    if (multiplier == 1) return {.text = "batch", .min = low, .max = high};
    const bool whole = multiplier > 1 && multiplier < 1e15 && multiplier == std::floor(multiplier);
    if (!whole) return {.min = low, .max = high};
    return {.text = std::to_string(static_cast<std::int64_t>(multiplier)) + "*batch"};
  }

  const std::string& file_;
  Declared declared_;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const std::string text, read_document(source, kMaxDocument));
  auto root = Json::parse(with_null_for_nan(text));
  if (!root.ok()) return within(std::move(root).error(), source.name(), ": ");
  SpecReader reader(source.name());
  TRY_VOID(reader.take(*root, {}));
  const Declared& declared = reader.declared();
  if (declared.inputs.empty() && declared.outputs.empty())
    return Error{ErrorCode::nothing_declared, source.name(), "no TensorSpec in it"};
  sink.declared(declared);
  return {};
}

}  // namespace

constinit const Reader readers::aitune{.id = "aitune",
                                       .title = "Dictionaries of AITune's TensorSpec, JSON",
                                       .specification = "TensorSpec.to_dict of AITune",
                                       .extensions = ".json",
                                       .sniff = sniff,
                                       .open = open};

}  // namespace tensorspec
