// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/plan.hpp"

#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/ladder.hpp"
#include "contract/symbol_name.hpp"
#include "tensorspec/lengths.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::cli {
namespace {

constexpr std::int64_t kDefaultK = 8;
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

struct Arguments {
  std::vector<std::string> sources, columns, multiples;
  std::string cost, mode = "buckets", audit, symbol, count = "count", variant, output;
  std::int64_t k = 0;
  bool nested = false, seen_only = false, json = false, quiet = false;
};

struct Source {
  std::optional<Contract> contract;
  std::optional<SizeTrace> trace;
};

// "Request tokens" and "usage.prompt_tokens" are the symbols Request_tokens and usage_prompt_tokens.
SizeTrace trace_of(const std::vector<LengthColumn>& columns, std::string_view count) {
  const bool counted = columns.back().name == count;
  const std::size_t symbols = columns.size() - (counted ? 1 : 0);
  SizeTrace out;
  for (std::size_t i = 0; i < symbols; ++i) out.names.push_back(to_symbol_name(columns[i].name));
  for (std::size_t row = 0; row < columns[0].counts.size(); ++row) {
    for (std::size_t i = 0; i < symbols; ++i) out.sizes.push_back(columns[i].counts[row]);
    if (counted) out.counts.push_back(static_cast<std::uint64_t>(columns.back().counts[row]));
  }
  return out;
}

// A contract, a trace, or both. Contents decide.
Result<Source> load_sources(const Arguments& arguments) {
  Source out;
  for (const std::string& path : arguments.sources) {
    // Once: a pipe cannot be read again.
    TRY(const std::string text, load_file(path == "-" ? "/dev/stdin" : path, kMaxBytes));
    auto contract = Contract::from_json(text);
    const bool other = !contract.ok() && (contract.error().code == ErrorCode::json_syntax ||
                                          contract.error().code == ErrorCode::contract_format);
    if (!other) {
      if (!contract.ok()) return within(std::move(contract).error(), path, ": ");
      if (out.contract) return Error{ErrorCode::invalid_argument, path, "the second contract; one is planned for"};
      out.contract = *std::move(contract);
      continue;
    }
    if (out.trace) return Error{ErrorCode::invalid_argument, path, "the second trace; one is planned for"};
    TRY(const auto columns,
        parse_lengths(text, path, {.columns = arguments.columns, .every = true, .count = arguments.count}));
    out.trace = trace_of(columns, arguments.count);
  }
  return out;
}

struct Job {
  std::size_t variant;
  Workload load;
};

Status round_sizes(const std::vector<std::string>& multiples, Workload& load) {
  for (const std::string& text : multiples) {
    const std::size_t equal = text.find('=');
    const auto multiple = parse_int64(equal == std::string::npos ? text : text.substr(equal + 1));
    if (!multiple || *multiple < 1)
      return Error{ErrorCode::invalid_argument, "--multiple-of",
                   "expected NAME=N, or N when there is one symbol: " + printable(text)};
    if (equal == std::string::npos && load.symbols.size() != 1)
      return Error{ErrorCode::invalid_argument, "--multiple-of", "there are several symbols: NAME=" + text};
    TRY_VOID(round_up(load, equal == std::string::npos ? load.symbols[0].name : text.substr(0, equal), *multiple));
  }
  return {};
}

Result<std::vector<Job>> jobs_of(const Arguments& arguments, const Source& source) {
  std::vector<Job> out;
  if (!source.contract) {
    TRY(Workload load, workload_of(*source.trace));
    out.push_back({0, std::move(load)});
  }
  const std::size_t variants = source.contract ? source.contract->variants().size() : 0;
  std::optional<std::int64_t> wanted;
  if (!arguments.variant.empty()) {
    wanted = parse_int64(arguments.variant);
    if (!wanted || *wanted < 0 || static_cast<std::size_t>(*wanted) >= variants)
      return Error{ErrorCode::invalid_argument, "--variant", "there are " + counted(variants, "variant") + ", from 0"};
  }
  for (std::size_t v = 0; v < variants; ++v) {
    if (wanted && static_cast<std::size_t>(*wanted) != v) continue;
    auto load = source.trace ? workload_of(*source.contract, v, *source.trace) : workload_of(*source.contract, v);
    // A variant of one shape needs no plan, as long as another does.
    if (!load.ok() && load.error().code == ErrorCode::nothing_found && variants > 1 && !wanted) continue;
    if (!load.ok()) return std::move(load).error();
    out.push_back({v, *std::move(load)});
  }
  if (out.empty()) return Error{ErrorCode::nothing_found, "", "no variant has a varying size"};
  for (Job& job : out) TRY_VOID(round_sizes(arguments.multiples, job.load));
  return out;
}

Result<PlanOptions> options_of(const Arguments& arguments) {
  PlanOptions out;
  out.mode = arguments.mode == "profiles" ? PlanMode::profiles : PlanMode::buckets;
  out.k = static_cast<std::size_t>(arguments.k == 0 ? kDefaultK : arguments.k);
  out.nested = arguments.nested;
  out.seen_only = arguments.seen_only;
  if (arguments.cost.empty()) return out;
  auto cost = Dim::parse(arguments.cost);
  if (!cost.ok()) return within(std::move(cost).error(), "--cost", ": ");
  out.cost = *std::move(cost);
  return out;
}

// Scores the ladder, beside a plan of as many profiles.
Result<int> tell_audit(const Arguments& arguments, const std::vector<Job>& jobs, PlanOptions options) {
  const std::string symbol =
      arguments.symbol.empty() && jobs[0].load.symbols.size() == 1 ? jobs[0].load.symbols[0].name : arguments.symbol;
  TRY(const std::vector<Ladder> ladders, load_ladders(arguments.audit, symbol));
  bool inside = true;
  Json::Array variants;
  for (const Job& job : jobs) {
    const Ladder* ladder = ladder_of(ladders, job.variant, jobs.size(), job.load);
    if (!ladder)
      return Error{ErrorCode::plan_format, arguments.audit, "no profile is for variant " + std::to_string(job.variant)};
    TRY(const Audit audited, audit(job.load, *ladder, options.cost));
    options.mode = ladder->mode;
    if (arguments.k == 0) options.k = ladder->profiles.size();
    TRY(const Plan best, plan(job.load, options));
    inside = inside && audited.outside == 0;
    Json entry = Json().add("variant", static_cast<std::uint64_t>(job.variant)).add("audit", audit_json(audited));
    Json other = Json().add("profiles", static_cast<std::uint64_t>(best.profiles.size()));
    variants.push_back(entry.add("plan", other.add("padding", best.score.padding)));
    if (arguments.json || arguments.quiet) continue;
    if (jobs.size() > 1) print("variant " + std::to_string(job.variant) + "\n");
    print(to_text(audited, *ladder, &best));
  }
  if (arguments.json) print(Json().add("variants", std::move(variants)).dump() + "\n");
  return inside ? kDone : kNo;
}

Result<int> tell_plan(const Arguments& arguments, std::vector<Job> jobs, const PlanOptions& options) {
  std::vector<Plan> plans;
  for (const Job& job : jobs) {
    TRY(Plan made, plan(job.load, options));
    made.variant = job.variant;
    if (!arguments.json && !arguments.quiet) {
      if (jobs.size() > 1) print((plans.empty() ? "variant " : "\nvariant ") + std::to_string(job.variant) + "\n");
      print(to_text(made));
    }
    plans.push_back(std::move(made));
  }
  if (arguments.json) print(to_json(plans));
  if (!arguments.output.empty()) TRY_VOID(save_file(arguments.output, to_json(plans)));
  if (!arguments.output.empty() && !arguments.json && !arguments.quiet)
    print("saved        " + printable(arguments.output) + "\n");
  return kDone;
}

Result<int> work(const Arguments& arguments) {
  for (const std::string& source : arguments.sources) TRY_VOID(check_keeps(source, arguments.output));
  TRY(const Source source, load_sources(arguments));
  TRY(const PlanOptions options, options_of(arguments));
  TRY(std::vector<Job> jobs, jobs_of(arguments, source));
  if (!arguments.audit.empty()) return tell_audit(arguments, jobs, options);
  return tell_plan(arguments, std::move(jobs), options);
}

int run(const Arguments& arguments) {
  const auto code = work(arguments);
  if (code.ok()) return *code;
  print_error(code.error(), arguments.json);
  return kFailed;
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.positionals("SOURCE", arguments->sources,
                      "A contract, a trace of sizes (CSV or JSON Lines, a column a symbol), or a contract and a trace "
                      "that tells how often each size is asked for; - is standard input");
  options.count("-k,--profiles", arguments->k, "How many buckets or profiles at most; 8 unless given");
  options.text("--cost", arguments->cost, "EXPRESSION",
               "What a call costs, in symbols: \"batch*seq*seq\"; unless given, the elements of the inputs");
  options.choice("--mode", arguments->mode, {"buckets", "profiles"},
                 "buckets: sizes that calls are padded to; profiles: min, opt and max");
  options.flag("--nested", arguments->nested, "Profiles all begin at the smallest size");
  options.texts("--multiple-of", arguments->multiples, "NAME=N", "Choose multiples of N for a symbol");
  options.flag("--seen-only", arguments->seen_only, "Leave declared sizes that no call had uncovered");
  options.text("--variant", arguments->variant, "N", "Only this variant of the contract");
  options.text("--audit", arguments->audit, "LADDER",
               "Score this plan or ladder of sizes instead: [128, 256], {\"seq\": [128, 256]}, or profiles");
  options.text("--symbol", arguments->symbol, "NAME", "The symbol of a plain list of sizes");
  options.texts("--column", arguments->columns, "NAME", "Only these columns of the trace");
  options.text("--count", arguments->count, "NAME",
               "The column that says how often a row was seen; \"count\" unless given");
  options.text("-o,--output", arguments->output, "FILE", "Save the plan as JSON");
  options.flag("--json", arguments->json, "Print JSON");
  options.flag("-q,--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run(*arguments); };
}

}  // namespace

constinit const Command commands::plan{
    .id = "plan",
    .summary = "Choose the buckets or profiles that waste the least on the calls seen, or score a ladder of them",
    .example = "  tensorspec plan ocr.contract.json -k 4 --mode profiles -o ocr.plan.json",
    .define = define,
};

}  // namespace tensorspec::cli
