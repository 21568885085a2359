// SPDX-License-Identifier: Apache-2.0
#include "cli/learning.hpp"

#include "base/text.hpp"
#include "base/try.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::cli {
namespace {

Error bad_option(const std::string& option, const std::string& value, const std::string& wanted) {
  return Error{ErrorCode::invalid_argument, option, "\"" + value + "\", expected " + wanted};
}

// "seq=1..4096", "seq=1..", "seq=..4096", "seq=77"
Status parse_range(const std::string& text, Declarations& declarations) {
  const Error wrong = bad_option("--set", text, "NAME=MIN..MAX, one of the two may be left out");
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0) return wrong;
  const std::string range = text.substr(equal + 1);
  const std::size_t dots = range.find("..");
  const std::string low = range.substr(0, dots), high = dots == std::string::npos ? low : range.substr(dots + 2);
  Declarations::Range out;
  for (const auto& [digits, bound] : {std::pair(&low, &out.min), std::pair(&high, &out.max)}) {
    if (digits->empty()) continue;
    *bound = parse_int64(*digits);
    if (!*bound || **bound < 0 || **bound > kMaxExtent) return wrong;
  }
  if ((!out.min && !out.max) || (out.min && out.max && *out.min > *out.max)) return wrong;
  declarations.ranges[text.substr(0, equal)] = out;
  return {};
}

// "seq=4096"
Status parse_limit(const std::string& text, Declarations& declarations) {
  const std::size_t equal = text.find('=');
  const auto size = equal == std::string::npos ? std::nullopt : parse_int64(text.substr(equal + 1));
  if (equal == 0 || !size || *size < 0 || *size > kMaxExtent) return bad_option("--max", text, "NAME=SIZE");
  Declarations::Range& range = declarations.ranges[text.substr(0, equal)];
  if (range.min && *range.min > *size) return bad_option("--max", text, "no less than " + std::to_string(*range.min));
  range.max = *size;
  range.kept = false;
  return {};
}

// What to do next: the first open question, else the next command.
std::string next_step(const Contract& contract, const std::string& output, const std::string& command) {
  for (const Variant& variant : contract.variants())
    for (const Question& question : variant.questions)
      if (!question.ask.empty()) return printable(question.ask) + ", then learn again";
  if (output.empty()) return "tensorspec " + command + " ... -o model.contract.json saves it";
  return "tensorspec check " + printable(output) + " NEW_CALLS";
}

}  // namespace

void DeclarationArguments::define(Options& options) {
  options.text("--batch", batch, "TENSOR:AXIS", "The batch is the size of this axis; none: no axis is the batch");
  options.texts("--name", names, "LEARNED=NAME", "Call a symbol by another name: --name s0=seq");
  options.texts("--set", ranges, "NAME=MIN..MAX", "Declare the range of a symbol; it wins over the sizes seen");
  options.flag("--explain", explain, "Say of every claim why it is believed and what would refute it");
  options.texts("--max", limits, "NAME=SIZE", "Declare the largest size of a symbol alone");
}

Status parse_declarations(const DeclarationArguments& arguments, Declarations& declarations) {
  if (arguments.batch == "none") {
    declarations.batch.reset();
    declarations.no_batch = true;
  } else if (!arguments.batch.empty()) {
    const std::size_t colon = arguments.batch.rfind(':');
    const auto axis = colon == std::string::npos ? std::nullopt : parse_int64(arguments.batch.substr(colon + 1));
    if (!axis || *axis < 0 || colon == 0) return bad_option("--batch", arguments.batch, "TENSOR:AXIS or none");
    declarations.batch = Declarations::Axis{arguments.batch.substr(0, colon), static_cast<std::size_t>(*axis), false};
    declarations.no_batch = false;
  }
  for (const std::string& text : arguments.names) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0) return bad_option("--name", text, "LEARNED=NAME");
    declarations.names[text.substr(0, equal)] = text.substr(equal + 1);
  }
  for (const std::string& text : arguments.ranges) TRY_VOID(parse_range(text, declarations));
  for (const std::string& text : arguments.limits) TRY_VOID(parse_limit(text, declarations));
  return {};
}

int tell(const Evidence& evidence, const Declarations& declarations, const std::string& output, bool in_words,
         const PathArguments& input, const PathResult& result) {
  const auto contract = explain(evidence, declarations);
  // Why there is no call was said already, file by file.
  const bool told = evidence.states().empty() && result.calls == 0 && !result.errors.empty();
  std::vector<std::string> notes = result.notes;
  for (const Declared& declared : result.declared)
    if (contract.ok())
      for (const std::string& line : overruled(*contract, declared)) {
        notes.push_back("the model file is overruled: " + line);
        if (!input.json && !input.quiet) print_note(printable(notes.back()));
      }
  const Status saved = contract.ok() && !output.empty() ? contract->save(output) : Status();
  if (input.json) {
    Json line;
    Json::Array errors;
    for (const Error& error : result.errors) errors.push_back(error_json(error));
    if (!contract.ok() && !told) errors.push_back(error_json(contract.error()));
    if (!saved.ok()) errors.push_back(error_json(saved.error()));
    line.add("calls", evidence.calls())
        .add("read", result.calls)
        .add("errors", std::move(errors))
        .add("notes", Json::Array(notes.begin(), notes.end()));
    if (contract.ok() && saved.ok()) {
      line.add("file", output.empty() ? Json() : Json(output));
      line.add("contract", Json::parse(contract->to_json(false)).value());
    }
    print(line.dump() + "\n");
  } else if (!contract.ok() || !saved.ok()) {
    if (!told) print_error(contract.ok() ? saved.error() : contract.error());
  } else if (!input.quiet) {
    print(to_table(*contract));
    if (in_words) print("\n" + to_explanation(*contract) + "\n");
    if (!output.empty()) print("contract  " + printable(output) + "\n");
    print("next      " + next_step(*contract, output, input.paths.empty() ? "merge" : "learn") + "\n");
  }
  if (!contract.ok() || !saved.ok()) return kFailed;
  return result.errors.empty() ? kDone : kNo;
}

}  // namespace tensorspec::cli
