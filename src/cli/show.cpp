// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.hpp"
#include "tensorspec/read.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::string contract;
  bool json = false, quiet = false, explain = false;
};

int run(const Arguments& arguments) {
  const auto found = read_contract(arguments.contract);
  if (!found.ok()) {
    print_error(found.error(), arguments.json);
    return kFailed;
  }
  const Contract& contract = found->contract;
  if (arguments.json) print(contract.to_json(false) + "\n");
  else if (!arguments.quiet) print(to_table(contract) + (arguments.explain ? "\n" + to_explanation(contract) : ""));
  if (!arguments.quiet && !arguments.json) print_notes(arguments.contract, found->notes);
  return kDone;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positional("CONTRACT", arguments->contract,
                     "A contract file, or a model file that declares its inputs and outputs");
  options.flag("--explain", arguments->explain, "Say of every claim why it is believed and what would refute it");
  options.flag("--json", arguments->json, "The contract as JSON, without its evidence");
  options.flag("-q,--quiet", arguments->quiet, "Only say whether it can be read, by the exit code");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::show{
    .id = "show",
    .summary = "Print a contract, or what a model file declares",
    .example = "  tensorspec show ocr.contract.json",
    .define = define,
};

}  // namespace tensorspec::cli
