// SPDX-License-Identifier: Apache-2.0
//
// Inference requests of the Open Inference Protocol (KServe v2, Triton): one JSON document, or JSON Lines of them. Data
// is passed over, not parsed. With the binary extension the tensors' bytes stand behind the document: their sizes are
// held against shape and dtype, and of BYTES tensors the lengths are walked. A request may be kept as sent over HTTP,
// headers included. Outputs that have a shape, as in a log of requests with their responses, are outputs of the call.
#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "read/json_head.hpp"
#include "read/json_walk.hpp"
#include "wire/lines.hpp"

namespace tensorspec {
namespace {

// Images as JSON numbers take some tens of megabytes; simdjson needs four times as much beside.
constexpr std::size_t kMaxDocument = std::size_t{256} << 20;
constexpr std::size_t kMaxHeaders = std::size_t{64} << 10;
constexpr std::size_t kFirstPiece = std::size_t{256} << 10;
constexpr std::string_view kBinarySize = "binary_data_size", kPost = "POST ", kBlanks = " \t\r\n",
                           kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kHeaderLength = "inference-header-content-length";

// Bytes of the headers that stand before the body, 0 when there are none; npos: they do not end.
std::size_t headers_size(std::string_view text) {
  if (!text.starts_with(kPost)) return 0;
  const std::size_t end = text.find("\r\n\r\n"), bare = text.find("\n\n");
  if (end == std::string_view::npos && bare == std::string_view::npos) return std::string_view::npos;
  return end < bare ? end + 4 : bare + 2;
}

bool is_request(const JsonSketch& sketch) {
  const JsonSketch* inputs = sketch.find("inputs");
  if (!inputs || inputs->kind != '[') return false;
  const JsonSketch* tensor = inputs->first('{');
  return tensor && (tensor->find("datatype") || (tensor->find("name") && tensor->find("shape")));
}

bool sniff(const Head& head) {
  const std::size_t headers = headers_size(head.bytes);
  if (headers >= head.bytes.size()) return false;
  const auto body = headers > 0 ? sketch_json(head.bytes.substr(headers)) : std::nullopt;
  const JsonSketch* sketch = first_value(headers > 0 ? body : head.json());
  return sketch && is_request(*sketch);
}

// Where the document at the front of the text ends; npos: not here. Brackets within strings do not count.
std::size_t end_of_object(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    } else if (depth == 0 && kBlanks.find(c) == std::string_view::npos) {
      break;
    }
  }
  return std::string_view::npos;
}

// Bytes behind the document that belong to a tensor.
struct Binary {
  const TensorInfo* tensor;
  std::uint64_t size;
};

struct Request {
  Call call;
  std::vector<std::optional<std::uint64_t>> sizes;  // binary_data_size of each input

  std::vector<Binary> binaries() const {
    std::vector<Binary> out;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i]) out.push_back({&call.inputs[i], *sizes[i]});
    return out;
  }
};

class RequestParser {
 public:
  // Errors have no place.
  Status parse(std::string_view text) {
    Status status = walk(text);
    // simdjson takes what stands behind a document for a document that does not end.
    if (status.ok() || status.error().code != ErrorCode::json_syntax) return status;
    const std::size_t end = end_of_object(text);
    if (end == std::string_view::npos || text.find_first_not_of(kBlanks, end) == std::string_view::npos) return status;
    return Error{ErrorCode::json_syntax, "", "something stands behind the value"};
  }
  const Request& request() const noexcept { return request_; }

 private:
  Status walk(std::string_view text) {
    request_.call.inputs.clear();
    request_.call.outputs.clear();
    request_.sizes.clear();
    ondemand::document document;
    TRY_VOID(start_walk(*parser_, text, document));
    ondemand::object root;
    JSON_GET(root, document.get_object(), "", "a JSON object");
    bool inputs = false, outputs = false;
    for (auto member : root) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), "", "a key");
      const bool is_inputs = key == "inputs";
      if (!is_inputs && key != "outputs") continue;
      const std::string side(key);
      if (std::exchange(is_inputs ? inputs : outputs, true)) return Error{ErrorCode::json_duplicate_key, "", side};
      ondemand::value value;
      JSON_GET(value, member.value(), side, "an array");
      TRY_VOID(read_side(value, side, is_inputs));
    }
    if (!inputs) return Error{ErrorCode::inference_request, "", "it has no inputs"};
    TRY_VOID(finish_walk(document));
    return validate(request_.call);
  }

  struct Tensor {
    TensorInfo info;
    bool has_name = false, has_shape = false, has_dtype = false;
    std::optional<std::uint64_t> binary_size;
  };

  Status read_side(ondemand::value value, const std::string& side, bool inputs) {
    ondemand::array list;
    JSON_GET(list, value.get_array(), side, "an array");
    std::size_t number = 0;
    for (auto element : list) {
      const std::string what = side + "[" + std::to_string(number++) + "]";
      if (number > kMaxTensors)
        return Error{ErrorCode::too_many_tensors, "", "the limit is " + std::to_string(kMaxTensors)};
      ondemand::object object;
      JSON_GET(object, element.get_object(), what, "an object");
      Tensor tensor;
      TRY_VOID(read_tensor(object, tensor, what));
      if (!inputs) {
        // One that is only asked for has a name alone.
        if (tensor.has_name && tensor.has_shape) request_.call.outputs.push_back(std::move(tensor.info));
        continue;
      }
      for (const auto& [there, word] : {std::pair(tensor.has_name, "name"), std::pair(tensor.has_shape, "shape"),
                                        std::pair(tensor.has_dtype, "datatype")})
        if (!there) return Error{ErrorCode::inference_request, "", what + " has no " + word};
      request_.call.inputs.push_back(std::move(tensor.info));
      request_.sizes.push_back(tensor.binary_size);
    }
    return {};
  }

  Status read_tensor(ondemand::object object, Tensor& tensor, const std::string& what) {
    for (auto member : object) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), what, "a key");
      ondemand::value value;
      JSON_GET(value, member.value(), what, "a value");
      if ((key == "name" && tensor.has_name) || (key == "datatype" && tensor.has_dtype) ||
          (key == "shape" && tensor.has_shape))
        return Error{ErrorCode::json_duplicate_key, "", what + ": " + std::string(key)};
      if (key == "name") {
        std::string_view name;
        JSON_GET(name, value.get_string(), what + " name", "text");
        TRY_VOID(check_name({}, name));
        tensor.info.name = name;
        tensor.has_name = true;
      } else if (key == "datatype") {
        std::string_view dtype;
        JSON_GET(dtype, value.get_string(), what + " datatype", "text");
        tensor.info.dtype = DType::from_text(dtype);
        tensor.has_dtype = true;
      } else if (key == "shape") {
        TRY_VOID(walk_shape(value, tensor.info.shape, what + " shape"));
        tensor.has_shape = true;
      } else if (key == "parameters") {
        TRY_VOID(read_parameters(value, tensor, what));
      }
    }
    return {};
  }

  static Status read_parameters(ondemand::value value, Tensor& tensor, const std::string& what) {
    ondemand::object parameters;
    JSON_GET(parameters, value.get_object(), what + " parameters", "an object");
    for (auto member : parameters) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), what, "a key");
      if (key != kBinarySize) continue;
      std::int64_t size = 0;
      JSON_GET(size, member.value().get_int64(), what + " binary_data_size", "a whole number");
      if (size < 0) return Error{ErrorCode::binary_data, "", what + ": binary_data_size " + std::to_string(size)};
      tensor.binary_size = static_cast<std::uint64_t>(size);
    }
    return {};
  }

  KeptParser<ondemand::parser> parser_;
  Request request_;
};

// The bytes of tensors behind the document, from `begin` to the end of the source.
class BinaryData {
 public:
  BinaryData(ByteSource& source, std::uint64_t begin) : source_(source), at_(begin) {}

  Status check(const std::vector<Binary>& binaries) {
    TRY(const std::uint64_t end, source_.size());
    for (const auto& [tensor, size] : binaries) {
      if (size > end - at_) return fail(tensor->name, "its " + std::to_string(size) + " bytes reach beyond the end");
      TRY_VOID(check(*tensor, size));
      at_ += size;
    }
    if (at_ == end) return {};
    return fail({}, std::to_string(end - at_) + " bytes behind the last tensor");
  }

 private:
  Error fail(const std::string& tensor, std::string detail) const {
    return {ErrorCode::binary_data, source_.place().at(at_), (tensor.empty() ? "" : tensor + ": ") + std::move(detail)};
  }

  Status check(const TensorInfo& tensor, std::uint64_t size) {
    std::optional<std::int64_t> elements = 1;
    for (const std::int64_t extent : tensor.shape)
      if (extent == 0) elements = 0;
    for (const std::int64_t extent : tensor.shape)
      if (elements) elements = checked_mul(*elements, extent);
    if (tensor.dtype.kind() == DType::Kind::string) return check_lengths(tensor, size, elements);
    const auto bits = tensor.dtype.bits();
    if (!bits || *bits % 8 != 0) return {};
    const auto wanted = elements ? checked_mul(*elements, *bits / 8) : std::nullopt;
    if (wanted && static_cast<std::uint64_t>(*wanted) == size) return {};
    return fail(tensor.name, std::to_string(size) + " bytes, its shape and dtype take " +
                                 (wanted ? std::to_string(*wanted) : "more than 2^63"));
  }

  // Each element is a length of four bytes and as many bytes.
  Status check_lengths(const TensorInfo& tensor, std::uint64_t size, std::optional<std::int64_t> elements) {
    std::uint64_t count = 0;
    for (std::uint64_t left = size; left > 0; ++count) {
      if (left < 4) return fail(tensor.name, "it ends within a length");
      TRY(const std::uint32_t length, length_at(at_ + (size - left)));
      left -= 4;
      if (length > left)
        return fail(tensor.name, "element " + std::to_string(count) + " of " + std::to_string(length) +
                                     " bytes reaches beyond its end");
      left -= length;
    }
    if (elements && static_cast<std::uint64_t>(*elements) == count) return {};
    return fail(tensor.name, std::to_string(count) + " elements, its shape has " +
                                 (elements ? std::to_string(*elements) : "more than 2^63"));
  }

  Result<std::uint32_t> length_at(std::uint64_t offset) {
    if (offset < window_at_ || offset + 4 > window_at_ + window_.size()) {
      window_.resize(ByteSource::kHeadBytes);
      TRY(const std::size_t got, source_.read_at(offset, window_));
      window_.resize(got);
      window_at_ = offset;
      if (got < 4) return fail({}, "it ends within a length");
    }
    return load_le<std::uint32_t>(window_, static_cast<std::size_t>(offset - window_at_));
  }

  ByteSource& source_;
  std::uint64_t at_, window_at_ = 0;
  std::string window_;
};

class RequestReader {
 public:
  RequestReader(ByteSource& source, ReadSink& sink) : source_(source), sink_(sink) {}

  Status read() {
    TRY_VOID(read_headers());
    TRY(const std::string text, read_text());
    return lines_ ? read_lines() : read_one(text);
  }

 private:
  Error at(Error error, std::uint64_t line = 0) const {
    return within(std::move(error), source_.name() + (line > 0 ? ":line " + std::to_string(line) : ""), ": ");
  }

  Status read_headers() {
    TRY(const std::string_view head, source_.head());
    if (!head.starts_with(kPost)) return {};
    std::string text;
    TRY_VOID(read_further(source_, 0, text, kMaxHeaders));
    const std::size_t size = headers_size(text);
    if (size == std::string::npos)
      return at({ErrorCode::inference_request, "",
                 "its HTTP headers do not end within " + std::to_string(kMaxHeaders) + " bytes"});
    body_ = size;
    for (std::string_view rest = std::string_view(text).substr(0, size); !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      TRY_VOID(read_header(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
    return {};
  }

  Status read_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon != kHeaderLength.size() ||
        !std::equal(kHeaderLength.begin(), kHeaderLength.end(), line.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); }))
      return {};
    line.remove_prefix(colon + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const auto length = parse_int64(line);
    if (!length || *length < 0 || static_cast<std::uint64_t>(*length) > kMaxDocument)
      return at({ErrorCode::inference_request, "", "Inference-Header-Content-Length: " + std::string(line)});
    document_size_ = static_cast<std::size_t>(*length);
    return {};
  }

  Status read_lines() {
    LineReader lines(source_);
    LineReader::Line line;
    for (;;) {
      TRY(const bool more, lines.next(line));
      if (!more) return {};
      if (line.text.find_first_not_of(kBlanks) == std::string_view::npos && !line.too_long) continue;
      Status status = line.too_long ? Error{ErrorCode::inference_request, "",
                                            "it takes more than " + std::to_string(LineReader::kMaxLine) + " bytes"}
                                    : parser_.parse(line.text);
      if (status.ok() && !parser_.request().binaries().empty())
        status = Error{ErrorCode::binary_data, "", "binary data cannot stand in a line"};
      if (status.ok()) sink_.call(parser_.request().call, line.number);
      else if (!sink_.bad(at(std::move(status).error(), line.number))) return {};
    }
  }

  Status read_one(std::string_view text) {
    if (auto status = parser_.parse(text); !status.ok()) return at(std::move(status).error());
    if (const auto binaries = parser_.request().binaries(); !binaries.empty() || document_size_)
      TRY_VOID(BinaryData(source_, body_ + text_size_).check(binaries));
    sink_.call(parser_.request().call, 0);
    return {};
  }

  // The document, without the tensors' bytes behind it.
  Result<std::string> read_text() {
    std::string text;
    if (document_size_) {
      TRY_VOID(read_further(source_, body_, text, *document_size_));
      if (text.size() < *document_size_)
        return at({ErrorCode::inference_request, "",
                   "it ends within the " + std::to_string(*document_size_) + " bytes of its JSON"});
    } else {
      TRY_VOID(read_to_end_of_document(text));
    }
    text_size_ = text.size();
    if (body_ == 0 && text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    text.reserve(text.size() + kTextPadding);
    return text;
  }

  // Requests of JSON Lines have a line each; of a document over several lines the first is no object.
  static bool is_lines(std::string_view text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t last = text.substr(0, end).find_last_not_of(kBlanks);
    const std::size_t next = text.find_first_not_of(kBlanks, end);
    return last != std::string_view::npos && text[last] == '}' && next != std::string_view::npos && text[next] == '{';
  }

  // What a document that declares binary data has behind it is those data, whatever they look like.
  bool declares_binary(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const std::size_t end = end_of_object(text);
    return end != std::string_view::npos && parser_.parse(text.substr(0, end)).ok() &&
           !parser_.request().binaries().empty();
  }

  // Only what says that there is some has bytes behind it; otherwise the document is all there is.
  Status read_to_end_of_document(std::string& text) {
    for (std::size_t size = kFirstPiece;; size *= 2) {
      TRY_VOID(read_further(source_, body_, text, size));
      const bool as_lines = body_ == 0 && is_lines(text), binary = as_lines && declares_binary(text);
      if (lines_ = as_lines && !binary; lines_) return {};
      if (text.size() > kMaxDocument)
        return at({ErrorCode::document_too_large, "", "the limit is " + std::to_string(kMaxDocument) + " bytes"});
      const std::size_t end =
          binary || text.find(kBinarySize) != std::string::npos ? end_of_object(text) : std::string::npos;
      if (end != std::string::npos) text.resize(end);
      if (text.size() < size) return {};
    }
  }

  ByteSource& source_;
  ReadSink& sink_;
  RequestParser parser_;
  std::uint64_t body_ = 0;
  std::optional<std::size_t> document_size_;
  bool lines_ = false;
  std::size_t text_size_ = 0;
};

Status open(ByteSource& source, ReadSink& sink) { return RequestReader(source, sink).read(); }

}  // namespace

constinit const Reader readers::kserve{
    .id = "kserve",
    .title = "Inference requests of KServe v2 and Triton, JSON or JSON Lines",
    .specification = "Open Inference Protocol v2 with the binary tensor data extension",
    .extensions = ".json .jsonl .http",
    .sniff = sniff,
    .open = open};

}  // namespace tensorspec
