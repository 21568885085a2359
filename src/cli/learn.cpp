// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/learning.hpp"
#include "tensorspec/learner.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  PathArguments input;
  DeclarationArguments declared;
  std::string output, resume;
  std::int64_t batch_size = 0;
};

int fail(const Error& error, bool json) {
  print_error(error, json);
  return kFailed;
}

int run(const Arguments& arguments) {
  const bool json = arguments.input.json;
  Learner learner;
  Declarations declarations;
  if (!arguments.resume.empty()) {
    const auto earlier = Contract::load(arguments.resume);
    if (!earlier.ok()) return fail(earlier.error(), json);
    declarations = declarations_of(*earlier);
    // One that was written by hand has no evidence: all that it says is declared, and learning starts with it.
    const bool learned = std::any_of(earlier->variants().begin(), earlier->variants().end(),
                                     [](const Variant& variant) { return variant.calls > 0; });
    if (earlier->evidence()) learner = Learner(*earlier->evidence());
    else if (learned) return fail({ErrorCode::no_evidence, arguments.resume, ""}, json);
  }
  if (const auto status = parse_declarations(arguments.declared, declarations); !status.ok())
    return fail(status.error(), json);
  const PathResult result = read_calls(arguments.input, [&](const Call& call, std::string_view) -> Status {
    if (arguments.batch_size == 0) return learner.observe(call);
    Call told = call;
    told.batch_size = arguments.batch_size;
    return learner.observe(told);
  });
  // Nothing is written after a stop: half of the calls would make a contract that looks whole.
  if (result.stopped) {
    if (json) print_error(result.errors.back(), true);
    return kFailed;
  }
  return tell(learner.evidence(), declarations, arguments.output, arguments.declared.explain, arguments.input, result);
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->input.define(options, "Calls to learn from");
  options.text("-o,--output", arguments->output, "CONTRACT", "Save the contract here");
  options.text("--resume", arguments->resume, "CONTRACT", "Go on from what this contract was learned from");
  arguments->declared.define(options);
  options.count("--batch-size", arguments->batch_size, "The batch size of every call read");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::learn{
    .id = "learn",
    .summary = "Learn a contract from real calls",
    .example = "  tensorspec learn examples/ocr -o ocr.contract.json",
    .define = define,
};

}  // namespace tensorspec::cli
