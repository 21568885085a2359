// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/learning.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::vector<std::string> contracts;
  PathArguments input;
  DeclarationArguments declared;
  std::string output;
};

// Evidence of all contracts; what an earlier one declares wins over a later one.
Result<Evidence> merge_all(const std::vector<std::string>& paths, Declarations& declarations) {
  std::optional<Evidence> merged;
  for (const std::string& path : paths) {
    const auto contract = Contract::load(path);
    if (!contract.ok()) return contract.error();
    if (!contract->evidence()) return Error{ErrorCode::no_evidence, path, ""};
    Evidence evidence = *contract->evidence();
    if (merged) {
      // One was learned under a memory limit: the smaller sample is what both can tell.
      merged->shrink_sample(evidence.sample_size());
      evidence.shrink_sample(merged->sample_size());
      TRY_VOID(merged->merge(evidence));
    } else {
      merged = std::move(evidence);
    }
    Declarations theirs = declarations_of(*contract);
    declarations.axis_names.merge(theirs.axis_names);
    declarations.ranges.merge(theirs.ranges);
    declarations.steps.merge(theirs.steps);
    declarations.dims.merge(theirs.dims);
    if (!declarations.batch && !declarations.no_batch) {
      declarations.batch = theirs.batch;
      declarations.no_batch = theirs.no_batch;
    }
  }
  return *std::move(merged);
}

int run(const Arguments& arguments) {
  Declarations declarations;
  const auto merged = merge_all(arguments.contracts, declarations);
  const auto parsed = parse_declarations(arguments.declared, declarations);
  if (!merged.ok() || !parsed.ok()) {
    print_error(merged.ok() ? parsed.error() : merged.error(), arguments.input.json);
    return kFailed;
  }
  return tell(*merged, declarations, arguments.output, arguments.declared.explain, arguments.input, PathResult());
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positionals("CONTRACT", arguments->contracts, "Contract files with evidence");
  options.text("-o,--output", arguments->output, "CONTRACT", "Save the merged contract here");
  arguments->declared.define(options);
  options.flag("--json", arguments->input.json, "Print JSON");
  options.flag("-q,--quiet", arguments->input.quiet, "Only errors");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::merge{
    .id = "merge",
    .summary = "Join contracts learned apart, as if from all calls at once",
    .example = "  tensorspec merge monday.contract.json tuesday.contract.json -o week.contract.json",
    .define = define,
};

}  // namespace tensorspec::cli
