// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/learning.hpp"
#include "tensorspec/learner.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  PathArguments input;
  DeclarationArguments declared;
  std::string output, resume, max_memory, model;
  std::int64_t batch_size = 0;
};

int fail(const Error& error, bool json) {
  print_error(error, json);
  return kFailed;
}

// "64M", "2G", "500K" or bytes; K is 1024.
Result<std::uint64_t> parse_size(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  const auto number = parse_int64(text.substr(0, digits));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (!number || *number == 0 || shift < 0 || *number > (INT64_MAX >> shift))
    return Error{ErrorCode::invalid_argument, "--max-memory", "\"" + text + "\", expected a size like 64M or 2G"};
  return static_cast<std::uint64_t>(*number) << shift;
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
  Status fits;
  if (!arguments.max_memory.empty()) {
    const auto bytes = parse_size(arguments.max_memory);
    if (!bytes.ok()) return fail(bytes.error(), json);
    fits = learner.limit_memory(*bytes);
  }
  const auto observe = [&](const Call& call) -> Status {
    if (arguments.batch_size == 0) return learner.observe(call);
    Call told = call;
    told.batch_size = arguments.batch_size;
    return learner.observe(told);
  };
  PathResult result = read_calls(arguments.input, [&](const Call& call, std::string_view) -> Status {
    if (!fits.ok()) return {};
    Status status = observe(call);
    if (status.ok() || status.error().code != ErrorCode::memory_limit) return status;
    fits = std::move(status);
    return {};
  });
  if (!fits.ok()) return fail(within(std::move(fits).error(), "--max-memory", ""), json);
  // Nothing is written after a stop: half of the calls would make a contract that looks whole.
  if (result.stopped) {
    if (json) print_error(result.errors.back(), true);
    return kFailed;
  }
  if (!arguments.model.empty()) {
    auto declared = read_declared(arguments.model);
    if (!declared.ok()) return fail(declared.error(), json);
    result.declared = {*std::move(declared)};
  }
  if (result.without_batch && !declarations.batch) declarations.no_batch = true;
  // Hints: a name that a person gave, or an earlier contract, goes before.
  for (const Declared& declared : result.declared) declarations.axis_names.merge(axis_names_of(declared));
  return tell(learner.evidence(), declarations, arguments.output, arguments.declared.explain, arguments.input, result);
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->input.define(options, "Calls to learn from");
  options.text("-o,--output", arguments->output, "CONTRACT", "Save the contract here");
  options.text("--resume", arguments->resume, "CONTRACT", "Go on from what this contract was learned from");
  arguments->declared.define(options);
  options.text("--model", arguments->model, "FILE",
               "Name sizes as this model file does (ONNX, config.pbtxt); calls overrule what it declares. Without it a "
               "model among the paths, or beside ONNX test data, is asked");
  options.count("--batch-size", arguments->batch_size, "The batch size of every call read");
  options.text("--max-memory", arguments->max_memory, "SIZE",
               "What is learned takes at most this (64M, 2G): the sample of distinct calls is halved from 4096, to 64 "
               "at least, until it fits. The calls alone decide, not their order. Reading them and writing the "
               "contract take memory besides");
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
