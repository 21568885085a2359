// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.hpp"
#include "cli/paths.hpp"
#include "tensorspec/checker.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::string contract, policy = "range";
  PathArguments input;
};

Json violations_json(const std::vector<Violation>& violations) {
  Json::Array out;
  for (const Violation& violation : violations) {
    Json entry = Json().add("tensor", violation.tensor.empty() ? Json() : Json(violation.tensor));
    entry.add("axis", violation.axis);
    entry.add("code", to_string(violation.code)).add("expected", violation.expected);
    if (violation.actual_is_number) entry.add("actual", static_cast<std::int64_t>(std::stoll(violation.actual)));
    else entry.add("actual", violation.actual);
    entry.add("message", violation.message);
    out.push_back(std::move(entry));
  }
  return out;
}

void print_verdict(std::uint64_t call, std::string_view origin, const Verdict& verdict, bool json) {
  if (json) {
    Json line = Json().add("call", call).add("ok", verdict.ok);
    line.add("variant", verdict.variant);
    line.add("violations", violations_json(verdict.violations)).add("warnings", violations_json(verdict.warnings));
    line.add("origin", origin);
    print(line.dump() + "\n");
    return;
  }
  for (const Violation& violation : verdict.violations)
    print(printable(std::string(origin) + ": " + violation.message) + "\n");
  for (const Violation& warning : verdict.warnings)
    print(printable(std::string(origin) + ": warning: " + warning.message) + "\n");
}

int run(const Arguments& arguments) {
  const auto contract = read_contract(arguments.contract);
  if (!contract.ok()) {
    print_error(contract.error(), arguments.input.json);
    return kFailed;
  }
  if (!arguments.input.quiet && !arguments.input.json) print_notes(arguments.contract, contract->notes);
  const Checker checker(contract->contract);
  const Policy policy = arguments.policy == "relations" ? Policy::relations
                        : arguments.policy == "seen"    ? Policy::seen
                                                        : Policy::range;
  std::uint64_t calls = 0, conforming = 0;
  const PathResult result = read_calls(arguments.input, [&](const Call& call, std::string_view origin) -> Status {
    const Verdict verdict = checker.check(call, policy);
    if (!arguments.input.quiet || arguments.input.json) print_verdict(calls, origin, verdict, arguments.input.json);
    ++calls;
    conforming += verdict.ok ? 1 : 0;
    return {};
  });
  if (arguments.input.json)
    for (const Error& error : result.errors) print_error(error, true);
  if (result.stopped) return kFailed;
  if (calls == 0) {
    // Why there is none was said already, unless nothing was bad.
    if (result.errors.empty()) print_error({ErrorCode::nothing_found, "", "no call to check"}, arguments.input.json);
    return kFailed;
  }
  if (!arguments.input.json && !arguments.input.quiet)
    print(std::to_string(conforming) + " of " + std::to_string(calls) +
          (calls == 1 ? " call conforms\n" : " calls conform\n"));
  return conforming == calls && result.errors.empty() ? kDone : kNo;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positional("CONTRACT", arguments->contract,
                     "A contract, or a file that declares one: an ONNX model, config.pbtxt, MLmodel");
  arguments->input.define(options, "Calls to check");
  options.choice("--policy", arguments->policy, {"relations", "range", "seen"},
                 "relations: tensors, ranks, dtypes, fixed sizes, relations and strides; range: those and the ranges; "
                 "seen: only shapes that were recorded");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::check{
    .id = "check",
    .summary = "Hold calls against a contract",
    .example = "  tensorspec check ocr.contract.json examples/ocr/calls.jsonl --policy relations",
    .define = define,
};

}  // namespace tensorspec::cli
