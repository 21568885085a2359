// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/diff.hpp"

#include <memory>

#include "base/json.hpp"
#include "cli/command.hpp"
#include "cli/ladder.hpp"
#include "tensorspec/read.hpp"
#include "tensorspec/recording.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::cli {
namespace {

using What = Difference::What;

struct Arguments {
  std::string older, newer, symbol;
  bool json = false, quiet = false;
};

Json witness_json(const std::optional<Witness>& witness) {
  if (!witness) return {};
  Json out;
  if (!witness->text.empty()) out.add("text", witness->text);
  auto call = Json::parse(to_recording_line(witness->call));
  if (call.ok()) out.add("call", *std::move(call));
  return out;
}

Json sizes_json(const std::optional<SizeRange>& sizes) {
  if (!sizes) return {};
  Json out = Json().add("min", sizes->min).add("max", sizes->max);
  return out.add("multiple_of", sizes->multiple_of).add("residue", sizes->residue);
}

Json row_json(const Difference& row) {
  const bool sizes = row.what == What::axis || row.what == What::batch_size;
  Json out = Json().add("tensor", row.what == What::batch_size ? Json() : Json(row.tensor)).add("output", row.output);
  if (sizes) out.add("axis", row.what == What::axis ? Json(static_cast<std::uint64_t>(row.axis)) : Json());
  else out.add("what", to_string(row.what));
  out.add("change", to_string(row.change)).add("proved", row.proved).add("old", row.older).add("new", row.newer);
  if (sizes) out.add("old_sizes", sizes_json(row.older_sizes)).add("new_sizes", sizes_json(row.newer_sizes));
  out.add("witness", witness_json(row.lost ? row.lost : row.gained));
  if (row.change == Change::broken) out.add("gained", witness_json(row.gained));
  return out;
}

Json difference_json(const ContractDifference& difference) {
  Json::Array variants;
  std::vector<std::uint64_t> counts(4, 0);
  for (const VariantDifference& variant : difference.variants) {
    Json::Array axes, tensors;
    for (const Difference& row : variant.differences) {
      const bool sizes = row.what == What::axis || row.what == What::batch_size;
      (sizes ? axes : tensors).push_back(row_json(row));
      if (sizes) ++counts[static_cast<std::size_t>(row.change)];
    }
    Json entry = Json().add("old", variant.older).add("new", variant.newer);
    entry.add("inputs", Json::Array(variant.inputs.begin(), variant.inputs.end()));
    entry.add("change", to_string(variant.change)).add("proved", variant.proved);
    entry.add("axes", std::move(axes)).add("tensors", std::move(tensors));
    entry.add("witness", witness_json(variant.witness));
    entry.add("notes", Json::Array(variant.notes.begin(), variant.notes.end()));
    variants.push_back(std::move(entry));
  }
  Json count;
  for (const Change change : {Change::equal, Change::wider, Change::narrower, Change::broken})
    count.add(std::string(to_string(change)), counts[static_cast<std::size_t>(change)]);
  Json out = Json().add("verdict", to_string(difference.change)).add("proved", difference.proved);
  return out.add("counts", std::move(count)).add("variants", std::move(variants));
}

int run(const Arguments& arguments) {
  const auto older = read_contract(arguments.older);
  if (older.ok() && is_ladder_file(arguments.newer))
    return tell_outside(older->contract, arguments.newer, arguments.symbol, arguments.json, arguments.quiet);
  const auto newer = read_contract(arguments.newer);
  if (!older.ok() || !newer.ok()) {
    print_error(older.ok() ? newer.error() : older.error(), arguments.json);
    return kFailed;
  }
  const ContractDifference difference = diff(older->contract, newer->contract);
  if (arguments.json) {
    Json::Array notes;
    for (const auto& [path, side] : {std::pair(&arguments.older, &older), std::pair(&arguments.newer, &newer)})
      for (const std::string& note : (*side)->notes) notes.push_back(*path + ": " + note);
    print(difference_json(difference).add("notes", std::move(notes)).dump() + "\n");
  } else if (!arguments.quiet) {
    print_notes(arguments.older, older->notes);
    print_notes(arguments.newer, newer->notes);
    print(to_text(difference));
  }
  return difference.lost() ? kNo : kDone;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positional("OLD", arguments->older,
                     "A contract, or a file that declares one: an ONNX model, config.pbtxt, MLmodel");
  options.positional("NEW", arguments->newer,
                     "The contract or declaration to hold against it, or a plan or ladder of sizes");
  options.text("--symbol", arguments->symbol, "NAME", "The symbol of a plain list of sizes");
  options.flag("--json", arguments->json, "Print JSON, every axis included");
  options.flag("-q,--quiet", arguments->quiet, "Only answer by the exit code: 1 when something is narrower or broken");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::diff{
    .id = "diff",
    .summary = "Say per axis what one contract accepts and another does not",
    .example =
        "  tensorspec diff ocr.contract.json model.onnx || echo 'the model refuses calls that the contract accepts'",
    .define = define,
};

}  // namespace tensorspec::cli
