// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/export.hpp"

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/ladder.hpp"
#include "cli/learning.hpp"
#include "cli/paths.hpp"
#include "report/table.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::cli {
namespace {

struct Arguments {
  std::string contract, to, model, plan, output, variant;
  std::vector<std::string> ranges;
  bool list = false, json = false, quiet = false;
};

// The contract with the ranges of --set.
Result<Contract> declare(const Contract& contract, const std::vector<std::string>& ranges) {
  DeclarationArguments arguments;
  arguments.ranges = ranges;
  Declarations declarations;
  TRY_VOID(parse_declarations(arguments, declarations));
  Contract::Data data = contract.data();
  for (const auto& [name, range] : declarations.ranges) {
    bool found = false;
    for (Variant& variant : data.variants)
      for (Symbol& symbol : variant.symbols) {
        if (symbol.name != name) continue;
        found = true;
        if (range.min) symbol.min = range.min;
        if (range.max) symbol.max = range.max;
        symbol.declared = true;
      }
    if (!found) return Error{ErrorCode::invalid_argument, "--set", "the contract has no symbol " + name};
  }
  return Contract::make(std::move(data));
}

// "ocr" of "somewhere/ocr.contract.json".
std::string name_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  return name.substr(0, std::max<std::size_t>(name.find('.'), 1));
}

Result<std::vector<std::string>> chosen(const Arguments& arguments) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= arguments.to.size();) {
    const std::size_t end = std::min(arguments.to.find(',', begin), arguments.to.size());
    const std::string word = arguments.to.substr(begin, end - begin);
    begin = end + 1;
    if (word == "all") {
      for (const ExporterInfo& info : all_exporters()) out.emplace_back(info.id);
      continue;
    }
    const auto known = std::find_if(all_exporters().begin(), all_exporters().end(),
                                    [&](const ExporterInfo& info) { return info.id == word; });
    if (known == all_exporters().end())
      return Error{ErrorCode::export_unknown, "--to", "\"" + word + "\"; tensorspec export --list names all"};
    out.push_back(word);
  }
  return out;
}

const ExporterInfo& info_of(const std::string& id) {
  return *std::find_if(all_exporters().begin(), all_exporters().end(),
                       [&](const ExporterInfo& info) { return info.id == id; });
}

// Exports as they come.
class Run {
 public:
  Run(const Arguments& arguments, const Contract& contract, ExportOptions options, bool several)
      : arguments_(arguments), contract_(contract), options_(std::move(options)), several_(several) {
    std::error_code ignored;
    to_folder_ = several || arguments.output.ends_with('/') || std::filesystem::is_directory(arguments.output, ignored);
  }

  // Errors: what keeps every export from being written.
  Status prepare() const {
    if (arguments_.output.empty() || !to_folder_) return {};
    std::error_code error;
    std::filesystem::create_directories(arguments_.output, error);
    if (error) return Error{ErrorCode::file_write, arguments_.output, error.message()};
    return {};
  }

  void one(const std::string& id) {
    const ExporterInfo& info = info_of(id);
    if (several_ && info.needs_model && options_.model.empty())
      return skip(id, "it rewrites a model, --model MODEL names it");
    const auto exported = export_contract(contract_, id, options_);
    if (!exported.ok()) {
      refused_ = true;
      return fail(id, exported.error());
    }
    std::string file;
    Status written;
    if (arguments_.output.empty()) {
      written = to_output(*exported, info);
    } else {
      file = to_folder_ ? (std::filesystem::path(arguments_.output) / info.file).string() : arguments_.output;
      written = save_export(*exported, file);
    }
    if (!written.ok()) {
      failed_ = true;
      return fail(id, written.error());
    }
    tell(id, file, exported->notes);
  }

  int code() const { return failed_ ? kFailed : refused_ ? kNo : kDone; }

 private:
  Status to_output(const Exported& exported, const ExporterInfo& info) const {
    if (arguments_.json) return {};
    if (several_) print("==> " + std::string(info.file) + " <==\n");
    return write_export(exported, [](std::string_view bytes) -> Status {
      print(bytes);
      return {};
    });
  }

  void tell(const std::string& id, const std::string& file, const std::vector<std::string>& notes) const {
    if (arguments_.json) {
      Json line = Json().add("exporter", id).add("file", file.empty() ? Json() : Json(file));
      line.add("notes", Json::Array(notes.begin(), notes.end()));
      print(line.dump() + "\n");
      return;
    }
    if (arguments_.quiet) return;
    if (!file.empty()) print(printable(file) + "\n");
    for (const std::string& note : notes) print_note(id + ": " + printable(note));
  }

  void skip(const std::string& id, const std::string& why) const {
    if (arguments_.json) print(Json().add("exporter", id).add("file", Json()).add("skipped", why).dump() + "\n");
    else if (!arguments_.quiet) print_note(id + ": left out, " + why);
  }

  void fail(const std::string& id, Error error) const {
    if (!arguments_.json) return print_error(error.where == id ? error : within(std::move(error), id, ": "));
    print(Json().add("exporter", id).add("file", Json()).add("error", error_json(error)).dump() + "\n");
  }

  const Arguments& arguments_;
  const Contract& contract_;
  ExportOptions options_;
  bool several_, to_folder_ = false, refused_ = false, failed_ = false;
};

std::vector<std::string> kept_words(Keeps keeps, bool kept) {
  std::vector<std::string> out;
  for (const auto& [kind, word] : keeps_words())
    if (has(keeps, kind) == kept) out.emplace_back(word);
  return out;
}

int list(const Arguments& arguments) {
  std::vector<std::vector<std::string>> rows;
  for (const ExporterInfo& info : all_exporters()) {
    const auto kept = kept_words(info.keeps, true), lost = kept_words(info.keeps, false);
    if (arguments.json)
      print(Json()
                .add("exporter", info.id)
                .add("engine", info.engine)
                .add("file", info.file)
                .add("form", info.form)
                .add("proof", info.proof)
                .add("keeps", Json::Array(kept.begin(), kept.end()))
                .add("loses", Json::Array(lost.begin(), lost.end()))
                .add("needs_model", info.needs_model)
                .dump() +
            "\n");
    rows.push_back({std::string(info.id), std::string(info.engine), std::string(info.file), join(kept, ", ")});
  }
  if (!arguments.json) print(align(rows, ""));
  return kDone;
}

Status check(const Arguments& arguments, ExportOptions& options) {
  if (arguments.list == !arguments.to.empty())
    return Error{ErrorCode::invalid_argument, "export", "one of --list and --to EXPORTER is needed"};
  if (!arguments.list && arguments.contract.empty())
    return Error{ErrorCode::invalid_argument, "export", "the CONTRACT to export is needed"};
  if (arguments.variant.empty()) return {};
  const auto variant = parse_int64(arguments.variant);
  if (!variant || *variant < 0)
    return Error{ErrorCode::invalid_argument, "--variant", "\"" + arguments.variant + "\", expected a number from 0"};
  options.variant = static_cast<std::size_t>(*variant);
  return {};
}

// Where the largest size of a symbol is another in the profiles than in the contract.
void tell_reach(const std::string& plan, const Variant& variant, const Ladder& ladder) {
  for (const Symbol& symbol : variant.symbols) {
    std::optional<std::int64_t> largest;
    for (const Profile& profile : ladder.profiles)
      if (const auto range = profile.symbols.find(symbol.name); range != profile.symbols.end())
        largest = std::max(largest.value_or(0), range->second.max);
    if (!largest || (symbol.max && *symbol.max == *largest)) continue;
    const std::string most = symbol.max ? std::to_string(*symbol.max) : "any size";
    const bool beyond = symbol.max && *largest > *symbol.max;
    print_note(printable(plan + ": " + symbol.name + " up to " + std::to_string(*largest) +
                         (beyond ? ", more than was seen: " : ", less than the contract takes: ") + most));
  }
}

// The profiles of --plan for the variant that is exported.
Status read_plan(const Arguments& arguments, const Contract& contract, ExportOptions& options) {
  if (arguments.plan.empty()) return {};
  if (!options.variant && contract.variants().size() > 1)
    return Error{ErrorCode::invalid_argument, "--plan", "of which variant? --variant N says it"};
  TRY(const std::vector<Ladder> ladders, load_ladders(arguments.plan, ""));
  const std::size_t variant = options.variant.value_or(0);
  if (variant >= contract.variants().size()) return {};  // the export says so
  const Ladder* ladder = ladder_of(ladders, variant, contract.variants().size(), planned_symbols(contract, variant));
  if (ladder == nullptr)
    return Error{ErrorCode::plan_format, arguments.plan, "no profile is for variant " + std::to_string(variant)};
  options.profiles = ladder->profiles;
  if (!arguments.json && !arguments.quiet) tell_reach(arguments.plan, contract.variants()[variant], *ladder);
  return {};
}

int run(const Arguments& arguments) {
  const auto fail = [&](const Error& error) {
    print_error(error, arguments.json);
    return kFailed;
  };
  ExportOptions options;
  if (const Status status = check(arguments, options); !status.ok()) return fail(status.error());
  if (arguments.list) return list(arguments);
  if (const Status status = check_keeps(arguments.contract, arguments.output); !status.ok())
    return fail(status.error());
  const auto read = read_contract(arguments.contract);
  if (!read.ok()) return fail(read.error());
  const auto contract = declare(read->contract, arguments.ranges);
  if (!contract.ok()) return fail(contract.error());
  if (const Status status = read_plan(arguments, *contract, options); !status.ok()) return fail(status.error());
  const auto ids = chosen(arguments);
  if (!ids.ok()) return fail(ids.error());
  options.name = name_of(arguments.contract);
  options.model = arguments.model;
  Run exporting(arguments, *contract, std::move(options), ids->size() > 1);
  if (const Status status = exporting.prepare(); !status.ok()) return fail(status.error());
  for (const std::string& id : *ids) exporting.one(id);
  return exporting.code();
}

std::function<int()> define(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.optional_positional("CONTRACT", arguments->contract,
                              "A contract file, or a model file that declares its inputs and outputs");
  options.flag("--list", arguments->list, "List what there is to export to, and what each dialect keeps");
  options.text("--to", arguments->to, "NAME[,NAME]", "Export to these, or to all");
  options.text("--model", arguments->model, "MODEL", "The model to rewrite, for --to onnx");
  options.text("-o,--output", arguments->output, "PATH",
               "Write to this file, or into this folder; without it to standard output");
  options.text("--variant", arguments->variant, "N", "Export the Nth variant alone, from 0");
  options.text("--plan", arguments->plan, "PLAN",
               "Export the profiles or buckets of this file of tensorspec plan, or of a ladder of all symbols");
  options.texts("--set", arguments->ranges, "NAME=MIN..MAX", "Export with this range of a symbol");
  options.flag("--json", arguments->json, "One JSON line an export: its file and notes, or its error");
  options.flag("-q,--quiet", arguments->quiet, "No notes on what a dialect cannot say");
  return [arguments] { return run(*arguments); };
}

}  // namespace

// `export` is a word of C++; the command is called by its id.
constinit const Command commands::exporting{
    .id = "export",
    .summary = "Write a contract in the words of an engine, and say what is lost",
    .example = "  tensorspec export ocr.contract.json --to trtexec,triton -o deploy/",
    .define = define,
};

}  // namespace tensorspec::cli
