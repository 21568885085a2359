// SPDX-License-Identifier: Apache-2.0
#include "export/torch_dims.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/facts.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

// sympy reads the name of a Dim in an expression: these are functions and constants there, and single capitals too.
bool means_something_to_sympy(std::string_view name) {
  static constexpr std::string_view kWords[] = {"beta", "gamma", "zeta", "re",    "im",   "sign",  "test",   "var",
                                                "ff",   "rf",    "li",   "pi",    "oo",   "I",     "E",      "N",
                                                "S",    "Q",     "O",    "Li",    "Si",   "Ci",    "Abs",    "Min",
                                                "Max",  "Mod",   "Dim",  "torch", "sign", "field", "factor", "root"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// k*d+c with k >= 1, the only expression there is; "" for others.
std::string derived(const Dim& dim, const Variant& variant) {
  const auto affine = affine_of(dim);
  if (!affine || affine->coefficients.size() != 1) return "";
  const auto& [name, factor] = *affine->coefficients.begin();
  const Symbol* symbol = variant.symbol(name);
  if (factor < 1 || symbol == nullptr) return "";
  // A derived Dim below 0 is an error of torch, although the contract has no such size.
  const diffing::Interval limits = diffing::bounds(dim, {{name, diffing::Domain::of(*symbol)}});
  if (limits.low < 0 || limits.high == diffing::kNoLimit - 1) return "";
  std::string text = factor == 1 ? name : std::to_string(factor) + " * " + name;
  if (affine->constant != 0)
    text += (affine->constant < 0 ? " - " : " + ") + std::to_string(std::abs(affine->constant));
  return text;
}

class TorchDims {
 public:
  explicit TorchDims(ExportJob& job) : job_(job), part_(job.part()) {}

  Status write() {
    const auto stepless = without_steps(within_box(part_));
    if (!stepless) return Error{ErrorCode::export_refused, "torch", "an expression is too large when counted in steps"};
    Names names([](std::string_view name) { return is_python_keyword(name) || means_something_to_sympy(name); });
    const auto words = symbol_names(*stepless, names, job_);
    variant_ = renamed(*stepless, words);
    std::vector<std::pair<std::string, std::string>> leaves;
    for (const TensorContract& tensor : variant_.inputs)
      for (const Dim& dim : tensor.shape)
        if (dim.as_symbol()) bare_.insert(*dim.as_symbol());
    for (std::size_t i = 0; i < variant_.inputs.size(); ++i)
      leaves.emplace_back(variant_.inputs[i].name, leaf(variant_.inputs[i], part_.box().inputs[i]));
    std::string dims;
    for (const Symbol& symbol : variant_.symbols)
      if (used_.contains(symbol.name))
        dims += symbol.name + " = Dim(" + text_literal(symbol.name) + ", min=" + std::to_string(*symbol.min) +
                (symbol.max ? ", max=" + std::to_string(*symbol.max) : "") + ")\n";
    job_.print("import torch\nfrom torch.export import Dim\n\n" + dims + (dims.empty() ? "" : "\n") + unsaid_ +
               "dynamic_shapes = " + python_structure(nested(leaves, job_)) + "\n");
    example();
    if (!between_.empty())
      job_.note("torch accepts sizes between the multiples, since the symbol stands alone nowhere: " +
                some_of(between_));
    if (std::any_of(variant_.inputs.begin(), variant_.inputs.end(),
                    [](const TensorContract& tensor) { return tensor.name.starts_with("args["); }))
      job_.note("positional arguments come first, keyword arguments behind them: keep the order of forward()");
    return {};
  }

 private:
  std::string leaf(const TensorContract& tensor, const TensorSizes& sizes) {
    std::vector<std::string> items;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Dim& dim = tensor.shape[axis];
      if (dim.as_integer() || sizes[axis].fixed()) continue;
      std::string text = derived(dim, variant_);
      if (text.empty()) {
        const std::string limits = "min=" + std::to_string(sizes[axis].min) +
                                   (sizes[axis].max ? ", max=" + std::to_string(*sizes[axis].max) : "");
        text = "Dim.DYNAMIC(" + limits + ")";  // AUTO would let torch freeze it in silence
        const std::string place = printable(axis_name(tensor.name, axis));
        unsaid_ += "# " + place + " is " + dim.to_string() +
                   ", which Dim cannot say; torch infers it from the model or leaves it free:\n" + "#   torch._check(" +
                   place + " == " + spell(dim, Notation::python) + ")\n";
      } else {
        const auto affine = affine_of(dim);
        const auto& [name, factor] = *affine->coefficients.begin();
        used_.insert(name);
        if (factor > 1 && !bare_.contains(name))
          between_.push_back(printable(axis_name(tensor.name, axis)) + " = " + dim.to_string());
      }
      items.push_back(std::to_string(axis) + ": " + text);
    }
    return items.empty() ? "None" : "{" + join(items, ", ") + "}";
  }

  // Sizes for the call that is traced: 0 and 1 would be taken for constants.
  void example() {
    const Variant& original = *part_.variant;
    diffing::Sizes sizes = part_.box().opt;
    // Of 8*h the h counts, and of a symbol in steps the steps.
    for (auto& [name, size] : sizes) {
      const Symbol* symbol = original.symbol(name);
      if (symbol != nullptr && symbol->multiple_of > kMaxExtent / 3) continue;  // so many are no size
      const std::int64_t least = symbol == nullptr ? 2 : symbol->residue + 2 * symbol->multiple_of;
      if (size < least) size = part_.box().domains.at(name).at_least(least).value_or(size);
    }
    // A size more of every symbol of an axis that is too small, a few times.
    for (int attempt = 0; attempt < 8; ++attempt) {
      std::set<std::string> raise;
      for (const TensorContract& tensor : original.inputs)
        for (const Dim& dim : tensor.shape)
          if (diffing::evaluate(dim, sizes).value_or(0) < 2)
            for (const std::string& name : dim.symbols()) raise.insert(name);
      for (const std::string& name : raise)
        if (const auto larger = part_.box().domains.at(name).at_least(sizes[name] + 1)) sizes[name] = *larger;
    }
    bool specialised = false;
    std::string lines;
    for (std::size_t i = 0; i < original.inputs.size(); ++i) {
      std::vector<std::string> extents;
      for (std::size_t axis = 0; axis < original.inputs[i].shape.size(); ++axis) {
        const auto size = diffing::evaluate(original.inputs[i].shape[axis], sizes);
        extents.push_back(std::to_string(size.value_or(part_.box().inputs[i][axis].opt)));
        specialised = specialised || (size.value_or(0) < 2 && !part_.box().inputs[i][axis].fixed());
      }
      const std::string dtype = dtype_in(
          original.inputs[i], [](const DType& known) { return known.torch_name(); }, job_, "torch.float32");
      lines += "    " + text_literal(original.inputs[i].name) + ": (" + python_tuple(extents) + ", " + dtype + "),\n";
    }
    if (specialised) job_.note("a varying axis can only be 0 or 1 in an example: torch takes that for a constant");
    job_.print("\n# A call to trace: a conforming size of every input, no varying axis below 2.\nexample_shapes = {\n" +
               lines + "}\n");
  }

  ExportJob& job_;
  const ExportJob::Part& part_;
  Variant variant_;
  std::set<std::string> used_, bare_;
  std::vector<std::string> between_;
  std::string unsaid_;
};

}  // namespace

Status write_torch_dims(ExportJob& job) { return TorchDims(job).write(); }

}  // namespace tensorspec
