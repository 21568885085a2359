// SPDX-License-Identifier: Apache-2.0
//
// Inputs that Polygraphy saved (--save-inputs, save_json): a list of calls, each a map of names to arrays, which are
// .npy files (older ones .npz) or files of torch.save in base64. Of an .npy file its header alone is decoded.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "read/json_calls.hpp"
#include "read/json_head.hpp"
#include "read/npy.hpp"

namespace tensorspec {
namespace {

// How "\x93NUMPY" and "PK\3\4" begin in base64, which is also how torch.save's archives do.
constexpr std::string_view kNpy = "k05VTVBZ", kZip = "UEsDB";
constexpr std::string_view kKeys[] = {"array", "tensor"};

bool sniff(const Head& head) {
  const JsonSketch* sketch = first_value(head);
  const JsonSketch* call = sketch && sketch->kind == '[' ? sketch->first('{') : nullptr;
  const JsonSketch* value = call ? call->first('{') : nullptr;
  return value && std::any_of(value->members.begin(), value->members.end(), [](const JsonSketch& member) {
           return member.kind == '"' &&
                  std::any_of(std::begin(kKeys), std::end(kKeys),
                              [&](std::string_view key) { return member.is(key); }) &&
                  (member.text.starts_with(kNpy) || member.text.starts_with(kZip));
         });
}

constexpr auto kDigits = [] {
  std::array<int, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  return digits;
}();

// The first `count` bytes of the text in base64; fewer where it ends or holds another character.
std::string decode(std::string_view base64, std::size_t count) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (out.size() == count) break;
    const int digit = kDigits[static_cast<unsigned char>(c)];
    if (digit < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xFF);
  }
  return out;
}

// The one tensor of a file within the file.
class OneTensor final : public ReadSink {
 public:
  void tensor(TensorInfo found) override {
    ++count;
    info = std::move(found);
  }
  void call(const Call&, std::uint64_t) override { count += 2; }
  bool bad(const Error& found) override {
    error = found;
    return false;
  }

  TensorInfo info;
  std::size_t count = 0;
  std::optional<Error> error;
};

class InputsReader : JsonCalls {
 public:
  InputsReader(ByteSource& source, ReadSink& sink) : JsonCalls(source, sink) {}

  Status read() {
    return read_whole([this](std::string_view text) { return walk(text); });
  }

 private:
  Status walk(std::string_view text) {
    ondemand::document document;
    TRY_VOID(start_walk(*parser_, text, document));
    ondemand::array calls;
    JSON_GET(calls, document.get_array(), "", "a JSON array");
    std::uint64_t number = 0;
    for (auto element : calls) {
      const std::string here = "[" + std::to_string(number++) + "]";
      ondemand::json_type type{};
      JSON_GET(type, element.type(), here, "an object");
      if (type == ondemand::json_type::object) {
        ondemand::object members;
        JSON_GET(members, element.get_object(), here, "an object");
        TRY_VOID(read_call(members, here, number));
      } else {
        give({}, Error{ErrorCode::json_type, "", "expected an object"}, {}, here, number);
      }
      if (stopped_) return {};
    }
    return finish_walk(document);
  }

  Status read_call(ondemand::object members, const std::string& here, std::uint64_t number) {
    Call call;
    std::optional<Error> fault;
    for (auto member : members) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), here, "a key");
      std::string name(key);
      ondemand::value value;
      JSON_GET(value, member.value(), here, "an object");
      if (fault) continue;
      if (auto named = check_name({}, name); !named.ok()) {
        fault = std::move(named).error();
        continue;
      }
      auto tensor = read_value(value, here + " " + name);
      if (!tensor.ok() && tensor.error().code == ErrorCode::json_syntax) return std::move(tensor).error();
      if (!tensor.ok()) {
        fault = std::move(tensor).error();
        continue;
      }
      tensor->name = std::move(name);
      call.inputs.push_back(*std::move(tensor));
      if (call.inputs.size() > kMaxTensors)
        return Error{ErrorCode::too_many_tensors, "", "the limit is " + std::to_string(kMaxTensors)};
    }
    give(call, std::move(fault), {ErrorCode::polygraphy, "", "a call without inputs"}, here, number);
    return {};
  }

  // A scalar of Python is no object.
  Result<TensorInfo> read_value(ondemand::value value, const std::string& what) const {
    ondemand::object members;
    JSON_GET(members, value.get_object(), what, "an object");
    std::optional<std::string_view> text;
    bool torch = false;
    for (auto member : members) {
      std::string_view key;
      JSON_GET(key, member.unescaped_key(), what, "a key");
      const bool array = key == kKeys[0];
      torch = torch || key == kKeys[1];
      if (!array && key != kKeys[1]) continue;
      ondemand::value inner;
      ondemand::json_type type{};
      JSON_GET(inner, member.value(), what, "text");
      JSON_GET(type, inner.type(), what, "text");
      if (type != ondemand::json_type::string) return Error{ErrorCode::json_type, "", what + ": expected text"};
      // The text as it stands: base64 has no escapes.
      std::string_view token = inner.raw_json_token();
      token.remove_prefix(1);
      text = token.substr(0, token.find('"'));
    }
    if (!text) return Error{ErrorCode::polygraphy, "", what + " has neither array nor tensor"};
    return torch || text->starts_with(kZip) ? read_archive(*text, torch, what) : read_npy(*text, what);
  }

  Result<TensorInfo> read_npy(std::string_view base64, const std::string& what) const {
    std::string bytes = decode(base64, 256), all;
    auto tensor = read_npy_header({.file = source_.name(), .member = what}, bytes,
                                  [&](std::size_t count) -> Result<std::string_view> {
                                    all = decode(base64, count);
                                    return std::string_view(all);
                                  });
    if (tensor.ok()) return tensor;
    return Error{ErrorCode::polygraphy, "",
                 what + ": " + std::string(error_text(tensor.error().code)) + ": " + tensor.error().detail};
  }

  Result<TensorInfo> read_archive(std::string_view base64, bool torch, const std::string& what) const {
    const std::string bytes = decode(base64, std::string::npos);
    const auto source = open_memory(what, std::as_bytes(std::span(bytes)));
    OneTensor sink;
    const Reader& reader = torch ? readers::torch : readers::npz;
    Status status = reader.open(*source, sink);
    if (status.ok() && sink.error) status = *sink.error;
    if (!status.ok()) return Error{ErrorCode::polygraphy, "", status.error().message()};
    if (sink.count == 1) return std::move(sink.info);
    return Error{ErrorCode::polygraphy, "", what + " does not hold one tensor"};
  }
};

Status open(ByteSource& source, ReadSink& sink) { return InputsReader(source, sink).read(); }

}  // namespace

constinit const Reader readers::polygraphy{
    .id = "polygraphy",
    .title = "Inputs that Polygraphy saved, JSON",
    .specification = "Polygraphy 0.53: polygraphy.json, List[Dict[str, np.ndarray]]",
    .extensions = ".json",
    .sniff = sniff,
    .open = open};

}  // namespace tensorspec
