// SPDX-License-Identifier: Apache-2.0
//
// Python source with the ShapesSpec of torch.compile(model, shapes_spec=..), which is private in torch 2.13. A symbol
// that stands alone on an axis is a ShapeVar. Other axes get a ShapeVar of their own and assumptions: mask_1 - seq >= 0
// for past+seq where past stands alone nowhere.
#include <set>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/facts.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

class Spec {
 public:
  explicit Spec(ExportJob& job)
      : job_(job), names_([](std::string_view name) {
          return is_python_keyword(name) || name == "ShapesSpec" || name == "ShapeVar" || name == "TensorSpec" ||
                 name == "SeqSpec" || name == "DictSpec" || name == "ObjectSpec" || name == "shapes_spec";
        }) {}

  Status write() {
    const Variant original = within_box(job_.part());
    variant_ = renamed(original, symbol_names(original, names_, job_));
    for (const TensorContract& tensor : variant_.inputs)
      for (const Dim& dim : tensor.shape)
        if (const std::string* name = dim.as_symbol()) declare(*name);
    std::vector<std::pair<std::string, std::string>> leaves;
    for (std::size_t i = 0; i < variant_.inputs.size(); ++i) {
      TRY(std::string leaf, tensor(i));
      leaves.emplace_back(variant_.inputs[i].name, std::move(leaf));
    }
    std::string text =
        "from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, "
        "TensorSpec\n\n";
    for (const std::string& line : variables_) text += line + "\n";
    text += "shapes_spec = ShapesSpec(\n    {\n" + arguments(nested(leaves, job_, Containers::specs)) +
            "    },\n    assumptions=[\n";
    for (const std::string& line : assumptions_) text += "        " + line + ",\n";
    job_.print(
        "# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change\n" +
        text + "    ],\n)\n");
    if (!freed_.empty()) job_.note("not said: " + some_of(freed_) + "; a range stands for it");
    return {};
  }

 private:
  static std::string arguments(const Nested& nested) {
    std::string out;
    for (std::size_t i = 0; i < nested.args.size(); ++i)
      out += "        \"arg" + std::to_string(i) + "\": " + nested.args[i] +
             ",  # call it as forward() calls its parameter " + std::to_string(i) + "\n";
    for (const auto& [name, argument] : nested.kwargs) out += "        " + text_literal(name) + ": " + argument + ",\n";
    return out;
  }

  void variable(const std::string& name, std::int64_t min, std::optional<std::int64_t> max, std::int64_t opt) {
    variables_.push_back(name + " = ShapeVar(" + text_literal(name) + ", min=" + std::to_string(min) +
                         (max ? ", max=" + std::to_string(*max) : "") + ", optimization_hint=" + std::to_string(opt) +
                         ")");
  }

  // A symbol that stands alone somewhere.
  void declare(const std::string& name) {
    const Symbol* symbol = variant_.symbol(name);
    if (symbol == nullptr || symbol->min == symbol->max || !known_.insert(name).second) return;
    variable(name, *symbol->min, symbol->max, opt_of(Dim::symbol(name)));
    if (symbol->multiple_of > 1)
      assumptions_.push_back(name + " % " + std::to_string(symbol->multiple_of) +
                             " == " + std::to_string(symbol->residue));
  }

  std::int64_t opt_of(const Dim& dim) const {
    for (std::size_t i = 0; i < variant_.inputs.size(); ++i)
      for (std::size_t axis = 0; axis < variant_.inputs[i].shape.size(); ++axis)
        if (variant_.inputs[i].shape[axis] == dim) return job_.part().box().inputs[i][axis].opt;
    return 0;
  }

  Result<std::string> tensor(std::size_t index) {
    const TensorContract& tensor = variant_.inputs[index];
    std::vector<std::string> dims;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const AxisSizes& sizes = job_.part().box().inputs[index][axis];
      if (sizes.fixed()) {
        dims.push_back(std::to_string(sizes.min));
        continue;
      }
      TRY(std::string text, axis_text(tensor, axis, sizes));
      dims.push_back(std::move(text));
    }
    return "TensorSpec([" + join(dims, ", ") + "])";
  }

  Result<std::string> axis_text(const TensorContract& tensor, std::size_t axis, const AxisSizes& sizes) {
    const Dim& dim = tensor.shape[axis];
    if (const std::string* name = dim.as_symbol()) return *name;
    for (const auto& [known, name] : own_)
      if (known == dim) return name;
    const std::string name = names_.take(tensor.name + "_" + std::to_string(axis));
    variable(name, sizes.min, sizes.max, sizes.opt);
    own_.emplace_back(dim, name);
    TRY(const Dim value, dim.substitute(eliminated_));
    std::vector<std::string> unknown;
    for (const std::string& symbol : value.symbols())
      if (!known_.contains(symbol)) unknown.push_back(symbol);
    const auto affine = affine_of(value);
    if (unknown.empty()) {
      assumptions_.push_back(name + " == " + spell(value, Notation::python));
    } else if (unknown.size() == 1 && affine) {
      TRY_VOID(eliminate(name, value, unknown[0], affine->coefficients.at(unknown[0])));
    } else {
      freed_.push_back(printable(axis_name(tensor.name, axis)) + " = " + dim.to_string());
    }
    known_.insert(name);
    return name;
  }

  // name == factor*symbol + rest, so the symbol is (name - rest)/factor, within its range and on its step.
  Status eliminate(const std::string& name, const Dim& value, const std::string& symbol_name, std::int64_t factor) {
    const Symbol& symbol = *variant_.symbol(symbol_name);
    TRY(const Dim scaled, Dim::multiply(Dim(factor), Dim::symbol(symbol_name)));
    TRY(const Dim rest, Dim::subtract(value, scaled));
    TRY(Dim difference, Dim::subtract(Dim::symbol(name), rest));
    if (factor < 0) { TRY(difference, Dim::multiply(difference, Dim(-1))); }
    const std::int64_t size = factor < 0 ? -factor : factor;
    const std::string text = spell(difference, Notation::python);
    const bool alone = difference.as_symbol() != nullptr;  // then its own range says it
    TRY(const Dim low, Dim::multiply(Dim(size), Dim(*symbol.min)));
    if (!alone) assumptions_.push_back(text + " >= " + low.to_string());
    if (symbol.max && !alone) {
      TRY(const Dim high, Dim::multiply(Dim(size), Dim(*symbol.max)));
      assumptions_.push_back(text + " <= " + high.to_string());
    }
    TRY(const Dim step, Dim::multiply(Dim(size), Dim(symbol.multiple_of)));
    if (step != Dim(1)) {
      TRY(const Dim residue, Dim::multiply(Dim(size), Dim(symbol.residue)));
      assumptions_.push_back((alone ? text : "(" + text + ")") + " % " + step.to_string() +
                             " == " + residue.to_string());
    }
    TRY(const Dim solved, Dim::divide(difference, size));
    eliminated_.emplace(symbol_name, solved);
    return {};
  }

  ExportJob& job_;
  Names names_;
  Variant variant_;
  std::set<std::string> known_;
  std::map<std::string, Dim> eliminated_;
  std::vector<std::pair<Dim, std::string>> own_;
  std::vector<std::string> variables_, assumptions_, freed_;
};

Status write(ExportJob& job) { return Spec(job).write(); }

}  // namespace

constinit const Exporter exporters::torch_compile{
    .info = {.id = "torch_compile",
             .engine = "torch.compile(shapes_spec=..), torch 2.13, private",
             .file = "torch_compile.py",
             .form = "Python source: ShapesSpec",
             .proof = "torch.compile in eager mode runs it; refuses range, step, sum and batch",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::typical | Keeps::shared | Keeps::multiples |
                      Keeps::sums | Keeps::products | Keeps::strides},
    .write = write,
};

}  // namespace tensorspec
