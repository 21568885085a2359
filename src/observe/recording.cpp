// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/recording.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "observe/line_pattern.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxLine = std::size_t{64} << 20;
constexpr std::size_t kMaxPatternLine = std::size_t{64} << 10;
constexpr std::size_t kPatterns = 16;
namespace dom = simdjson::dom;

Error bad_type(std::string_view what, std::string_view expected) {
  return Error{ErrorCode::json_type, std::string(what), "expected " + std::string(expected)};
}

Result<std::int64_t> extent_of(const dom::element& element, const TensorInfo& tensor, std::size_t axis) {
  std::int64_t extent = 0;
  const auto error = element.get(extent);
  if (error == simdjson::NUMBER_OUT_OF_RANGE)
    return Error{ErrorCode::invalid_extent, tensor.name + " axis " + std::to_string(axis), "it exceeds 64 bits"};
  if (error) return bad_type(tensor.name + " axis " + std::to_string(axis), "a whole number");
  if (extent < 0 || extent > kMaxExtent)
    return Error{ErrorCode::invalid_extent, tensor.name + " axis " + std::to_string(axis), std::to_string(extent)};
  return extent;
}

Status read_tensor(const dom::element& element, TensorInfo& tensor) {
  dom::object members;
  if (element.get(members)) return bad_type(tensor.name, "an object with dtype and shape");
  bool has_shape = false, has_dtype = false;
  for (const auto [key, value] : members) {
    if (key == "dtype") {
      std::string_view text;
      if (has_dtype) return Error{ErrorCode::json_duplicate_key, tensor.name, "\"dtype\""};
      has_dtype = true;
      if (value.is_null()) tensor.dtype = DType();
      else if (value.get(text)) return bad_type(tensor.name + " dtype", "text");
      else if (tensor.dtype.name() != text) tensor.dtype = DType::from_text(text);
    } else if (key == "shape") {
      dom::array extents;
      if (has_shape) return Error{ErrorCode::json_duplicate_key, tensor.name, "\"shape\""};
      has_shape = true;
      if (value.get(extents)) return bad_type(tensor.name + " shape", "an array of whole numbers");
      tensor.shape.clear();
      for (const dom::element extent : extents) {
        if (tensor.shape.size() == kMaxRank) return Error{ErrorCode::rank_too_large, tensor.name, ""};
        TRY(const std::int64_t size, extent_of(extent, tensor, tensor.shape.size()));
        tensor.shape.push_back(size);
      }
    }
  }
  if (!has_shape) return Error{ErrorCode::recording_call, tensor.name, "no shape"};
  if (!has_dtype) tensor.dtype = DType();
  return {};
}

// Fills `tensors` in place: a recording repeats the same tensors line after line, and what is equal is not written
// again. `renamed` tells whether any name changed, so that uniqueness needs no second proof.
Status read_group(const dom::element& element, std::string_view group, std::vector<TensorInfo>& tensors,
                  bool& renamed) {
  std::size_t count = 0;
  dom::object members;
  if (!element.is_null()) {
    if (element.get(members)) return bad_type(group, "an object of tensors");
    for (const auto [name, value] : members) {
      if (count == tensors.size()) tensors.emplace_back(), renamed = true;
      TensorInfo& tensor = tensors[count++];
      if (tensor.name != name) tensor.name = name, renamed = true;
      TRY_VOID(read_tensor(value, tensor));
    }
  }
  if (count != tensors.size()) tensors.resize(count), renamed = true;
  return {};
}

Status check_names(const std::vector<TensorInfo>& tensors) {
  std::vector<std::string_view> names;
  for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
  if (const auto twice = repeated(std::move(names))) return Error{ErrorCode::duplicate_tensor, std::string(*twice), ""};
  return {};
}

Status read_batch_size(const dom::element& value, std::optional<std::int64_t>& batch_size) {
  std::int64_t size = 0;
  if (value.is_null()) return {};
  if (value.get(size)) return bad_type("batch_size", "a whole number or null");
  if (size < 1 || size > kMaxExtent) return Error{ErrorCode::invalid_batch_size, "batch_size", std::to_string(size)};
  batch_size = size;
  return {};
}

Status read_call(const dom::element& root, Call& call) {
  static constexpr std::string_view kKeys[] = {"batch_size", "inputs", "outputs", "ok", "count"};
  bool seen[std::size(kKeys)] = {};
  bool renamed = false;
  call.batch_size.reset();
  call.ok = true;
  call.weight = 1;
  dom::object members;
  if (root.get(members)) return Error{ErrorCode::recording_call, "", "a line must hold one JSON object"};
  for (const auto [key, value] : members) {
    const auto known = std::find(std::begin(kKeys), std::end(kKeys), key) - std::begin(kKeys);
    if (known == std::ssize(kKeys)) continue;
    if (std::exchange(seen[known], true)) return Error{ErrorCode::json_duplicate_key, std::string(key), ""};
    switch (known) {
      case 0: TRY_VOID(read_batch_size(value, call.batch_size)); break;
      case 1: TRY_VOID(read_group(value, key, call.inputs, renamed)); break;
      case 2: TRY_VOID(read_group(value, key, call.outputs, renamed)); break;
      case 3:
        if (value.get(call.ok)) return bad_type("ok", "true or false");
        break;
      default:
        if (value.get(call.weight) || call.weight == 0) return bad_type("count", "a whole number of at least 1");
    }
  }
  if (!seen[1]) return Error{ErrorCode::recording_call, "", "no \"inputs\""};
  if (!seen[2]) call.outputs.clear();
  if (renamed) {
    TRY_VOID(check_names(call.inputs));
    TRY_VOID(check_names(call.outputs));
  }
  return {};
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

struct RecordingParser::State {
  Handlers handlers;
  dom::parser parser;
  std::string pending;  // an unfinished line; capacity leaves room for the padding that simdjson reads over
  std::uint64_t line = 0;
  bool too_long = false;  // inside a line over the limit: skip to its end
  bool stopped = false;
  Call call;
  std::vector<LinePattern> patterns;
  std::size_t last = 0;    // the pattern of the last line that had one
  std::size_t unlike = 0;  // lines since then

  void report(Error error) {
    error = within(std::move(error), "line " + std::to_string(line), ", ");
    // After an error the reused call may be half new; the next line must not trust its names.
    call = Call();
    if (!handlers.bad(error)) stopped = true;
  }

  // simdjson says what is wrong but not where; the slow parser knows the byte.
  Error syntax_error(std::string_view text, simdjson::error_code code) {
    if (code == simdjson::NUMBER_ERROR || code == simdjson::NUMBER_OUT_OF_RANGE)
      return Error{ErrorCode::json_syntax, "", "a number is malformed or outside 64 bits"};
    if (auto slow = Json::parse(text); !slow.ok()) return slow.error();
    return Error{ErrorCode::json_syntax, "", simdjson::error_message(code)};
  }

  // REQUIRES: SIMDJSON_PADDING readable bytes after the text.
  void take_line(std::string_view text) {
    ++line;
    if (line == 1 && text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    if (const LinePattern* pattern = pattern_of(text)) return handlers.call(pattern->call(), line);
    if (is_blank(text)) return;
    dom::element root;
    if (const auto code = parser.parse(text.data(), text.size(), false).get(root))
      return report(syntax_error(text, code));
    if (auto status = read_call(root, call); !status.ok()) return report(std::move(status).error());
    keep_pattern(text);
    handlers.call(call, line);
  }

  const LinePattern* pattern_of(std::string_view text) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::size_t at = (last + i) % patterns.size();
      if (!patterns[at].read(text)) continue;
      last = at;
      unlike = 0;
      return &patterns[at];
    }
    return nullptr;
  }

  // Of every line that is like none, until they show that lines are not alike here; then now and then.
  void keep_pattern(std::string_view text) {
    ++unlike;
    if (text.size() > kMaxPatternLine || (unlike > kPatterns && unlike % kPatterns != 0)) return;
    auto pattern = LinePattern::of(text, call);
    if (!pattern) return;
    if (patterns.size() < kPatterns) patterns.push_back(*std::move(pattern));
    else patterns[(last + unlike) % kPatterns] = *std::move(pattern);
  }

  void skip_rest_of_line() {
    pending.clear();
    if (!std::exchange(too_long, true)) {
      ++line;
      report(Error{ErrorCode::recording_line_too_long, "", "more than " + std::to_string(kMaxLine) + " bytes"});
    }
  }

  void finish_pending() {
    pending.reserve(pending.size() + simdjson::SIMDJSON_PADDING);
    take_line(pending);
    pending.clear();
  }
};

RecordingParser::RecordingParser(Handlers handlers) : state_(std::make_unique<State>()) {
  state_->handlers = std::move(handlers);
}
RecordingParser::~RecordingParser() = default;
RecordingParser::RecordingParser(RecordingParser&&) noexcept = default;
RecordingParser& RecordingParser::operator=(RecordingParser&&) noexcept = default;

bool RecordingParser::feed(std::string_view bytes) {
  State& s = *state_;
  while (!bytes.empty() && !s.stopped) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (!s.too_long && s.pending.size() + piece.size() > kMaxLine) s.skip_rest_of_line();
    const bool padded = end != std::string_view::npos && bytes.size() - end >= simdjson::SIMDJSON_PADDING;
    if (s.too_long) {
      if (end != std::string_view::npos) s.too_long = false;
    } else if (padded && s.pending.empty()) {
      s.take_line(piece);  // in place: the bytes of the following lines serve as padding
    } else {
      s.pending.append(piece);
      if (end != std::string_view::npos) s.finish_pending();
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return !s.stopped;
}

bool RecordingParser::finish() {
  State& s = *state_;
  if (!s.stopped && !s.too_long && !s.pending.empty()) s.finish_pending();
  return !s.stopped;
}

namespace {
Json group_json(const std::vector<TensorInfo>& tensors) {
  Json::Object group;
  for (const TensorInfo& tensor : tensors) {
    Json entry;
    entry.add("dtype", tensor.dtype.is_known() ? Json(tensor.dtype.name()) : Json());
    entry.add("shape", Json::Array(tensor.shape.begin(), tensor.shape.end()));
    group.emplace_back(tensor.name, std::move(entry));
  }
  return group;
}
}  // namespace

std::string to_recording_line(const Call& call) {
  Json line;
  line.add("batch_size", call.batch_size);
  line.add("inputs", group_json(call.inputs));
  line.add("outputs", group_json(call.outputs));
  if (!call.ok) line.add("ok", false);
  if (call.weight != 1) line.add("count", call.weight);
  return line.dump();
}

}  // namespace tensorspec
