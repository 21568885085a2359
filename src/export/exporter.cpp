// SPDX-License-Identifier: Apache-2.0
#include "export/exporter.hpp"

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/facts.hpp"
#include "wire/source.hpp"

namespace tensorspec {
namespace {

constexpr const Exporter* kExporters[] = {
#define TENSORSPEC_MEMBER(stem) &exporters::stem,
#include "export_family.inc"
#undef TENSORSPEC_MEMBER
};

constexpr std::size_t kCopied = std::size_t{1} << 20;  // bytes of a model in memory at once

Result<const Exporter*> find(std::string_view id) {
  std::vector<std::string> known;
  for (const Exporter* exporter : kExporters) {
    if (exporter->info.id == id) return exporter;
    known.emplace_back(exporter->info.id);
  }
  return Error{ErrorCode::export_unknown, std::string(id), "there are " + join(known, ", ")};
}

std::string inputs_of(const Variant& variant) {
  std::vector<std::string> names;
  for (const TensorContract& tensor : variant.inputs) names.push_back(printable(tensor.name));
  return some_of(names);
}

// The variants that are exported.
Result<std::vector<std::size_t>> chosen(const Contract& contract, const Exporter& exporter,
                                        const ExportOptions& options) {
  const std::size_t count = contract.variants().size();
  if (options.variant) {
    if (*options.variant < count) return std::vector<std::size_t>{*options.variant};
    return Error{ErrorCode::invalid_argument, "variant " + std::to_string(*options.variant),
                 "the contract has " + counted(count, "variant")};
  }
  if (count == 0) return Error{ErrorCode::export_refused, std::string(exporter.info.id), "the contract has no variant"};
  if (count > 1 && !options.profiles.empty())
    return Error{ErrorCode::invalid_argument, "profiles",
                 "of which variant? The contract has " + std::to_string(count)};
  if (count > 1 && !has(exporter.info.keeps, Keeps::variants)) {
    std::string detail =
        "calls with different inputs cannot stand in one " + std::string(exporter.info.file) + "; export one: ";
    for (std::size_t i = 0; i < count; ++i)
      detail +=
          (i == 0 ? "--variant " : ", --variant ") + std::to_string(i) + " (" + inputs_of(contract.variants()[i]) + ")";
    return Error{ErrorCode::export_refused, std::string(exporter.info.id), std::move(detail)};
  }
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

// Several boxes as the one around them, with the opt of the first.
void merge_boxes(std::vector<SizeBox>& boxes) {
  SizeBox& out = boxes[0];
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    for (auto& [name, domain] : out.domains) {
      const diffing::Domain& other = boxes[i].domains.at(name);
      domain.low = std::min(domain.low, other.low);
      domain.high = std::max(domain.high, other.high);
    }
    for (auto [mine, others] : {std::pair(&out.inputs, &boxes[i].inputs), std::pair(&out.outputs, &boxes[i].outputs)})
      for (std::size_t tensor = 0; tensor < mine->size(); ++tensor)
        for (std::size_t axis = 0; axis < (*mine)[tensor].size(); ++axis) {
          AxisSizes& sizes = (*mine)[tensor][axis];
          const AxisSizes& other = (*others)[tensor][axis];
          sizes.min = std::min(sizes.min, other.min);
          sizes.max = sizes.max && other.max ? std::optional(std::max(*sizes.max, *other.max)) : std::nullopt;
        }
  }
  boxes.resize(1);
}

}  // namespace

const std::vector<ExporterInfo>& all_exporters() {
  static const std::vector<ExporterInfo> infos = [] {
    std::vector<ExporterInfo> out;
    for (const Exporter* exporter : kExporters) out.push_back(exporter->info);
    return out;
  }();
  return infos;
}

Result<Exported> export_contract(const Contract& contract, std::string_view exporter, const ExportOptions& options) {
  TRY(const Exporter* const entry, find(exporter));
  return export_with(*entry, contract, options);
}

Result<Exported> export_with(const Exporter& exporter, const Contract& contract, const ExportOptions& options) {
  if (exporter.info.needs_model && options.model.empty())
    return Error{ErrorCode::invalid_argument, std::string(exporter.info.id),
                 "it rewrites a model: which one? (--model)"};
  TRY(const std::vector<std::size_t> indices, chosen(contract, exporter, options));
  ExportJob job{.contract = contract, .options = options, .parts = {}, .pieces = {}, .notes = {}, .limited = {}};
  for (const std::size_t index : indices) {
    const Variant& variant = contract.variants()[index];
    TRY(std::vector<SizeBox> boxes, boxes_of(contract, variant, options.profiles));
    if (!has(exporter.info.keeps, Keeps::profiles)) merge_boxes(boxes);
    if (has(exporter.info.keeps, Keeps::typical) && boxes[0].guessed)
      job.note("no call tells the typical sizes: the largest stand for them, where there are any");
    job.parts.push_back({&variant, index, std::move(boxes)});
  }
  if (Status status = exporter.write(job); !status.ok()) return std::move(status).error();
  std::vector<std::string> notes;
  for (const ExportJob::Part& part : job.parts)
    for (std::string& loss : losses(exporter.info, *part.variant, options.profiles.size(), job.limited))
      notes.push_back((job.parts.size() > 1 ? "variant " + std::to_string(part.index) + ": " : "") + std::move(loss));
  notes.insert(notes.end(), job.notes.begin(), job.notes.end());
  return Exported{
      .exporter = exporter.info, .pieces = std::move(job.pieces), .model = options.model, .notes = std::move(notes)};
}

Status write_export(const Exported& exported, const std::function<Status(std::string_view bytes)>& write) {
  std::unique_ptr<ByteSource> source;
  std::string buffer;
  for (const Exported::Piece& piece : exported.pieces) {
    if (!piece.text.empty()) {
      TRY_VOID(write(piece.text));
      continue;
    }
    if (!source) { TRY(source, open_file(exported.model)); }
    for (std::uint64_t at = piece.begin; at < piece.end;) {
      buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kCopied, piece.end - at)));
      TRY(const std::size_t count, source->read_at(at, buffer));
      if (count < buffer.size())
        return Error{ErrorCode::file_read, source->place().at(at), "the model became shorter while it was read"};
      TRY_VOID(write(buffer));
      at += count;
    }
  }
  return {};
}

Status save_export(const Exported& exported, const std::filesystem::path& path) {
  TRY_VOID(check_keeps(exported.model, path, "the model that is read"));
  return save_file(path, [&](const FileWriter& write) { return write_export(exported, write); });
}

}  // namespace tensorspec
