// SPDX-License-Identifier: Apache-2.0
//
// MLmodel files of MLflow: the signature. The file is YAML, of which this reads what MLflow writes: a mapping whose
// entry `signature` has the entries `inputs` and `outputs`, each the text of a JSON list. The rest is not looked at.
#include <algorithm>

#include "base/escapes.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "read/reader.hpp"
#include "wire/document.hpp"

namespace tensorspec {
namespace {

// The text that MLflow keeps beside a signature is some kilobytes.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::string_view kBlanks = " \t";
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

bool is_key(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// A line "key: value", the key quoted or not.
struct Entry {
  std::string_view key, value;
};
std::optional<Entry> entry_of(std::string_view line) {
  line.remove_prefix(indent_of(line));
  const std::string_view quote = line.substr(0, line.starts_with('"') || line.starts_with('\'') ? 1 : 0);
  line.remove_prefix(quote.size());
  const auto size = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_key) - line.begin());
  const std::string_view key = line.substr(0, size);
  line.remove_prefix(size);
  if (key.empty() || !line.starts_with(quote)) return std::nullopt;
  line.remove_prefix(quote.size());
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  if (!line.starts_with(':')) return std::nullopt;
  line.remove_prefix(1);
  const std::size_t value = std::min(line.find_first_not_of(kBlanks), line.size());
  if (value == 0 && !line.empty()) return std::nullopt;
  return Entry{key, line.substr(value)};
}

bool is_null(std::string_view value) {
  static constexpr std::string_view kWords[] = {"", "~", "null", "Null", "NULL"};
  if (says_nothing(value)) return true;
  value = value.substr(0, value.find(" #"));
  value = value.substr(0, value.find_last_not_of(kBlanks) + 1);
  return std::find(std::begin(kWords), std::end(kWords), value) != std::end(kWords);
}

// Keys of a mapping from the first line on, which a mark of YAML's may stand before.
bool sniff(const Head& head) {
  std::string_view text = head.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  bool first = true, flavors = false, other = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (line.starts_with(' ') || says_nothing(line)) continue;
    if (first && (line.starts_with('%') || line.substr(0, line.find_first_of(kBlanks)) == "---")) continue;
    const auto entry = entry_of(line);
    if (std::exchange(first, false) && !entry) return false;
    flavors = flavors || (entry && entry->key == "flavors");
    other = other || (entry && std::find(std::begin(kMarks), std::end(kMarks), entry->key) != std::end(kMarks));
  }
  return flavors && other;
}

class SignatureReader {
 public:
  explicit SignatureReader(ByteSource& source) : source_(source) {}

  Result<Declared> read() {
    TRY(text_, read_document(source_, kMaxBytes));
    TRY_VOID(find_signature());
    std::optional<std::size_t> indent;  // of the keys of the signature; what stands deeper is the value of one
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const std::string_view line = take_line(text_, at_);
      if (says_nothing(line)) continue;
      const std::size_t own = indent_of(line);
      if (line[own] == '\t') return fail(begin, "a tab in the indentation");
      if (own == 0) break;
      if (own > indent.value_or(own)) continue;
      indent = own;
      const auto entry = entry_of(line);
      if (!entry || (entry->key != "inputs" && entry->key != "outputs")) continue;
      const bool inputs = entry->key == "inputs";
      const auto offset = static_cast<std::size_t>(entry->value.data() - text_.data());
      TRY(const std::string json, scalar(entry->value, offset, own));
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
      const auto entry = line.starts_with(' ') ? std::nullopt : entry_of(line);
      if (!entry || entry->key != "signature") continue;
      if (says_nothing(entry->value)) return {};
      if (!is_null(entry->value)) return fail(at_, "a signature that is no block of inputs and outputs");
      at_ = text_.size();
    }
    return Error{.code = ErrorCode::nothing_declared, .where = source_.name(), .detail = "it has no signature"};
  }

  // The text of a scalar whose first line is `value` at `offset`, or below it; moves at_ behind it.
  Result<std::string> scalar(std::string_view value, std::size_t offset, std::size_t indent) {
    for (std::size_t next = at_; says_nothing(value) && next < text_.size();) {
      const std::size_t begin = next;
      const std::string_view line = take_line(text_, next);
      if (says_nothing(line)) continue;
      const std::size_t own = indent_of(line);
      if (own >= indent && line.substr(own, 1) == "-" && (own + 1 == line.size() || line[own + 1] == ' '))
        return fail(begin, "a list of YAML, where MLflow has the text of a JSON list");
      if (own <= indent) break;
      at_ = next;
      offset = begin + own;
      value = line.substr(own);
    }
    if (is_null(value)) return std::string();
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
    return is_null(out) ? std::string() : out;
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

  // `at`: behind the backslash; it moves to the last character that belongs to the escape.
  Status escape(std::string& out, std::size_t& at) const {
    static constexpr std::string_view kFrom = "0abt\tnvfre \"/\\N_LP";
    static constexpr std::uint32_t kTo[] = {0,  7,   8,   '\t', '\t', '\n', 11,   12,     '\r',
                                            27, ' ', '"', '/',  '\\', 0x85, 0xA0, 0x2028, 0x2029};
    if (text_.substr(at, 2) == "\r\n") ++at;
    if (at >= text_.size()) return fail(at, "a text that does not end");
    const char c = text_[at];
    if (c == '\n') {
      while (at + 1 < text_.size() && text_[at + 1] == ' ') ++at;
    } else if (const std::size_t known = kFrom.find(c); known != std::string_view::npos) {
      append_code_point(out, kTo[known]);
    } else {
      const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0, begin = at + 1;
      std::size_t end = begin;
      const std::uint32_t value = take_digits(text_, end, 16, digits);
      if (digits == 0 || end - begin != digits || value > 0x10FFFF) return fail(at, "an unknown escape in a text");
      append_code_point(out, value);
      at = end - 1;
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
