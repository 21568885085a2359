// SPDX-License-Identifier: Apache-2.0
//
// MLmodel files of MLflow: the signature. The file is YAML, of which this reads what MLflow writes: a mapping whose
// entry `signature` has the entries `inputs` and `outputs`, each the text of a JSON list. The rest is not looked at.
#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"
#include "wire/document.hpp"

namespace tensorspec {
namespace {

// The text that MLflow keeps beside a signature is some kilobytes.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::string_view kMarks[] = {"artifact_path", "mlflow_version", "model_id",        "model_uuid",
                                       "run_id",        "signature",      "utc_time_created"};

// The line at `at` without its end; `at` moves behind it.
std::string_view take_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool says_nothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

// Is this the line of the key? Then what stands behind the colon.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  line.remove_prefix(indent_of(line));
  if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") return std::nullopt;
  line.remove_prefix(key.size() + 1);
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

bool is_key(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Keys of a mapping from the first line on.
bool sniff(const Head& head) {
  bool first = true, flavors = false, other = false;
  for (std::size_t at = 0; at < head.bytes.size();) {
    const std::string_view line = take_line(head.bytes, at);
    if (line.starts_with(' ') || says_nothing(line)) continue;
    const auto colon = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_key) - line.begin());
    if (std::exchange(first, false) && (colon == 0 || line.substr(colon, 1) != ":")) return false;
    flavors = flavors || value_of(line, "flavors");
    for (const std::string_view mark : kMarks) other = other || value_of(line, mark);
  }
  return flavors && other;
}

class SignatureReader {
 public:
  explicit SignatureReader(ByteSource& source) : source_(source) {}

  Result<Declared> read() {
    TRY(text_, read_document(source_, kMaxBytes));
    TRY_VOID(find_signature());
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const std::string_view line = take_line(text_, at_);
      if (says_nothing(line)) continue;
      if (indent_of(line) == 0) break;
      const auto inputs = value_of(line, "inputs"), outputs = value_of(line, "outputs");
      if (!inputs && !outputs) continue;
      const std::string_view value = inputs ? *inputs : *outputs;
      const auto offset = static_cast<std::size_t>(value.data() - text_.data());
      TRY(const std::string json, scalar(value, offset, indent_of(line)));
      TRY_VOID(read_list(json, inputs ? "input" : "output", begin, inputs ? declared_.inputs : declared_.outputs));
    }
    return std::move(declared_);
  }

 private:
  Error fail(std::size_t offset, std::string detail) const {
    return Error{.code = ErrorCode::mlmodel, .where = source_.place().at(offset), .detail = std::move(detail)};
  }

  Status find_signature() {
    while (at_ < text_.size()) {
      const std::string_view line = take_line(text_, at_);
      if (line.starts_with(' ') || !value_of(line, "signature")) continue;
      const std::string_view value = *value_of(line, "signature");
      if (says_nothing(value)) return {};
      if (value != "null" && value != "~") return fail(at_, "a signature that is no block of inputs and outputs");
      at_ = text_.size();
    }
    return Error{.code = ErrorCode::nothing_declared, .where = source_.name(), .detail = "it has no signature"};
  }

  // The text of a scalar whose first line is `value` at `offset`; moves at_ behind it.
  Result<std::string> scalar(std::string_view value, std::size_t offset, std::size_t indent) {
    if (value.starts_with('\'') || value.starts_with('"')) return quoted(offset);
    const bool block = value.starts_with('|') || value.starts_with('>');
    std::string out(block ? std::string_view() : value);
    while (at_ < text_.size()) {
      std::size_t next = at_;
      const std::string_view line = take_line(text_, next);
      if (!says_nothing(line) && indent_of(line) <= indent) break;
      if (!says_nothing(line)) out.append(" ").append(line);
      at_ = next;
    }
    return out == "null" || out == "~" ? std::string() : out;
  }

  // A line break within is a space, and n of them with nothing between are n - 1.
  Result<std::string> quoted(std::size_t offset) {
    const char quote = text_[offset];
    std::string out;
    for (std::size_t at = offset + 1; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\n') {
        fold(out, at);
      } else if (c == quote && quote == '\'' && text_.substr(at + 1, 1) == "'") {
        out += text_[at++];
      } else if (c == quote) {
        at_ = at;
        take_line(text_, at_);
        return out;
      } else if (c == '\\' && quote == '"') {
        TRY_VOID(escape(out, ++at));
      } else {
        out += c;
      }
    }
    return fail(offset, "a text that does not end");
  }

  void fold(std::string& out, std::size_t& at) const {
    while (!out.empty() && (out.back() == ' ' || out.back() == '\r')) out.pop_back();
    std::size_t breaks = 1;
    while (at + 1 < text_.size() && (text_[at + 1] == ' ' || text_[at + 1] == '\r' || text_[at + 1] == '\n'))
      breaks += text_[++at] == '\n' ? 1 : 0;
    if (breaks == 1) out += ' ';
    else out.append(breaks - 1, '\n');
  }

  // Those that stand for another character go on into the JSON text as they are.
  Status escape(std::string& out, std::size_t& at) const {
    if (at >= text_.size()) return fail(at, "a text that does not end");
    const char c = text_[at];
    if (c == '\n') {
      while (at + 1 < text_.size() && text_[at + 1] == ' ') ++at;
    } else if (c == '"' || c == '\\' || c == '/' || c == ' ') {
      out += c;
    } else if (c == 'n' || c == 't' || c == 'r') {
      out += ' ';
    } else if (c == 'u') {
      out += "\\u";
    } else {
      return fail(at, "an unknown escape in a text");
    }
    return {};
  }

  Status read_list(const std::string& json, const std::string& side, std::size_t offset,
                   std::vector<DeclaredTensor>& to) {
    if (json.empty()) return {};
    auto parsed = Json::parse(json);
    if (!parsed.ok()) return fail(offset, side + "s: " + parsed.error().message());
    const Json::Array* list = parsed->array();
    if (!list) return fail(offset, side + "s are no list");
    if (list->size() > kMaxTensors)
      return Error{ErrorCode::too_many_tensors, source_.name(), "the limit is " + std::to_string(kMaxTensors)};
    to.clear();
    for (const Json& item : *list) {
      TRY(DeclaredTensor tensor, read_tensor(item, side + "_" + std::to_string(to.size()), offset));
      to.push_back(std::move(tensor));
    }
    return {};
  }

  // A tensor, or a column of a table, which has a type and no shape.
  Result<DeclaredTensor> read_tensor(const Json& item, const std::string& unnamed, std::size_t offset) {
    const Json *name = item.find("name"), *type = item.find("type"), *spec = item.find("tensor-spec");
    if (!type || !type->string()) return fail(offset, unnamed + " has no type");
    DeclaredTensor tensor;
    // As files of ONNX test data that have no names inside.
    tensor.name = name && name->string() && !name->string()->empty() ? *name->string() : unnamed;
    TRY_VOID(check_name(source_.name(), tensor.name));
    if (*type->string() != "tensor") {
      tensor.dtype = dtype_of_column(*type->string());
      return tensor;
    }
    const Json* dtype = spec ? spec->find("dtype") : nullptr;
    const Json* shape = spec ? spec->find("shape") : nullptr;
    if (!dtype || !dtype->string() || !shape || !shape->array())
      return fail(offset, tensor.name + " has no tensor-spec of dtype and shape");
    tensor.dtype = DType::from_numpy(*dtype->string());
    if (shape->array()->size() > kMaxRank)
      return Error{ErrorCode::rank_too_large, source_.place().at(offset), tensor.name};
    std::vector<DeclaredDim>& dims = tensor.shape.emplace();
    for (const Json& dim : *shape->array()) {
      const auto size = dim.int64();
      if (!size) return fail(offset, tensor.name + " has a size that is no whole number");
      if (*size < -1 || *size > kMaxExtent)
        return Error{ErrorCode::invalid_extent, source_.place().at(offset), tensor.name + ": " + std::to_string(*size)};
      dims.push_back(*size == -1 ? DeclaredDim() : DeclaredDim{.size = *size});
    }
    return tensor;
  }

  static DType dtype_of_column(const std::string& type) {
    static constexpr std::pair<std::string_view, DType::Kind> kTypes[] = {
        {"boolean", DType::Kind::boolean}, {"integer", DType::Kind::int32},  {"long", DType::Kind::int64},
        {"float", DType::Kind::float32},   {"double", DType::Kind::float64}, {"string", DType::Kind::string}};
    for (const auto& [name, kind] : kTypes)
      if (name == type) return DType(kind);
    return DType::other(type);
  }

  ByteSource& source_;
  std::string text_;
  std::size_t at_ = 0;
  Declared declared_;
};

Status open(ByteSource& source, ReadSink& sink) {
  TRY(const Declared declared, SignatureReader(source).read());
  sink.declared(declared);
  return {};
}

}  // namespace

constinit const Reader readers::mlmodel{.id = "mlmodel",
                                        .title = "MLmodel file of MLflow: the signature",
                                        .specification = "MLflow 3.17: model signatures",
                                        .extensions = "MLmodel",
                                        .sniff = sniff,
                                        .open = open};

}  // namespace tensorspec
