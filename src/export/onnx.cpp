// SPDX-License-Identifier: Apache-2.0
//
// An ONNX model again, its inputs and outputs declared as the contract has them: dim_value and dim_param, which is free
// text ("past+seq"), and the ranges in metadata_props. Nodes and weights are copied piece by piece, never loaded.
//
// Runtimes reuse memory of equal names, so a false equality breaks valid runs. Only sure claims are written; names that
// intermediate values had are removed, since the same word may mean another size now.
#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/facts.hpp"
#include "wire/protobuf.hpp"

namespace tensorspec {
namespace {

using Pieces = std::vector<Exported::Piece>;

// ModelProto, GraphProto, NodeProto, AttributeProto, TensorProto
constexpr std::uint32_t kGraph = 7, kMetadata = 14;
constexpr std::uint32_t kNode = 1, kInitializer = 5, kInput = 11, kOutput = 12, kValueInfo = 13;
constexpr std::uint32_t kAttribute = 5, kSubgraph = 6, kSubgraphs = 11, kDataLocation = 14;
constexpr std::size_t kMaxText = 4096, kMaxGraphs = 32;
constexpr std::string_view kKey = "tensorspec";

void append(Pieces& out, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (!out.empty() && out.back().text.empty() && out.back().end == begin) out.back().end = end;
  else out.push_back({{}, begin, end});
}
void append(Pieces& out, std::string text) {
  if (text.empty()) return;
  if (!out.empty() && !out.back().text.empty()) out.back().text += text;
  else out.push_back({std::move(text), 0, 0});
}
void append(Pieces& out, Pieces more) {
  for (Exported::Piece& piece : more)
    if (piece.text.empty()) append(out, piece.begin, piece.end);
    else append(out, std::move(piece.text));
}
std::uint64_t size_of(const Pieces& pieces) {
  std::uint64_t size = 0;
  for (const Exported::Piece& piece : pieces) size += piece.text.empty() ? piece.end - piece.begin : piece.text.size();
  return size;
}
void append_field(Pieces& out, std::uint32_t field, Pieces payload) {
  std::string head;
  append_proto_length(head, field, size_of(payload));
  append(out, std::move(head));
  append(out, std::move(payload));
}

std::uint64_t end_of(const ProtoField& field) {
  return field.begin + (field.wire == ProtoField::Wire::bytes ? field.value : 0);
}

// A dimension of the file: what it says, and its denotation, which stays.
struct FileDim {
  std::optional<std::int64_t> size;
  std::string text, denotation;
};

class Rewriter {
 public:
  Rewriter(ExportJob& job, ByteSource& source) : job_(job), variant_(*job.part().variant), window_(source) {
    for (const Claim& claim : variant_.claims)
      if (claim.certainty == Certainty::weak || claim.certainty == Certainty::open)
        unsure_.insert(axis_name(claim.tensor, claim.axis));
      else if (claim.certainty == Certainty::declared) declared_.insert(axis_name(claim.tensor, claim.axis));
  }

  Result<Pieces> model() {
    TRY(ProtoMessage message, ProtoMessage::whole(window_));
    Pieces out;
    bool found = false;
    TRY_VOID(each(message, [&](const ProtoField& field) -> Status {
      if (field.is_bytes(kGraph)) {
        found = true;
        TRY(Pieces graph, rewrite_graph(message.message(field), 0));
        append_field(out, kGraph, std::move(graph));
        return {};
      }
      if (field.is_bytes(kMetadata)) {
        TRY(const bool ours, is_ours(message.message(field)));
        if (ours) return {};
      }
      keep(out, field);
      return {};
    }));
    if (!found) return Error{ErrorCode::onnx_model, job_.options.model.string(), "it has no graph"};
    append(out, metadata());
    TRY_VOID(all_there());
    tell();
    return out;
  }

 private:
  // Fields end where the next begins, so the end of the last one is all there is to know.
  void keep(Pieces& out, const ProtoField& field) const {
    const std::uint64_t end = field.wire == ProtoField::Wire::bytes ? end_of(field) : field.begin;
    append(out, field.place, end);
  }

  template <class Use>
  static Status each(ProtoMessage message, Use use) {
    ProtoField field;
    for (;;) {
      TRY(const bool more, message.next(field));
      if (!more) return {};
      TRY_VOID(use(field));
    }
  }

  Result<bool> is_ours(ProtoMessage entry) {
    bool ours = false;
    TRY_VOID(each(entry, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(1) || field.value > kMaxText) return {};
      TRY(const std::string_view key, entry.bytes(field, kMaxText));
      ours = key == kKey;
      return {};
    }));
    return ours;
  }

  Result<Pieces> rewrite_graph(ProtoMessage message, std::size_t depth) {
    if (depth == kMaxGraphs)
      return Error{ErrorCode::onnx_model, job_.options.model.string(), "graphs within graphs, deeper than 32"};
    Pieces out;
    TRY_VOID(each(message, [&](const ProtoField& field) -> Status {
      if (field.is_bytes(kNode)) {
        TRY(const bool changed, rewrite_node(out, message.message(field), depth));
        if (!changed) keep(out, field);
        return {};
      }
      const bool io = field.is_bytes(kInput) || field.is_bytes(kOutput);
      if (io || field.is_bytes(kValueInfo)) {
        TRY(Pieces value, rewrite_value(message.message(field), depth == 0 && io ? field.number : 0));
        append_field(out, field.number, std::move(value));
        return {};
      }
      if (field.is_bytes(kInitializer))
        if (Status status = look_at_weight(message.message(field)); !status.ok()) return status;
      keep(out, field);
      return {};
    }));
    return out;
  }

  // Nodes hold graphs (If, Loop, Scan); one without is copied as it is.
  Result<bool> rewrite_node(Pieces& out, ProtoMessage node, std::size_t depth) {
    Pieces whole;
    bool changed = false;
    TRY_VOID(each(node, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(kAttribute)) return keep(whole, field), Status();
      TRY(const bool graphs, rewrite_attribute(whole, node.message(field), depth));
      if (!graphs) keep(whole, field);
      changed = changed || graphs;
      return {};
    }));
    if (changed) append_field(out, kNode, std::move(whole));
    return changed;
  }

  Result<bool> rewrite_attribute(Pieces& out, ProtoMessage attribute, std::size_t depth) {
    Pieces whole;
    bool graphs = false;
    TRY_VOID(each(attribute, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(kSubgraph) && !field.is_bytes(kSubgraphs)) return keep(whole, field), Status();
      graphs = true;
      TRY(Pieces graph, rewrite_graph(attribute.message(field), depth + 1));
      append_field(whole, field.number, std::move(graph));
      return {};
    }));
    if (graphs) append_field(out, kAttribute, std::move(whole));
    return graphs;
  }

  Status look_at_weight(ProtoMessage tensor) {
    return each(tensor, [&](const ProtoField& field) -> Status {
      if (field.is_varint(kDataLocation) && field.value == 1) external_ = true;
      return {};
    });
  }

  // ValueInfoProto; `side` is kInput, kOutput or 0 for a value within.
  Result<Pieces> rewrite_value(ProtoMessage value, std::uint32_t side) {
    std::string name;
    TRY_VOID(each(value, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(1)) return {};
      TRY(const std::string_view text, value.bytes(field, kMaxText));
      name = text;
      return {};
    }));
    const TensorContract* tensor =
        side == 0 ? nullptr : find(side == kInput ? variant_.inputs : variant_.outputs, name);
    if (tensor != nullptr) found_.insert(tensor);
    else if (side != 0) unknown_.push_back(printable(name));
    if (side != 0) (side == kInput ? inputs_ : outputs_).push_back(printable(name));
    Pieces out;
    TRY_VOID(each(value, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(2)) return keep(out, field), Status();
      TRY(Pieces type, rewrite_nested(value.message(field), 1, [&](ProtoMessage tensor_type) {
            return rewrite_tensor_type(tensor_type, tensor);
          }));
      append_field(out, 2, std::move(type));
      return {};
    }));
    return out;
  }

  // The message with its field `number` rewritten.
  template <class Rewrite>
  static Result<Pieces> rewrite_nested(ProtoMessage message, std::uint32_t number, Rewrite rewrite) {
    Pieces out;
    ProtoField field;
    const ProtoMessage whole = message;
    for (;;) {
      TRY(const bool more, message.next(field));
      if (!more) return out;
      if (!field.is_bytes(number)) {
        append(out, field.place, field.wire == ProtoField::Wire::bytes ? end_of(field) : field.begin);
        continue;
      }
      TRY(Pieces inner, rewrite(whole.message(field)));
      append_field(out, number, std::move(inner));
    }
  }

  // TypeProto.Tensor: the element type stays, the shape is the contract's.
  Result<Pieces> rewrite_tensor_type(ProtoMessage type, const TensorContract* tensor) {
    Pieces out;
    bool shaped = false;
    TRY_VOID(each(type, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(2)) return keep(out, field), Status();
      shaped = true;
      TRY(const std::vector<FileDim> dims, read_dims(type.message(field)));
      TRY(std::string shape, tensor == nullptr ? Result<std::string>(without_names(dims)) : shape_of(*tensor, dims));
      append_field(out, 2, {{std::move(shape), 0, 0}});
      return {};
    }));
    if (shaped || tensor == nullptr) return out;
    TRY(std::string shape, shape_of(*tensor, std::vector<FileDim>(tensor->shape.size())));
    append_field(out, 2, {{std::move(shape), 0, 0}});
    return out;
  }

  Result<std::vector<FileDim>> read_dims(ProtoMessage shape) {
    std::vector<FileDim> out;
    TRY_VOID(each(shape, [&](const ProtoField& field) -> Status {
      if (!field.is_bytes(1)) return {};
      if (out.size() == kMaxRank) return Error{ErrorCode::rank_too_large, job_.options.model.string(), {}};
      FileDim& dim = out.emplace_back();
      const ProtoMessage message = shape.message(field);
      return each(message, [&](const ProtoField& part) -> Status {
        if (part.is_varint(1)) dim.size = part.as_int64();
        if (!part.is_bytes(2) && !part.is_bytes(3)) return {};
        TRY(const std::string_view text, message.bytes(part, kMaxText));
        (part.number == 2 ? dim.text : dim.denotation) = text;
        return {};
      });
    }));
    return out;
  }

  static void append_dim(std::string& shape, const std::optional<std::int64_t>& size, std::string_view text,
                         std::string_view denotation) {
    std::string dim;
    if (size) append_proto_number(dim, 1, static_cast<std::uint64_t>(*size));
    else if (!text.empty()) append_proto_bytes(dim, 2, text);
    if (!denotation.empty()) append_proto_bytes(dim, 3, denotation);
    append_proto_bytes(shape, 1, dim);
  }

  static std::string without_names(const std::vector<FileDim>& dims) {
    std::string shape;
    for (const FileDim& dim : dims) append_dim(shape, dim.size, "", dim.denotation);
    return shape;
  }

  Result<std::string> shape_of(const TensorContract& tensor, const std::vector<FileDim>& dims) {
    if (dims.size() != tensor.shape.size())
      return Error{ErrorCode::export_model, printable(tensor.name),
                   "the model declares a rank of " + std::to_string(dims.size()) + ", the contract " +
                       std::to_string(tensor.shape.size())};
    std::string shape;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const std::string place = axis_name(tensor.name, axis);
      const FileDim& dim = dims[axis];
      const auto size = tensor.shape[axis].as_integer();
      const bool free_in_model = !dim.size || *dim.size < 0;
      if (size && free_in_model && job_.contract.evidence() && !declared_.contains(place)) {
        // One size in all calls does not mean that there is no other.
        never_varied_.push_back(printable(place) + " = " + std::to_string(*size));
        append_dim(shape, std::nullopt, "", dim.denotation);
      } else if (unsure_.contains(place) && !size) {
        not_sure_.push_back(printable(place) + " = " + tensor.shape[axis].to_string());
        append_dim(shape, std::nullopt, "", dim.denotation);
      } else {
        if (!free_in_model && size != dim.size)
          changed_.push_back(printable(place) + " was " + std::to_string(*dim.size));
        append_dim(shape, size, tensor.shape[axis].to_string(), dim.denotation);
      }
    }
    return shape;
  }

  // metadata_props: the contract's dims, ranges and steps as JSON, those included that the graph leaves open.
  std::string metadata() const {
    Json symbols{Json::Object()}, inputs{Json::Object()}, outputs{Json::Object()};
    for (const Symbol& symbol : variant_.symbols) {
      const diffing::Domain& domain = job_.part().box().domains.at(symbol.name);
      Json entry = Json().add("min", domain.low);
      if (domain.high != diffing::kNoLimit) entry.add("max", domain.high);
      if (symbol.multiple_of > 1) entry.add("multiple_of", symbol.multiple_of).add("residue", symbol.residue);
      symbols.add(symbol.name, std::move(entry));
    }
    for (auto [list, json] : {std::pair(&variant_.inputs, &inputs), std::pair(&variant_.outputs, &outputs)})
      for (const TensorContract& tensor : *list) {
        Json::Array shape;
        for (const Dim& dim : tensor.shape)
          shape.push_back(dim.as_integer() ? Json(*dim.as_integer()) : Json(dim.to_string()));
        json->add(tensor.name, std::move(shape));
      }
    const Json all = Json().add("symbols", symbols).add("inputs", inputs).add("outputs", outputs);
    std::string entry, field;
    append_proto_bytes(entry, 1, kKey);
    append_proto_bytes(entry, 2, all.dump());
    append_proto_bytes(field, kMetadata, entry);
    return field;
  }

  static const TensorContract* find(const std::vector<TensorContract>& tensors, const std::string& name) {
    for (const TensorContract& tensor : tensors)
      if (tensor.name == name) return &tensor;
    return nullptr;
  }

  Status all_there() const {
    for (const bool output : {false, true})
      for (const TensorContract& tensor : output ? variant_.outputs : variant_.inputs)
        if (!found_.contains(&tensor) && !tensor.optional)
          return Error{ErrorCode::export_model, printable(tensor.name),
                       "the model has no such " + std::string(output ? "output" : "input") + "; it has " +
                           some_of(output ? outputs_ : inputs_)};
    return {};
  }

  void tell() {
    const auto say = [&](const std::vector<std::string>& items, const std::string& what) {
      if (!items.empty()) job_.note(what + ": " + some_of(items));
    };
    say(changed_, "declared otherwise before");
    say(never_varied_, "left open as in the model, although calls had one size only");
    say(not_sure_, "left open, since the claim is weak");
    say(unknown_, "not in the contract, its names of sizes removed");
    if (external_) job_.note("weights are in other files, which must lie beside the copy as beside the model");
  }

  ExportJob& job_;
  const Variant& variant_;
  ProtoWindow window_;
  std::set<std::string> unsure_, declared_;  // axes
  std::set<const TensorContract*> found_;
  std::vector<std::string> inputs_, outputs_, unknown_, changed_, never_varied_, not_sure_;
  bool external_ = false;
};

Status write(ExportJob& job) {
  TRY(const auto source, open_file(job.options.model));
  TRY(job.pieces, Rewriter(job, *source).model());
  return {};
}

}  // namespace

constinit const Exporter exporters::onnx{
    .info =
        {.id = "onnx",
         .engine = "ONNX",
         .file = "model.onnx",
         .form = "the model, declared anew",
         .proof =
             "onnx.checker with full inference, ONNX Runtime runs it, its symbolic_shape_infer reads the expressions; "
             "cannot refuse a range",
         .keeps = Keeps::minimum | Keeps::maximum | Keeps::shared | Keeps::multiples | Keeps::sums | Keeps::products |
                  Keeps::strides | Keeps::dtypes | Keeps::outputs,
         .needs_model = true},
    .write = write,
};

}  // namespace tensorspec
