// SPDX-License-Identifier: Apache-2.0
//
// The contract file, format version 1 (docs/contract.schema.json).
#include <algorithm>
#include <functional>

#include "base/json.hpp"
#include "base/try.hpp"
#include "evidence/evidence_json.hpp"
#include "tensorspec/contract.hpp"

namespace tensorspec {
namespace {

constexpr std::string_view kFormat = "tensorspec-contract";
constexpr std::int64_t kVersion = 1;
constexpr std::string_view kNoBatch = "none";

// Reads the members of one object, remembers which were asked for, and keeps the rest for saving.
class Members {
 public:
  Members(const Json& value, std::string place) : value_(value), place_(std::move(place)) {}

  Status must_be_object() const { return value_.is_object() ? Status() : Status(wrong("", "expected an object")); }
  const std::string& place() const { return place_; }
  Error wrong(std::string_view key, std::string detail) const {
    return Error{ErrorCode::contract_format, place_of(key), std::move(detail)};
  }
  std::string place_of(std::string_view key) const {
    return key.empty() ? place_ : place_.empty() ? std::string(key) : place_ + "." + std::string(key);
  }

  const Json* find(std::string_view key) {
    known_.push_back(key);
    const Json* found = value_.find(key);
    return found && !found->is_null() ? found : nullptr;
  }
  Status text(std::string_view key, std::string& out) {
    if (const Json* found = find(key)) {
      if (!found->string()) return wrong(key, "expected text");
      out = *found->string();
    }
    return {};
  }
  Status size(std::string_view key, std::optional<std::int64_t>& out) {
    if (const Json* found = find(key)) {
      const auto value = found->int64();
      if (!value) return wrong(key, "expected a whole number");
      out = *value;
    }
    return {};
  }
  Status size(std::string_view key, std::int64_t& out) {
    std::optional<std::int64_t> value;
    TRY_VOID(size(key, value));
    out = value.value_or(out);
    return {};
  }
  Status count(std::string_view key, std::uint64_t& out) {
    if (const Json* found = find(key)) {
      const auto value = found->uint64();
      if (!value) return wrong(key, "expected a count");
      out = *value;
    }
    return {};
  }
  Status flag(std::string_view key, bool& out) {
    if (const Json* found = find(key)) {
      const auto value = found->boolean();
      if (!value) return wrong(key, "expected true or false");
      out = *value;
    }
    return {};
  }
  // Calls read(item, place) for each item of an array; an absent one has none.
  Status each(std::string_view key, const std::function<Status(const Json&, const std::string&)>& read) {
    const Json* found = find(key);
    if (!found) return {};
    if (!found->array()) return wrong(key, "expected an array");
    for (std::size_t i = 0; i < found->array()->size(); ++i)
      TRY_VOID(read((*found->array())[i], place_of(key) + "[" + std::to_string(i) + "]"));
    return {};
  }
  // The members nobody asked for, as JSON text.
  std::string rest() const {
    Json::Object left;
    for (const auto& [key, value] : *value_.object())
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) left.emplace_back(key, value);
    return left.empty() ? std::string() : Json(std::move(left)).dump();
  }

 private:
  const Json& value_;
  std::string place_;
  std::vector<std::string_view> known_;
};

template <class Enum>
Status read_word(Members& in, std::string_view key, std::initializer_list<Enum> all, Enum& out) {
  std::string word(to_string(out));
  TRY_VOID(in.text(key, word));
  for (const Enum value : all)
    if (to_string(value) == word) {
      out = value;
      return {};
    }
  return in.wrong(key, "\"" + word + "\" is not one of its words");
}

Result<Dim> read_dim(const Json& value, const std::string& place) {
  if (const auto size = value.int64()) return Dim(*size);
  if (!value.string()) return Error{ErrorCode::contract_format, place, "expected a whole number or an expression"};
  auto dim = Dim::parse(*value.string());
  if (dim.ok()) return dim;
  Error error = within(std::move(dim).error(), place, " ");
  error.detail = "\"" + *value.string() + "\"" + (error.detail.empty() ? "" : ": " + error.detail);
  return error;
}

Status read_dims(Members& in, std::string_view key, std::vector<Dim>& out) {
  return in.each(key, [&](const Json& item, const std::string& place) -> Status {
    TRY(Dim dim, read_dim(item, place));
    out.push_back(std::move(dim));
    return {};
  });
}

Status read_texts(Members& in, std::string_view key, std::vector<std::string>& out) {
  return in.each(key, [&](const Json& item, const std::string& place) -> Status {
    if (!item.string()) return Error{ErrorCode::contract_format, place, "expected text"};
    out.push_back(*item.string());
    return {};
  });
}

Result<TensorContract> read_tensor(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  TensorContract tensor;
  if (!in.find("name")) return in.wrong("name", "a tensor needs a name");
  TRY_VOID(in.text("name", tensor.name));
  std::vector<std::string> dtypes;
  const Json* dtype = in.find("dtype");
  if (dtype && dtype->string()) dtypes.push_back(*dtype->string());
  else TRY_VOID(read_texts(in, "dtype", dtypes));
  for (const std::string& text : dtypes) tensor.dtypes.push_back(DType::from_text(text));
  if (!in.find("shape")) return in.wrong("shape", "a tensor needs a shape; a scalar has []");
  TRY_VOID(read_dims(in, "shape", tensor.shape));
  TRY_VOID(in.flag("optional", tensor.optional));
  tensor.unknown = in.rest();
  return tensor;
}

Result<Symbol> read_symbol(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  Symbol symbol;
  if (!in.find("name")) return in.wrong("name", "a symbol needs a name");
  TRY_VOID(in.text("name", symbol.name));
  TRY_VOID(in.size("min", symbol.min));
  TRY_VOID(in.size("max", symbol.max));
  TRY_VOID(in.size("multiple_of", symbol.multiple_of));
  TRY_VOID(in.size("residue", symbol.residue));
  TRY_VOID(in.size("seen_multiple_of", symbol.seen_multiple_of));
  TRY_VOID(in.size("seen_residue", symbol.seen_residue));
  TRY_VOID(in.count("seen", symbol.seen));
  TRY_VOID(in.size("typical", symbol.typical));
  using Source = Symbol::Source;
  TRY_VOID(read_word(in, "source",
                     {Source::given, Source::inferred, Source::observed, Source::declared, Source::unknown},
                     symbol.source));
  TRY_VOID(in.flag("declared", symbol.declared));
  TRY_VOID(in.text("at", symbol.at));
  symbol.unknown = in.rest();
  return symbol;
}

Result<Claim> read_claim(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  Claim claim;
  std::int64_t axis = 0;
  TRY_VOID(in.flag("output", claim.output));
  TRY_VOID(in.text("tensor", claim.tensor));
  TRY_VOID(in.size("axis", axis));
  if (axis < 0 || axis >= static_cast<std::int64_t>(kMaxRank)) return in.wrong("axis", "no axis has that number");
  claim.axis = static_cast<std::size_t>(axis);
  const Json* dim = in.find("dim");
  if (!dim) return in.wrong("dim", "a claim needs a dim");
  TRY(claim.dim, read_dim(*dim, in.place_of("dim")));
  TRY_VOID(read_word(in, "certainty", {Certainty::declared, Certainty::believed, Certainty::weak, Certainty::open},
                     claim.certainty));
  TRY_VOID(in.count("witnesses", claim.witnesses));
  TRY_VOID(in.size("margin_bits", claim.margin_bits));
  TRY_VOID(read_dims(in, "rivals", claim.rivals));
  claim.unknown = in.rest();
  return claim;
}

Result<Bound> read_bound(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  Bound bound;
  for (const char* key : {"symbol", "at_most"})
    if (!in.find(key)) return in.wrong(key, "a bound needs two symbols");
  TRY_VOID(in.text("symbol", bound.symbol));
  TRY_VOID(in.text("at_most", bound.at_most));
  TRY_VOID(in.count("witnesses", bound.witnesses));
  bound.unknown = in.rest();
  return bound;
}

Result<Question> read_question(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  Question question;
  TRY_VOID(in.text("text", question.text));
  TRY_VOID(in.text("ask", question.ask));
  TRY_VOID(read_texts(in, "about", question.about));
  question.unknown = in.rest();
  return question;
}

template <class T>
Status read_list(Members& in, std::string_view key, Result<T> (*read)(const Json&, const std::string&),
                 std::vector<T>& out) {
  return in.each(key, [&](const Json& item, const std::string& place) -> Status {
    TRY(T entry, read(item, place));
    out.push_back(std::move(entry));
    return {};
  });
}

Result<Variant> read_variant(const Json& value, const std::string& place) {
  Members in(value, place);
  TRY_VOID(in.must_be_object());
  Variant variant;
  TRY_VOID(read_list(in, "inputs", read_tensor, variant.inputs));
  TRY_VOID(read_list(in, "outputs", read_tensor, variant.outputs));
  TRY_VOID(read_list(in, "symbols", read_symbol, variant.symbols));
  TRY_VOID(read_list(in, "claims", read_claim, variant.claims));
  TRY_VOID(read_list(in, "bounds", read_bound, variant.bounds));
  TRY_VOID(read_list(in, "questions", read_question, variant.questions));
  if (const Json* batch = in.find("batch_size")) {
    TRY(variant.batch_size, read_dim(*batch, in.place_of("batch_size")));
  }
  TRY_VOID(in.count("calls", variant.calls));
  TRY_VOID(in.count("distinct", variant.distinct));
  variant.unknown = in.rest();
  return variant;
}

// Adds back what an earlier read kept.
Json with_unknown(Json object, const std::string& unknown) {
  if (unknown.empty()) return object;
  if (const auto kept = Json::parse(unknown); kept.ok() && kept->object())
    for (const auto& [key, value] : *kept->object())
      if (!object.find(key)) object.add(key, value);
  return object;
}

Json dim_json(const Dim& dim) {
  if (const auto size = dim.as_integer()) return *size;
  return dim.to_string();
}

template <class T, class Write>
Json list_json(const std::vector<T>& items, Write write) {
  Json::Array out;
  for (const T& item : items) out.push_back(write(item));
  return out;
}

Json tensor_json(const TensorContract& tensor) {
  Json out = Json().add("name", tensor.name);
  if (tensor.dtypes.size() == 1) out.add("dtype", tensor.dtypes[0].name());
  else out.add("dtype", list_json(tensor.dtypes, [](const DType& d) { return Json(d.name()); }));
  out.add("shape", list_json(tensor.shape, dim_json));
  if (tensor.optional) out.add("optional", true);
  return with_unknown(std::move(out), tensor.unknown);
}

Json symbol_json(const Symbol& symbol) {
  Json out = Json().add("name", symbol.name);
  if (symbol.min) out.add("min", *symbol.min);
  if (symbol.max) out.add("max", *symbol.max);
  if (symbol.multiple_of != 1) out.add("multiple_of", symbol.multiple_of);
  if (symbol.residue != 0) out.add("residue", symbol.residue);
  if (symbol.seen_multiple_of != 1) out.add("seen_multiple_of", symbol.seen_multiple_of);
  if (symbol.seen_residue != 0) out.add("seen_residue", symbol.seen_residue);
  if (symbol.typical) out.add("typical", *symbol.typical);
  if (symbol.seen != 0) out.add("seen", symbol.seen);
  out.add("source", to_string(symbol.source));
  if (symbol.declared) out.add("declared", true);
  if (!symbol.at.empty()) out.add("at", symbol.at);
  return with_unknown(std::move(out), symbol.unknown);
}

Json claim_json(const Claim& claim) {
  Json out;
  if (claim.output) out.add("output", true);
  out.add("tensor", claim.tensor).add("axis", static_cast<std::uint64_t>(claim.axis)).add("dim", dim_json(claim.dim));
  out.add("certainty", to_string(claim.certainty)).add("witnesses", claim.witnesses);
  if (claim.margin_bits) out.add("margin_bits", *claim.margin_bits);
  if (!claim.rivals.empty()) out.add("rivals", list_json(claim.rivals, dim_json));
  return with_unknown(std::move(out), claim.unknown);
}

Json bound_json(const Bound& bound) {
  Json out = Json().add("symbol", bound.symbol).add("at_most", bound.at_most).add("witnesses", bound.witnesses);
  return with_unknown(std::move(out), bound.unknown);
}

Json question_json(const Question& question) {
  Json out = Json().add("text", question.text).add("ask", question.ask);
  out.add("about", Json::Array(question.about.begin(), question.about.end()));
  return with_unknown(std::move(out), question.unknown);
}

Json variant_json(const Variant& variant) {
  Json out;
  if (variant.calls != 0) out.add("calls", variant.calls).add("distinct", variant.distinct);
  out.add("inputs", list_json(variant.inputs, tensor_json)).add("outputs", list_json(variant.outputs, tensor_json));
  if (variant.batch_size) out.add("batch_size", dim_json(*variant.batch_size));
  out.add("symbols", list_json(variant.symbols, symbol_json));
  out.add("claims", list_json(variant.claims, claim_json));
  if (!variant.bounds.empty()) out.add("bounds", list_json(variant.bounds, bound_json));
  out.add("questions", list_json(variant.questions, question_json));
  return with_unknown(std::move(out), variant.unknown);
}

}  // namespace

Result<Contract> Contract::from_json(std::string_view text) {
  TRY(const Json root, Json::parse(text));
  Members in(root, "");
  TRY_VOID(in.must_be_object());
  const Json* format = in.find("format");
  if (!format || !format->string() || *format->string() != kFormat)
    return Error{ErrorCode::contract_format, "format", "expected \"tensorspec-contract\""};
  std::int64_t version = 0;
  TRY_VOID(in.size("version", version));
  if (version < 1) return in.wrong("version", "expected 1");
  if (version > kVersion)
    return Error{ErrorCode::contract_version, "version", std::to_string(version) + "; this program knows 1"};
  Data data;
  if (!in.find("variants")) return in.wrong("variants", "a contract needs variants");
  TRY_VOID(read_list(in, "variants", read_variant, data.variants));
  if (const Json* batch = in.find("batch")) {
    if (!batch->string() || *batch->string() != kNoBatch) return in.wrong("batch", "expected \"none\"");
    data.no_batch = true;
  }
  if (const Json* evidence = in.find("evidence")) { TRY(data.evidence, evidence_from_json(*evidence)); }
  data.unknown = in.rest();
  return make(std::move(data));
}

std::string Contract::to_json(bool with_evidence) const {
  Json out = Json().add("format", kFormat).add("version", kVersion);
  if (data_.no_batch) out.add("batch", kNoBatch);
  out.add("variants", list_json(data_.variants, variant_json));
  out = with_unknown(std::move(out), data_.unknown);
  // The evidence is for the program: it comes last, and on one line, so that a person can read and edit what is above
  // it.
  std::string text = out.dump(2);
  if (!with_evidence || !data_.evidence) return text;
  text.resize(text.size() - 2);
  return text + ",\n  \"evidence\": " + evidence_to_json(*data_.evidence).dump() + "\n}";
}

}  // namespace tensorspec
