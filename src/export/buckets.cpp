// SPDX-License-Identifier: Apache-2.0
//
// Bucket lists of servers that pad or capture: the largest sizes of each profile. One tuple (bs, query, ctx) a line for
// vllm-gaudi (VLLM_BUCKETING_FROM_FILE); in comments, which that file may have, the capture sizes of vLLM and SGLang
// and the dims of Ascend's ATC.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"

namespace tensorspec {
namespace {

// Symbols of the inputs, the batch first.
std::vector<std::string> varying(const Variant& variant) {
  std::set<std::string> used;
  for (const TensorContract& tensor : variant.inputs)
    for (const Dim& dim : tensor.shape)
      for (const std::string& name : dim.symbols()) used.insert(name);
  std::vector<std::string> out;
  for (const Symbol& symbol : variant.symbols)
    if (used.contains(symbol.name)) out.push_back(symbol.name);
  return out;
}

bool is_batch(const Variant& variant, const std::string& name) {
  const Symbol& symbol = *variant.symbol(name);
  return name == "batch" || symbol.source == Symbol::Source::given || symbol.source == Symbol::Source::inferred ||
         (variant.batch_size && *variant.batch_size == Dim::symbol(name));
}

std::string atc(const ExportJob::Part& part) {
  std::vector<std::string> shapes, sets;
  for (const TensorContract& tensor : part.variant->inputs) {
    std::vector<std::string> dims;
    for (const Dim& dim : tensor.shape) dims.push_back(std::to_string(dim.as_integer().value_or(-1)));
    if (!dims.empty()) shapes.push_back(tensor.name + ":" + join(dims, ","));
  }
  for (const SizeBox& box : part.boxes) {
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < part.variant->inputs.size(); ++i)
      for (std::size_t axis = 0; axis < box.inputs[i].size(); ++axis)
        if (!part.variant->inputs[i].shape[axis].as_integer())
          sizes.push_back(std::to_string(box.inputs[i][axis].max.value_or(0)));
    sets.push_back(join(sizes, ","));
  }
  return "--input_shape=\"" + join(shapes, ";") + "\" --dynamic_dims=\"" + join(sets, ";") + "\"";
}

Status write(ExportJob& job) {
  const ExportJob::Part& part = job.part();
  TRY_VOID(need_limits(*part.variant, part.boxes));
  std::vector<std::string> symbols = varying(*part.variant);
  const bool batch = !symbols.empty() && is_batch(*part.variant, symbols[0]);
  const std::size_t most = batch ? 3 : 2;
  if (symbols.empty() || symbols.size() > most)
    return Error{ErrorCode::export_refused, "buckets",
                 "a bucket is a batch size and one or two lengths, the inputs vary in " +
                     std::to_string(symbols.size()) + " sizes" +
                     (symbols.empty() ? "" : " (" + join(symbols, ", ") + "); export profiles of another dialect")};
  std::set<std::int64_t> batches;
  std::set<std::vector<std::int64_t>> rows;
  for (const SizeBox& box : part.boxes) {
    std::vector<std::int64_t> row;
    if (!batch) row.push_back(1);
    for (const std::string& name : symbols) row.push_back(box.domains.at(name).high);
    batches.insert(row[0]);
    row.resize(3, row.size() == 1 ? 1 : 0);
    rows.insert(std::move(row));
  }
  static constexpr const char* kWords[] = {"bs", "query", "ctx"};
  std::vector<std::string> meaning, sizes;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    meaning.push_back(std::string(kWords[i + (batch ? 0 : 1)]) + " is " + symbols[i]);
  if (symbols.size() == most)
    job.note("ctx counts blocks of the cache there: divide " + symbols.back() + " by their size");
  for (const std::int64_t size : batches) sizes.push_back(std::to_string(size));
  std::string text = "# VLLM_BUCKETING_FROM_FILE of vllm-gaudi: (bs, query, ctx); " + join(meaning, ", ") + "\n";
  if (batch)
    text += "# vllm serve MODEL --compilation-config '{\"cudagraph_capture_sizes\": [" + join(sizes, ", ") +
            "]}'\n# sglang.launch_server --cuda-graph-bs " + join(sizes, " ") + "\n";
  if (std::all_of(part.variant->inputs.begin(), part.variant->inputs.end(), [](const TensorContract& tensor) {
        return tensor.name.find_first_of(":;,\"'\\$`") == std::string::npos && tensor.name == printable(tensor.name);
      }))
    text += "# atc " + atc(part) + "\n";
  else job.note("no line for atc: it cannot carry these names");
  for (const auto& row : rows)
    text += "(" + std::to_string(row[0]) + ", " + std::to_string(row[1]) + ", " + std::to_string(row[2]) + ")\n";
  job.print(text);
  return {};
}

}  // namespace

constinit const Exporter exporters::buckets{
    .info = {.id = "buckets",
             .engine = "vLLM, vllm-gaudi, SGLang, Ascend ATC",
             .file = "buckets.txt",
             .form = "lists of buckets",
             .proof = "format only",
             .keeps = Keeps::maximum | Keeps::profiles},
    .write = write,
};

}  // namespace tensorspec
