// SPDX-License-Identifier: Apache-2.0
//
// A recording of calls at the corners of a contract, inputs alone: all symbols at opt, at their least, at their
// largest, then one at a time. Every call conforms. For load tests and for `tensorspec check`.
#include <set>

#include "base/json.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> line_of(const Variant& variant, const diffing::Sizes& sizes) {
  Json inputs{Json::Object()};
  for (const TensorContract& tensor : variant.inputs) {
    Json::Array shape;
    for (const Dim& dim : tensor.shape) {
      const auto size = diffing::evaluate(dim, sizes);
      if (!size || *size < 0) return std::nullopt;
      shape.push_back(*size);
    }
    const Json dtype = tensor.dtypes.empty() ? Json() : Json(tensor.dtypes[0].name());
    inputs.add(tensor.name, Json().add("dtype", dtype).add("shape", std::move(shape)));
  }
  Json line;
  if (variant.batch_size)
    if (const auto batch = diffing::evaluate(*variant.batch_size, sizes); batch && *batch >= 1)
      line.add("batch_size", *batch);
  return line.add("inputs", std::move(inputs)).add("outputs", Json(Json::Object())).dump();
}

Status write(ExportJob& job) {
  for (const ExportJob::Part& part : job.parts) {
    std::set<std::string> seen;
    const auto print = [&](const diffing::Sizes& sizes) {
      const auto line = line_of(*part.variant, sizes);
      if (line && seen.insert(*line).second) job.print(*line + "\n");
      return line.has_value();
    };
    for (const SizeBox& box : part.boxes) {
      print(box.opt);
      diffing::Sizes low = box.opt, high = box.opt;
      for (const auto& [name, domain] : box.domains) {
        low[name] = domain.low;
        if (domain.high != diffing::kNoLimit) high[name] = domain.high;
      }
      bool all = print(low);
      all = print(high) && all;
      for (const auto& [name, size] : box.opt)
        for (const std::int64_t end : {low[name], high[name]}) {
          diffing::Sizes one = box.opt;
          one[name] = end;
          all = print(one) && all;
        }
      if (!all) job.note("some corners are left out: an expression has no size there");
    }
  }
  return {};
}

}  // namespace

constinit const Exporter exporters::recording{
    .info = {.id = "recording",
             .engine = "tensorspec check",
             .file = "corners.jsonl",
             .form = "recording of corner calls",
             .proof = "tensorspec check: every call conforms",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::shared | Keeps::multiples |
                      Keeps::sums | Keeps::products | Keeps::strides | Keeps::profiles | Keeps::dtypes |
                      Keeps::variants},
    .write = write,
};

}  // namespace tensorspec
