// SPDX-License-Identifier: Apache-2.0
//
// Input data of Triton's perf_analyzer (--input-data): {"data": [..]}, each entry a request or, nested once more, the
// requests of a stream. A tensor is {"content": [..], "shape": [..]}, {"b64": "..", "shape": [..]} or the list of its
// values alone, which is one axis of as many. Shapes are those of one request without the batch, which only the model's
// configuration knows, and so are the dtypes.
#include <algorithm>

#include "base/text.hpp"
#include "read/json_calls.hpp"
#include "read/json_head.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kData = "data", kValidation = "validation_data";

bool sniff(const Head& head) {
  const JsonSketch* sketch = first_value(head);
  const JsonSketch* data = sketch ? sketch->find(kData) : nullptr;
  if (!data || data->kind != '[') return false;
  if (!std::all_of(sketch->members.begin(), sketch->members.end(), [](const JsonSketch& member) {
        return member.is(kData) || member.is(kValidation) || member.kind == 0;
      }))
    return false;
  const JsonSketch* stream = data->first('[');
  const JsonSketch* request = stream ? stream->first('{') : data->first('{');
  // A table of rows has numbers and texts there.
  return request && !request->members.empty() &&
         (request->members[0].kind == '[' || request->members[0].find("content") || request->members[0].find("b64"));
}

class DataReader : JsonCalls {
 public:
  DataReader(ByteSource& source, ReadSink& sink) : JsonCalls(source, sink) {}

  Status read() {
    return read_whole([this](std::string_view text) { return walk(text); });
  }

 private:
  Status walk(std::string_view text) {
    ondemand::document document;
    TRY_VOID(start_walk(*parser_, text, document));
    ondemand::object root;
    JSON_GET(root, document.get_object(), "", "a JSON object");
    bool found = false;
    for (auto member : root) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), "", "a key");
      if (key != kData) continue;
      if (std::exchange(found, true)) return Error{ErrorCode::json_duplicate_key, "", std::string(kData)};
      ondemand::array list;
      JSON_GET(list, member.value().get_array(), kData, "an array");
      TRY_VOID(read_list(list, "data", false));
      if (stopped_) return {};
    }
    if (!found) return Error{ErrorCode::perf_analyzer, "", "it has no data"};
    return finish_walk(document);
  }

  Status read_list(ondemand::array list, const std::string& path, bool stream) {
    std::size_t number = 0;
    for (auto element : list) {
      ondemand::value value;
      const std::string here = path + "[" + std::to_string(number++) + "]";
      JSON_GET(value, element, here, "an object");
      ondemand::json_type type{};
      JSON_GET(type, value.type(), here, "an object");
      if (type == ondemand::json_type::array && !stream) {
        ondemand::array inner;
        JSON_GET(inner, value.get_array(), here, "an array");
        TRY_VOID(read_list(inner, here, true));
      } else if (type == ondemand::json_type::object) {
        TRY_VOID(read_request(value, here));
      } else {
        stopped_ = !sink_.bad(at({ErrorCode::perf_analyzer, "", "a request that is no object"}, here));
      }
      if (stopped_) return {};
    }
    return {};
  }

  // What is no JSON ends the reading; a request that is none costs itself alone.
  Status read_request(ondemand::value value, const std::string& here) {
    ++calls_;
    Call call;
    std::optional<Error> fault;
    ondemand::object tensors;
    JSON_GET(tensors, value.get_object(), here, "an object");
    for (auto member : tensors) {
      std::string_view name;
      JSON_GET(name, member.unescaped_key(), here, "a key");
      TensorInfo tensor{.name = std::string(name), .dtype = {}, .shape = {}};
      ondemand::value content;
      JSON_GET(content, member.value(), here, "a value");
      if (fault) continue;
      if (auto named = check_name({}, name); !named.ok()) fault = std::move(named).error();
      else if (auto status = read_tensor(content, tensor, here + " " + tensor.name); !status.ok()) {
        if (status.error().code == ErrorCode::json_syntax) return status;
        fault = std::move(status).error();
      }
      call.inputs.push_back(std::move(tensor));
      if (call.inputs.size() > kMaxTensors)
        return Error{ErrorCode::too_many_tensors, "", "the limit is " + std::to_string(kMaxTensors)};
    }
    give(call, std::move(fault), {ErrorCode::perf_analyzer, "", "a request without inputs"}, here, calls_);
    return {};
  }

  static Status read_tensor(ondemand::value value, TensorInfo& tensor, const std::string& what) {
    ondemand::json_type type{};
    JSON_GET(type, value.type(), what, "an object or an array");
    if (type == ondemand::json_type::array) return count_values(value, tensor, what);
    ondemand::object members;
    JSON_GET(members, value.get_object(), what, "an object or an array");
    bool has_shape = false, has_content = false;
    for (auto member : members) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), what, "a key");
      ondemand::value inner;
      JSON_GET(inner, member.value(), what, "a value");
      if (key == "shape") {
        TRY_VOID(walk_shape(inner, tensor.shape, what + " shape"));
        has_shape = true;
      } else if (key == "content" && !has_shape) {
        ondemand::json_type kind{};
        JSON_GET(kind, inner.type(), what, "an array");
        if (kind != ondemand::json_type::array) continue;
        TRY_VOID(count_values(inner, tensor, what));
        has_content = true;
      }
    }
    if (has_shape || has_content) return {};
    return Error{ErrorCode::perf_analyzer, "", what + " has no shape"};
  }

  static Status count_values(ondemand::value value, TensorInfo& tensor, const std::string& what) {
    ondemand::array values;
    JSON_GET(values, value.get_array(), what, "an array");
    std::size_t count = 0;
    JSON_GET(count, values.count_elements(), what, "an array");
    tensor.shape = {static_cast<std::int64_t>(count)};
    return {};
  }

  std::uint64_t calls_ = 0;
};

Status open(ByteSource& source, ReadSink& sink) { return DataReader(source, sink).read(); }

}  // namespace

constinit const Reader readers::perf_analyzer{.id = "perf_analyzer",
                                              .title = "Input data of Triton's perf_analyzer",
                                              .specification = "Triton's perf_analyzer, --input-data",
                                              .extensions = ".json",
                                              .sniff = sniff,
                                              .open = open,
                                              .without_batch = true};

}  // namespace tensorspec
