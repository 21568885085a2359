// SPDX-License-Identifier: Apache-2.0
//
// safetensors: eight bytes with the length of a JSON header, the header, then the tensors' bytes. Only the header is
// read. What the format forbids is refused here as by its own library (safetensors 0.8): holes and overlaps between
// tensors, bytes behind the last, sizes that contradict shape and dtype.
#include <simdjson.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "read/json_walk.hpp"
#include "read/reader.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {
namespace {

namespace dom = simdjson::dom;
using Kind = DType::Kind;

constexpr std::size_t kLengthSize = 8;
// The format's own limit.
constexpr std::uint64_t kMaxHeader = 100'000'000;
// Above this a syntax error is told without its byte: the parser that knows the byte takes much memory.
constexpr std::size_t kMaxSlowParse = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kMetadata = "__metadata__", kBlanks = " \t\r\n";

struct Tag {
  std::string_view name;
  Kind kind;
};
constexpr Tag kTags[] = {
    {"BOOL", Kind::boolean},
    {"U8", Kind::uint8},
    {"I8", Kind::int8},
    {"U16", Kind::uint16},
    {"I16", Kind::int16},
    {"U32", Kind::uint32},
    {"I32", Kind::int32},
    {"U64", Kind::uint64},
    {"I64", Kind::int64},
    {"F4", Kind::float4_e2m1},
    {"F6_E2M3", Kind::float6_e2m3},
    {"F6_E3M2", Kind::float6_e3m2},
    {"F8_E4M3", Kind::float8_e4m3fn},
    {"F8_E4M3FNUZ", Kind::float8_e4m3fnuz},
    {"F8_E5M2", Kind::float8_e5m2},
    {"F8_E5M2FNUZ", Kind::float8_e5m2fnuz},
    {"F8_E8M0", Kind::float8_e8m0fnu},
    {"F16", Kind::float16},
    {"BF16", Kind::bfloat16},
    {"F32", Kind::float32},
    {"F64", Kind::float64},
    {"C64", Kind::complex64},
};

DType dtype_of(std::string_view tag) {
  for (const Tag& known : kTags)
    if (known.name == tag) return DType(known.kind);
  return DType::other(std::string(tag));
}

// The same bytes as torch has them: two values of F4 in one element, so half as many on the last axis.
void pack_pairs(TensorInfo& tensor) {
  if (tensor.dtype.kind() != Kind::float4_e2m1 || tensor.shape.empty() || tensor.shape.back() % 2 != 0) return;
  tensor.dtype = DType::other("torch.float4_e2m1fn_x2");
  tensor.shape.back() /= 2;
}

// Could the head be one of a safetensors file? A length that the format allows, then the beginning of a JSON object.
bool sniff(const Head& head) {
  if (head.bytes.size() < kLengthSize + 2 || load_le<std::uint64_t>(head.bytes, 0) > kMaxHeader) return false;
  if (head.bytes.starts_with("PK\3\4")) return false;
  std::string_view text = head.bytes.substr(kLengthSize);
  if (!text.starts_with('{')) return false;
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks, 1), text.size()));
  return text.starts_with('"') || text.starts_with('}');
}

class HeaderReader {
 public:
  explicit HeaderReader(ByteSource& source) : source_(source) {}

  Result<std::vector<TensorInfo>> read() {
    TRY_VOID(load());
    KeptParser<dom::parser> parser;
    dom::object root;
    auto code = parser->capacity() < text_.size() ? parser->allocate(text_.size(), kMaxDepth) : simdjson::SUCCESS;
    if (!code) code = parser->parse(text_.data(), text_.size(), false).get(root);
    if (code) return syntax_error(code);
    tensors_.reserve(std::min(root.size(), kMaxTensors));
    spans_.reserve(tensors_.capacity());
    bool has_metadata = false;
    for (const auto [name, value] : root) {
      if (name != kMetadata) {
        if (tensors_.size() == kMaxTensors)
          return fail(ErrorCode::too_many_tensors, {}, "the limit is " + std::to_string(kMaxTensors));
        TRY_VOID(take_tensor(name, value));
      } else {
        if (std::exchange(has_metadata, true)) return fail(ErrorCode::json_duplicate_key, name, {});
        TRY_VOID(check_metadata(value));
      }
    }
    TRY_VOID(check_names_differ());
    TRY_VOID(check_layout());
    for (TensorInfo& tensor : tensors_) pack_pairs(tensor);
    return std::move(tensors_);
  }

 private:
  struct Span {
    std::uint64_t begin, end;
    std::size_t tensor;
  };

  Error fail(ErrorCode code, std::string_view tensor, std::string detail) const {
    return Error{
        .code = code, .where = Place{.file = source_.name(), .member = tensor}.text(), .detail = std::move(detail)};
  }

  Status load() {
    const Place place = source_.place();
    std::string length(kLengthSize, '\0');
    TRY(const std::size_t got, source_.read_at(0, length));
    const auto cut = [&](std::uint64_t need, std::uint64_t have) {
      return Error{
          .code = ErrorCode::safetensors_truncated,
          .where = place.at(have),
          .detail = "length and header take " + std::to_string(need) + " bytes, the file has " + std::to_string(have)};
    };
    if (got < kLengthSize) return cut(kLengthSize, got);
    const auto size = load_le<std::uint64_t>(length, 0);
    if (size > kMaxHeader)
      return Error{.code = ErrorCode::safetensors_header_too_large,
                   .where = place.at(0),
                   .detail = "it says " + std::to_string(size) + " bytes, the limit is " + std::to_string(kMaxHeader)};
    TRY(file_size_, source_.size());
    if (!fits(kLengthSize, size, file_size_)) return cut(kLengthSize + size, file_size_);
    text_.reserve(static_cast<std::size_t>(size) + simdjson::SIMDJSON_PADDING);
    text_.resize(static_cast<std::size_t>(size));
    TRY(const std::size_t read, source_.read_at(kLengthSize, text_));
    if (read < text_.size()) return cut(kLengthSize + size, kLengthSize + read);
    if (!text_.starts_with('{'))
      return Error{.code = ErrorCode::safetensors_header, .where = place.at(kLengthSize), .detail = "no '{' here"};
    return {};
  }

  Error syntax_error(simdjson::error_code code) const {
    if (code == simdjson::DEPTH_ERROR)
      return fail(ErrorCode::json_too_deep, {}, "more than " + std::to_string(kMaxDepth) + " levels");
    if (code == simdjson::INCORRECT_TYPE) return fail(ErrorCode::json_type, {}, "the header is no object");
    Error error = fail(ErrorCode::json_syntax, {}, simdjson::error_message(code));
    if (text_.size() > kMaxSlowParse) return error;
    if (auto slow = Json::parse(text_); !slow.ok() && slow.error().code == ErrorCode::json_syntax)
      return within(std::move(slow).error(), source_.name() + ": header", " ");
    return error;
  }

  Status check_metadata(const dom::element& value) const {
    dom::object entries;
    if (value.is_null()) return {};
    if (value.get(entries)) return fail(ErrorCode::json_type, kMetadata, "expected an object of texts");
    for (const auto [key, text] : entries)
      if (!text.is_string()) return fail(ErrorCode::json_type, kMetadata, "the value of a key is no text");
    return {};
  }

  Status take_tensor(std::string_view name, const dom::element& value) {
    TRY_VOID(check_name(source_.name(), name));
    TensorInfo tensor{.name = std::string(name), .dtype = {}, .shape = {}};
    dom::object members;
    if (value.get(members)) return fail(ErrorCode::json_type, name, "expected an object");
    constexpr unsigned kDtype = 1, kShape = 2, kOffsets = 4, kAll = 7;
    unsigned seen = 0;
    for (const auto [key, member] : members) {
      const unsigned bit = key == "dtype" ? kDtype : key == "shape" ? kShape : key == "data_offsets" ? kOffsets : 0u;
      if (bit == 0) continue;
      if (seen & bit) return fail(ErrorCode::json_duplicate_key, name, "\"" + std::string(key) + "\"");
      seen |= bit;
      if (bit == kDtype) {
        std::string_view tag;
        if (member.get(tag)) return fail(ErrorCode::json_type, name, "its dtype is no text");
        tensor.dtype = dtype_of(tag);
      } else if (bit == kShape) {
        TRY_VOID(take_shape(member, tensor));
      } else {
        TRY_VOID(take_offsets(name, member));
      }
    }
    if (seen != kAll) return fail(ErrorCode::safetensors_header, name, "dtype, shape or data_offsets is missing");
    tensors_.push_back(std::move(tensor));
    return {};
  }

  Status take_shape(const dom::element& value, TensorInfo& tensor) const {
    dom::array extents;
    if (value.get(extents)) return fail(ErrorCode::json_type, tensor.name, "its shape is no array");
    tensor.shape.reserve(std::min(extents.size(), kMaxRank));
    for (const dom::element element : extents) {
      std::uint64_t extent = 0;
      if (tensor.shape.size() == kMaxRank) return fail(ErrorCode::rank_too_large, tensor.name, {});
      if (element.get(extent) || extent > static_cast<std::uint64_t>(kMaxExtent))
        return fail(ErrorCode::invalid_extent, tensor.name, "axis " + std::to_string(tensor.shape.size()));
      tensor.shape.push_back(static_cast<std::int64_t>(extent));
    }
    return {};
  }

  Status take_offsets(std::string_view name, const dom::element& value) {
    dom::array pair;
    Span span{.begin = 0, .end = 0, .tensor = tensors_.size()};
    if (value.get(pair) || pair.size() != 2 || pair.at(0).get(span.begin) || pair.at(1).get(span.end))
      return fail(ErrorCode::json_type, name, "its data_offsets are not two whole numbers");
    if (span.end < span.begin)
      return fail(ErrorCode::safetensors_offsets, name,
                  "it begins at " + std::to_string(span.begin) + " and ends at " + std::to_string(span.end));
    spans_.push_back(span);
    return {};
  }

  // By sorting: a table of hashes could be made to collide.
  Status check_names_differ() const {
    std::vector<std::string_view> names;
    names.reserve(tensors_.size());
    for (const TensorInfo& tensor : tensors_) names.push_back(tensor.name);
    if (const auto twice = repeated(std::move(names))) return fail(ErrorCode::json_duplicate_key, *twice, {});
    return {};
  }

  // How many bytes shape and dtype take; nullopt: a dtype of unknown size.
  Result<std::optional<std::uint64_t>> bytes_of(const TensorInfo& tensor) const {
    const auto bits = tensor.dtype.bits();
    if (!bits) return std::optional<std::uint64_t>();
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
    std::optional<std::int64_t> total = empty ? 0 : *bits;
    for (const std::int64_t extent : tensor.shape)
      if (total) total = checked_mul(*total, extent);
    if (!total) return fail(ErrorCode::overflow, tensor.name, "its number of bits");
    if (*total % 8 != 0) return fail(ErrorCode::safetensors_offsets, tensor.name, "it ends within a byte");
    return std::optional(static_cast<std::uint64_t>(*total) / 8);
  }

  // The tensors' bytes follow one another without holes from the header to the end of the file.
  Status check_layout() {
    std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
      return std::tie(a.begin, a.end, a.tensor) < std::tie(b.begin, b.end, b.tensor);
    });
    std::uint64_t at = 0;
    for (const Span& span : spans_) {
      const TensorInfo& tensor = tensors_[span.tensor];
      if (span.begin != at)
        return fail(ErrorCode::safetensors_offsets, tensor.name,
                    "it begins at " + std::to_string(span.begin) + ", where the tensor before it ends at " +
                        std::to_string(at));
      TRY(const auto size, bytes_of(tensor));
      if (size && *size != span.end - span.begin)
        return fail(ErrorCode::safetensors_offsets, tensor.name,
                    "it has " + std::to_string(span.end - span.begin) + " bytes, its shape and dtype take " +
                        std::to_string(*size));
      at = span.end;
    }
    const std::uint64_t data = file_size_ - kLengthSize - text_.size();
    if (at != data)
      return fail(
          ErrorCode::safetensors_offsets, {},
          "the tensors take " + std::to_string(at) + " bytes, the file has " + std::to_string(data) + " for them");
    return {};
  }

  ByteSource& source_;
  std::string text_;
  std::uint64_t file_size_ = 0;
  std::vector<TensorInfo> tensors_;
  std::vector<Span> spans_;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(std::vector<TensorInfo> tensors, HeaderReader(source).read());
  for (TensorInfo& tensor : tensors) sink.tensor(std::move(tensor));
  return {};
}

}  // namespace

constinit const Reader readers::safetensors{.id = "safetensors",
                                            .title = "safetensors file",
                                            .specification = "the format of safetensors 0.8",
                                            .extensions = ".safetensors",
                                            .sniff = sniff,
                                            .open = open};

}  // namespace tensorspec
