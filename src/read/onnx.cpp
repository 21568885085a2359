// SPDX-License-Identifier: Apache-2.0
//
// ONNX models: the inputs and outputs of the graph, as declared. Nodes and weights are seeked over, so the cost does
// not grow with the bytes of the weights; weights in other files are not looked for. An input that has the name of a
// weight is one (as in models before IR version 4, which list both).
#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"
#include "read/onnx_proto.hpp"
#include "read/reader.hpp"

namespace tensorspec {
namespace {

using Wire = ProtoField::Wire;

// ModelProto
constexpr ProtoRule kModelRules[] = {
    {1, Wire::varint}, {2, Wire::bytes}, {3, Wire::bytes},  {4, Wire::bytes},  {5, Wire::varint}, {6, Wire::bytes},
    {7, Wire::bytes},  {8, Wire::bytes}, {14, Wire::bytes}, {20, Wire::bytes}, {25, Wire::bytes}, {26, Wire::bytes},
};
constexpr std::uint32_t kIrVersion = 1, kProducer = 2, kGraph = 7, kOpsets = 8;
constexpr std::uint32_t kTensorName = 8;  // of TensorProto
// GraphProto
constexpr std::uint32_t kInitializer = 5, kInput = 11, kOutput = 12, kSparseInitializer = 15;
// Numbers that no version has reached by far.
constexpr std::uint64_t kMaxIrVersion = 1000, kMaxDataType = 1000;
constexpr std::size_t kMaxProducer = 256;
// Sequences of optionals of maps: deeper than any operator takes them.
constexpr int kMaxNesting = 16;
// All names of weights, inputs and outputs, and the texts of dims, together.
constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

// Is there a graph behind fields that only a model has? Documentation may fill the head.
bool has_graph(ByteSource& source) {
  ProtoWindow window(source);
  auto model = ProtoMessage::whole(window);
  if (!model.ok()) return false;
  ProtoField field;
  for (;;) {
    const auto more = model->next(field);
    if (!more.ok() || !*more || !has_rule(field, kModelRules)) return false;
    if (field.is_bytes(kGraph)) return true;
  }
}

// SavedModel and other protobuf files begin alike, but have no short text where the producer's name is.
bool sniff(const Head& head) {
  const auto seen = see_head(head.bytes, kModelRules);
  if (!seen || !seen->has_varint(kIrVersion) || seen->value1 == 0 || seen->value1 > kMaxIrVersion) return false;
  if (seen->has_bytes(kProducer) && (seen->text2.size() > kMaxProducer || !is_name_text(seen->text2))) return false;
  return seen->has_bytes(kProducer) || seen->has_bytes(kGraph) || seen->has_bytes(kOpsets) || has_graph(head.source);
}

class ModelReader {
 public:
  explicit ModelReader(ByteSource& source) : source_(source), window_(source) {}

  Result<Declared> read() {
    TRY(ProtoMessage model, ProtoMessage::whole(window_));
    bool has_graph = false;
    ProtoField field;
    for (;;) {
      TRY(const bool more, model.next(field));
      if (!more) break;
      if (!field.is_bytes(kGraph)) continue;
      has_graph = true;
      TRY_VOID(read_graph(model.message(field)));
    }
    if (!has_graph) return fail(ErrorCode::onnx_model, 0, "it has no graph");
    leave_out_weights();
    return std::move(declared_);
  }

 private:
  Error fail(ErrorCode code, std::uint64_t offset, std::string detail) const {
    return Error{.code = code, .where = source_.place().at(offset), .detail = std::move(detail)};
  }

  Status read_graph(ProtoMessage graph) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, graph.next(field));
      if (!more) return {};
      if (field.wire != Wire::bytes) continue;
      if (field.number == kInitializer) {
        TRY_VOID(read_weight(graph.message(field)));
      } else if (field.number == kSparseInitializer) {
        TRY_VOID(read_sparse_weight(graph.message(field)));
      } else if (field.number == kInput || field.number == kOutput) {
        TRY(DeclaredTensor tensor, read_value(graph.message(field), field.place));
        (field.number == kInput ? declared_.inputs : declared_.outputs).push_back(std::move(tensor));
      } else {
        continue;
      }
      if (weights_.size() + declared_.inputs.size() + declared_.outputs.size() > kMaxTensors)
        return fail(ErrorCode::too_many_tensors, field.place, "the limit is " + std::to_string(kMaxTensors));
    }
  }

  // A text that is kept; all of them together have a limit.
  Result<std::string> text(const ProtoMessage& message, const ProtoField& field) {
    TRY(const std::string_view bytes, message.bytes(field, kMaxNameBytes));
    TRY_VOID(check_name(source_.name(), bytes));
    text_bytes_ += bytes.size();
    if (text_bytes_ > kMaxTextBytes)
      return fail(ErrorCode::onnx_model, field.place,
                  "its names take more than " + std::to_string(kMaxTextBytes) + " bytes");
    return std::string(bytes);
  }

  // The name of a TensorProto stands before its raw data, and nothing behind it is of interest.
  Status read_weight(ProtoMessage tensor) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, tensor.next(field));
      if (!more) return {};
      if (!field.is_bytes(kTensorName)) continue;
      TRY(std::string text_of_name, text(tensor, field));
      weights_.push_back(std::move(text_of_name));
      return {};
    }
  }

  Status read_sparse_weight(ProtoMessage sparse) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, sparse.next(field));
      if (!more) return {};
      if (field.is_bytes(1)) return read_weight(sparse.message(field));
    }
  }

  // ValueInfoProto
  Result<DeclaredTensor> read_value(ProtoMessage value, std::uint64_t place) {
    DeclaredTensor tensor;
    ProtoField field;
    for (;;) {
      TRY(const bool more, value.next(field));
      if (!more) break;
      if (field.is_bytes(1)) {
        TRY(tensor.name, text(value, field));
      } else if (field.is_bytes(2)) {
        TRY_VOID(read_type(value.message(field), tensor, 0));
      }
    }
    if (tensor.name.empty()) return fail(ErrorCode::onnx_model, place, "an input or output without a name");
    return tensor;
  }

  // TypeProto: a tensor's type, or what holds others.
  Status read_type(ProtoMessage type, DeclaredTensor& tensor, int depth) {
    constexpr std::uint32_t kTensor = 1, kSequence = 4, kMap = 5, kOpaque = 7, kSparse = 8, kOptional = 9;
    ProtoField field;
    for (;;) {
      TRY(const bool more, type.next(field));
      if (!more) return {};
      if (field.wire != Wire::bytes) continue;
      if (field.number == kTensor) {
        TRY_VOID(read_tensor_type(type.message(field), tensor));
      } else if (field.number == kSparse) {
        TRY_VOID(read_tensor_type(type.message(field), tensor));
        tensor = boxed(std::move(tensor), "sparse");
      } else if (field.number == kSequence || field.number == kMap || field.number == kOptional) {
        if (depth == kMaxNesting)
          return fail(ErrorCode::onnx_model, field.place, "a type nested deeper than " + std::to_string(kMaxNesting));
        const bool map = field.number == kMap;
        TRY_VOID(read_box(type.message(field), map ? 2 : 1, tensor, depth + 1));
        tensor = boxed(std::move(tensor), map ? "map" : field.number == kSequence ? "sequence" : "optional");
      } else if (field.number == kOpaque) {
        tensor = boxed(std::move(tensor), "opaque");
      }
    }
  }

  Status read_box(ProtoMessage box, std::uint32_t element, DeclaredTensor& tensor, int depth) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, box.next(field));
      if (!more) return {};
      if (field.is_bytes(element)) TRY_VOID(read_type(box.message(field), tensor, depth));
    }
  }

  // How many tensors stand for it in a call is open, so it has no shape of its own.
  static DeclaredTensor boxed(DeclaredTensor tensor, const std::string& word) {
    const std::string inner(tensor.dtype.name());
    return {.name = std::move(tensor.name), .dtype = DType::other(word + "(" + inner + ")"), .shape = std::nullopt};
  }

  Status read_tensor_type(ProtoMessage type, DeclaredTensor& tensor) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, type.next(field));
      if (!more) return {};
      if (field.is_varint(1)) {
        if (field.value > kMaxDataType)
          return fail(ErrorCode::onnx_model, field.place, "data type " + std::to_string(field.value));
        tensor.dtype = DType::from_onnx(static_cast<int>(field.value));
      } else if (field.is_bytes(2)) {
        TRY_VOID(read_shape(type.message(field), tensor));
      }
    }
  }

  Status read_shape(ProtoMessage shape, DeclaredTensor& tensor) {
    std::vector<DeclaredDim>& dims = tensor.shape.emplace();
    ProtoField field;
    for (;;) {
      TRY(const bool more, shape.next(field));
      if (!more) return {};
      if (!field.is_bytes(1)) continue;
      if (dims.size() == kMaxRank) return fail(ErrorCode::rank_too_large, field.place, {});
      TRY(DeclaredDim dim, read_dim(shape.message(field)));
      dims.push_back(std::move(dim));
    }
  }

  // TensorShapeProto.Dimension: a size, a text or neither. A negative size says nothing.
  Result<DeclaredDim> read_dim(ProtoMessage message) {
    DeclaredDim dim;
    ProtoField field;
    for (;;) {
      TRY(const bool more, message.next(field));
      if (!more) return dim;
      if (field.is_varint(1)) {
        dim = {};
        if (field.as_int64() > kMaxExtent)
          return fail(ErrorCode::invalid_extent, field.place, std::to_string(field.value));
        if (field.as_int64() >= 0) dim.size = field.as_int64();
      } else if (field.is_bytes(2)) {
        TRY(std::string param, text(message, field));
        dim = {.size = std::nullopt, .text = std::move(param)};
      }
    }
  }

  void leave_out_weights() {
    if (weights_.empty()) return;
    std::sort(weights_.begin(), weights_.end());
    std::erase_if(declared_.inputs, [&](const DeclaredTensor& input) {
      return std::binary_search(weights_.begin(), weights_.end(), input.name);
    });
  }

  ByteSource& source_;
  ProtoWindow window_;
  Declared declared_;
  std::vector<std::string> weights_;
  std::size_t text_bytes_ = 0;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const Declared declared, ModelReader(source).read());
  sink.declared(declared);
  return {};
}

}  // namespace

constinit const Reader readers::onnx{.id = "onnx",
                                     .title = "ONNX model",
                                     .specification = "onnx.proto of ONNX 1.23: ModelProto",
                                     .extensions = ".onnx",
                                     .sniff = sniff,
                                     .open = open};

}  // namespace tensorspec
