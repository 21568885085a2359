// SPDX-License-Identifier: Apache-2.0
//
// ONNX values in files of their own: TensorProto, and SequenceProto and OptionalProto of them, as in the test data
// beside a model (test_data_set_0/input_0.pb). Name, dims and data type are read; the elements are seeked over,
// wherever they stand (raw_data, the typed fields, another file).
#include "base/checked.hpp"
#include "base/try.hpp"
#include "read/onnx_proto.hpp"
#include "read/reader.hpp"

namespace tensorspec {
namespace {

using Wire = ProtoField::Wire;

// Sequences of optionals of sequences: deeper than any operator makes them.
constexpr int kMaxNesting = 16;
constexpr std::size_t kMaxPackedDims = kMaxRank * 10;

// TensorProto; repeated numbers may be packed or not.
constexpr ProtoRule kTensorRules[] = {
    {1, Wire::varint},  {1, Wire::bytes},  {2, Wire::varint}, {3, Wire::bytes},  {4, Wire::bytes},
    {4, Wire::fixed32}, {5, Wire::bytes},  {5, Wire::varint}, {6, Wire::bytes},  {7, Wire::bytes},
    {7, Wire::varint},  {8, Wire::bytes},  {9, Wire::bytes},  {10, Wire::bytes}, {10, Wire::fixed64},
    {11, Wire::varint}, {11, Wire::bytes}, {12, Wire::bytes}, {13, Wire::bytes}, {14, Wire::varint},
    {16, Wire::bytes},
};
// SequenceProto and OptionalProto: the same numbers, so one value of a sequence and an optional value look the same.
enum Container : std::uint32_t {
  kName = 1,
  kElementType = 2,
  kTensor = 3,
  kSparse = 4,
  kSequence = 5,
  kMap = 6,
  kOptional = 7
};
// What element types count from: UNDEFINED 0, TENSOR 1, .. OPTIONAL 5, so the values of type T are field T + 2.
constexpr std::uint64_t kMaxElementType = 5;

// Is it a sequence or an optional, and no tensor? A tensor's dims may stand where the name stands here, and its data
// where values stand; but the numbers agree only in the one case that is_int8_tensor tells.
bool is_container(const ProtoSeen& seen) noexcept {
  constexpr std::uint64_t kValues = 0b11111000, kKnown = 0b11111110;
  if (!seen.has_varint(kElementType) || seen.value2 > kMaxElementType || seen.has_varint(kName)) return false;
  if ((seen.bytes & ~kKnown) != 0 || (seen.varints & ~std::uint64_t{1 << kElementType}) != 0) return false;
  if (!is_name_text(seen.text1)) return false;
  const bool no_values = (seen.bytes & kValues) == 0;
  return no_values || (seen.value2 > 0 && seen.has_bytes(static_cast<unsigned>(seen.value2) + 2));
}

bool sniff(const Head& head) {
  const auto seen = see_head(head.bytes, kTensorRules);
  if (!seen || !seen->has_varint(kElementType)) return false;
  return is_container(*seen) || (seen->value2 > 0 && seen->value2 < 256);
}

class ValueReader {
 public:
  ValueReader(ByteSource& source, ReadSink& sink) : source_(source), sink_(sink), window_(source) {}

  Status read() {
    TRY(const ProtoMessage whole, ProtoMessage::whole(window_));
    TRY(Outline outline, outline_of(whole));
    outline.seen.text1 = outline.name;  // a view of where the name now is
    if (is_container(outline.seen) && !is_int8_tensor(whole, outline.seen))
      return read_container(whole, outline, outline.name, Kind::unknown, 0);
    TRY(TensorInfo tensor, read_tensor(whole));
    sink_.tensor(std::move(tensor));
    return {};
  }

 private:
  enum class Kind { unknown, sequence, optional };
  struct Outline {
    ProtoSeen seen;
    std::string name;
    std::uint64_t values = 0;
  };

  Error bad(std::uint64_t offset, std::string detail) const {
    return Error{.code = ErrorCode::onnx_tensor, .where = source_.place().at(offset), .detail = std::move(detail)};
  }

  // An int8 tensor with its elements in int32_data has the fields of sequences in one container. It is one when there
  // can be as many elements as its dims ask for (one to ten bytes each) and these are no sequences: one element never
  // is, and dims that look like a name ask for 32 and more.
  bool is_int8_tensor(ProtoMessage message, const ProtoSeen& seen) const {
    if (seen.value2 != kSequence - 2 || !seen.has_bytes(kSequence)) return false;
    TensorInfo tensor;
    std::uint64_t bytes = 0;
    bool sequences = true;
    ProtoField field;
    for (;;) {
      const auto more = message.next(field);
      if (!more.ok()) return false;
      if (!*more) break;
      if (field.number == 1 && !add_dims(message, field, tensor).ok()) return false;
      if (!field.is_bytes(kSequence)) continue;
      bytes += field.value;
      sequences = sequences && is_sequence(message.message(field));
    }
    std::optional<std::int64_t> count = 1;
    for (const std::int64_t extent : tensor.shape) count = count ? checked_mul(*count, extent) : std::nullopt;
    return !sequences && count && bytes >= static_cast<std::uint64_t>(*count) &&
           bytes / 10 <= static_cast<std::uint64_t>(*count);
  }

  // Are these the fields of a SequenceProto, and those of its values fields?
  static bool is_sequence(ProtoMessage message) {
    ProtoSeen seen;
    ProtoField field;
    for (;;) {
      const auto more = message.next(field);
      if (!more.ok()) return false;
      if (!*more) return (seen.bytes | seen.varints) == 0 || is_container(seen);
      seen.add(field);
      if (field.is_bytes(kName)) {
        const auto name = message.bytes(field, kMaxNameBytes);
        if (!name.ok() || !is_name_text(*name)) return false;
        continue;
      }
      if (field.wire == Wire::bytes && !is_message(message.message(field))) return false;
    }
  }
  static bool is_message(ProtoMessage message) {
    ProtoField field;
    for (;;) {
      const auto more = message.next(field);
      if (!more.ok() || !*more) return more.ok();
    }
  }

  Result<Outline> outline_of(ProtoMessage message) {
    Outline outline;
    ProtoField field;
    for (;;) {
      TRY(const bool more, message.next(field));
      if (!more) break;
      outline.seen.add(field);
      if (field.is_bytes(kName) && field.value <= kMaxNameBytes) {
        TRY(outline.name, message.bytes(field, kMaxNameBytes));
      }
      if (field.wire == Wire::bytes && field.number >= kTensor && field.number <= kOptional) ++outline.values;
    }
    return outline;
  }

  Status read_container(ProtoMessage message, const Outline& outline, const std::string& path, Kind kind, int depth) {
    // One sequence alone is rather an optional sequence than a sequence of sequences; one tensor alone rather a
    // sequence.
    if (kind == Kind::unknown)
      kind = outline.values == 1 && outline.seen.value2 >= kSequence - 2 ? Kind::optional : Kind::sequence;
    ProtoField field;
    for (std::uint64_t index = 0; !stopped_;) {
      TRY(const bool more, message.next(field));
      if (!more) break;
      if (field.wire != Wire::bytes || field.number < kTensor || field.number > kOptional) continue;
      const std::string inner = kind == Kind::optional ? path : path + "[" + std::to_string(index++) + "]";
      if (auto status = read_value(message.message(field), field, inner, depth); !status.ok()) {
        // A value cannot reach beyond its field, so whatever is wrong with it, the next one is whole.
        if (const ErrorCode code = status.error().code;
            code == ErrorCode::file_read || code == ErrorCode::too_many_tensors)
          return status;
        stopped_ = !sink_.bad(status.error());
      }
    }
    return {};
  }

  Status read_value(ProtoMessage message, const ProtoField& field, const std::string& path, int depth) {
    if (field.number == kMap) return bad(field.place, "a map, which is not read");
    if (field.number == kSequence || field.number == kOptional) {
      if (depth == kMaxNesting) return bad(field.place, "nested deeper than " + std::to_string(kMaxNesting));
      TRY(const Outline outline, outline_of(message));
      return read_container(message, outline, path, field.number == kSequence ? Kind::sequence : Kind::optional,
                            depth + 1);
    }
    TRY(TensorInfo tensor, field.number == kSparse ? read_sparse(message) : read_tensor(message));
    tensor.name = path;
    TRY_VOID(check_name(source_.name(), path));
    if (++tensors_ > kMaxTensors)
      return Error{.code = ErrorCode::too_many_tensors,
                   .where = source_.name(),
                   .detail = "the limit is " + std::to_string(kMaxTensors)};
    sink_.tensor(std::move(tensor));
    return {};
  }

  Status add_dim(TensorInfo& tensor, std::uint64_t value, std::uint64_t offset) const {
    const auto fail = [&](ErrorCode code, std::string detail) {
      return Error{.code = code, .where = source_.place().at(offset), .detail = std::move(detail)};
    };
    if (tensor.shape.size() == kMaxRank) return fail(ErrorCode::rank_too_large, {});
    if (value > static_cast<std::uint64_t>(kMaxExtent))
      return fail(ErrorCode::invalid_extent, std::to_string(static_cast<std::int64_t>(value)));
    tensor.shape.push_back(static_cast<std::int64_t>(value));
    return {};
  }

  // Field `number` of a tensor's or a sparse tensor's message.
  Status add_dims(const ProtoMessage& message, const ProtoField& field, TensorInfo& tensor) const {
    if (field.wire == Wire::varint) return add_dim(tensor, field.value, field.place);
    if (field.wire != Wire::bytes) return bad(field.place, "its dims are no whole numbers");
    TRY(std::string_view packed, message.bytes(field, kMaxPackedDims));
    while (!packed.empty()) {
      const auto value = take_varint(packed);
      if (!value) return bad(field.place, "its dims end within a number");
      TRY_VOID(add_dim(tensor, *value, field.place));
    }
    return {};
  }

  Result<TensorInfo> read_tensor(ProtoMessage message) {
    TensorInfo tensor;
    std::uint64_t data_type = 0, place = 0;
    ProtoField field;
    for (bool first = true;; first = false) {
      TRY(const bool more, message.next(field));
      if (!more) break;
      if (first) place = field.place;
      if (field.number == 1) {
        TRY_VOID(add_dims(message, field, tensor));
      } else if (field.is_varint(2)) {
        data_type = field.value;
      } else if (field.is_bytes(8)) {
        TRY(tensor.name, message.bytes(field, kMaxNameBytes));
        TRY_VOID(check_name(source_.name(), tensor.name));
      }
    }
    if (data_type == 0 || data_type > kMaxDataType) return bad(place, "data type " + std::to_string(data_type));
    tensor.dtype = DType::from_onnx(static_cast<int>(data_type));
    return tensor;
  }

  // SparseTensorProto: the values are a tensor, the dims those of the whole.
  Result<TensorInfo> read_sparse(ProtoMessage message) {
    TensorInfo tensor;
    ProtoField field;
    for (;;) {
      TRY(const bool more, message.next(field));
      if (!more) break;
      if (field.is_bytes(1)) {
        TRY(const TensorInfo values, read_tensor(message.message(field)));
        tensor.dtype = values.dtype;
      } else if (field.number == 3) {
        TRY_VOID(add_dims(message, field, tensor));
      }
    }
    return tensor;
  }

  static constexpr std::uint64_t kMaxDataType = 1000;

  ByteSource& source_;
  ReadSink& sink_;
  ProtoWindow window_;
  std::size_t tensors_ = 0;
  bool stopped_ = false;
};

Status open(ByteSource& source, ReadSink& sink) { return ValueReader(source, sink).read(); }

}  // namespace

constinit const Reader readers::onnx_tensor{
    .id = "onnx_tensor",
    .title = "ONNX tensor, sequence or optional",
    .specification = "onnx.proto of ONNX 1.23: TensorProto, SequenceProto, OptionalProto",
    .extensions = ".pb",
    .sniff = sniff,
    .open = open};

}  // namespace tensorspec
