// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/suggest.hpp"

#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/learning.hpp"
#include "report/table.hpp"
#include "tensorspec/recording.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::string contract;
  std::vector<std::string> limits;
  bool json = false, quiet = false;
};

Result<std::vector<SuggestedCall>> suggestions(const Arguments& arguments, const Contract& contract) {
  Declarations declared;
  DeclarationArguments ranges;
  ranges.ranges = arguments.limits;
  if (const Status parsed = parse_declarations(ranges, declared); !parsed.ok()) return parsed.error();
  SizeLimits limits;
  for (const auto& [name, range] : declared.ranges) limits[name] = {range.min, range.max};
  return suggest(contract, limits);
}

std::string line_of(const SuggestedCall& suggested) {
  Json line = Json::parse(to_recording_line(suggested.call)).value();
  line.add("decides", Json::Array(suggested.decides.begin(), suggested.decides.end()));
  return line.dump() + "\n";
}

// "call 1 of variant 0, batch size 3" with its inputs and what it decides.
std::string table_of(const std::vector<SuggestedCall>& calls, bool variants) {
  if (calls.empty()) return "nothing is left to decide\n";
  std::string out;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [variant, call, decides] = calls[i];
    out += (i == 0 ? "call " : "\ncall ") + std::to_string(i + 1);
    if (variants) out += " of variant " + std::to_string(variant);
    if (call.batch_size) out += ", batch size " + std::to_string(*call.batch_size);
    std::vector<std::vector<std::string>> inputs, reasons;
    for (const TensorInfo& tensor : call.inputs)
      inputs.push_back({printable(tensor.name), std::string(printable(tensor.dtype.name())), bracketed(tensor.shape)});
    for (const std::string& text : decides) reasons.push_back({reasons.empty() ? "decides" : "", printable(text)});
    out += "\n" + align(inputs, "  ") + align(reasons, "  ");
  }
  return out;
}

int run(const Arguments& arguments) {
  const auto contract = Contract::load(arguments.contract);
  if (!contract.ok()) {
    print_error(contract.error(), arguments.json);
    return kFailed;
  }
  const auto calls = suggestions(arguments, *contract);
  if (!calls.ok()) {
    print_error(calls.error(), arguments.json);
    return kFailed;
  }
  if (arguments.json) {
    for (const SuggestedCall& suggested : *calls) print(line_of(suggested));
  } else if (!arguments.quiet) {
    print(table_of(*calls, contract->variants().size() > 1));
  }
  return kDone;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positional("CONTRACT", arguments->contract, "A contract file");
  options.texts("--set", arguments->limits, "NAME=MIN..MAX", "Suggest no size of a symbol outside this range");
  options.flag("--json", arguments->json, "Lines of a recording, inputs only, each with what it \"decides\"");
  options.flag("-q,--quiet", arguments->quiet, "Only say whether the contract can be read, by the exit code");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::suggest{
    .id = "suggest",
    .summary = "The next calls worth making: what they decide, and at which sizes",
    .example = "  tensorspec suggest ocr.contract.json --json > next.jsonl",
    .define = define,
};

}  // namespace tensorspec::cli
