// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/json.hpp"
#include "cli/command.hpp"
#include "report/table.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

int run(bool json) {
  Json::Array list;
  std::vector<std::vector<std::string>> rows;
  for (const FormatInfo& format : formats()) {
    list.push_back(Json()
                       .add("id", format.id)
                       .add("title", format.title)
                       .add("specification", format.specification)
                       .add("extensions", format.extensions));
    rows.push_back({std::string(format.id), std::string(format.title), std::string(format.extensions)});
  }
  print(json ? Json(std::move(list)).dump() + "\n" : align(rows, ""));
  return kDone;
}

std::function<int()> define(Options& options) {
  const auto json = std::make_shared<bool>(false);
  options.flag("--json", *json, "Print JSON, with the specification that each reader follows");
  return [json] { return run(*json); };
}

}  // namespace

constinit const Command commands::formats{
    .id = "formats",
    .summary = "List the formats that are read, the words for --from",
    .example = "  tensorspec formats --json",
    .define = define,
};

}  // namespace tensorspec::cli
