// SPDX-License-Identifier: Apache-2.0
//
// Python source with functions annotated in jaxtyping's notation, one for each variant. An expression may only use
// sizes that an axis before it stands for alone; other axes get a name of their own.
#include "base/text.hpp"
#include "base/try.hpp"
#include "export/exporter.hpp"
#include "export/facts.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> type_name(const DType& dtype) {
  switch (dtype.kind()) {
    case DType::Kind::boolean: return "Bool";
    case DType::Kind::int4: return "Int4";
    case DType::Kind::int8: return "Int8";
    case DType::Kind::int16: return "Int16";
    case DType::Kind::int32: return "Int32";
    case DType::Kind::int64: return "Int64";
    case DType::Kind::uint4: return "UInt4";
    case DType::Kind::uint8: return "UInt8";
    case DType::Kind::uint16: return "UInt16";
    case DType::Kind::uint32: return "UInt32";
    case DType::Kind::uint64: return "UInt64";
    case DType::Kind::float16: return "Float16";
    case DType::Kind::bfloat16: return "BFloat16";
    case DType::Kind::float32: return "Float32";
    case DType::Kind::float64: return "Float64";
    case DType::Kind::complex64: return "Complex64";
    case DType::Kind::complex128: return "Complex128";
    default: return std::nullopt;
  }
}

class Stub {
 public:
  explicit Stub(ExportJob& job) : job_(job) {}

  void write() {
    std::string functions;
    for (const ExportJob::Part& part : job_.parts) functions += function(part);
    std::string imports;
    for (const std::string& name : used_) imports += (imports.empty() ? "" : ", ") + name;
    if (used_.empty()) imports = "Float32";
    job_.print(
        "# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls\nfrom jaxtyping "
        "import " +
        imports + "\nfrom torch import Tensor\n" + functions);
  }

 private:
  std::string annotation(const TensorContract& tensor) {
    std::vector<std::string> dims;
    for (const Dim& dim : tensor.shape) dims.push_back(spell(dim, Notation::python));
    const std::string type = dtype_in(tensor, type_name, job_, "Shaped");
    used_.insert(type);
    return type + "[Tensor, " + text_literal(join(dims, " ")) + "]";
  }

  std::string function(const ExportJob::Part& part) {
    // A name that begins with _ matches any size.
    std::map<std::string, std::string> words;
    Names symbols([](std::string_view name) { return is_python_keyword(name); });
    for (const Symbol& symbol : part.variant->symbols) {
      words[symbol.name] = symbols.take(symbol.name.starts_with("_") ? "n" + symbol.name : symbol.name);
      if (words[symbol.name] != symbol.name) job_.note("renamed: symbol " + symbol.name + " is " + words[symbol.name]);
    }
    const Solvable inputs = solvable(renamed(*part.variant, words), true, true);
    if (!inputs.freed.empty()) job_.note("not said: " + some_of(inputs.freed) + "; a name of its own stands for it");
    Names parameters([](std::string_view name) { return is_python_keyword(name); });
    std::string text = "\n\ndef call" + (job_.parts.size() > 1 ? "_" + std::to_string(part.index) : "") + "(\n";
    for (const TensorContract& tensor : inputs.variant.inputs) {
      const std::string name = parameters.take(tensor.name);
      if (name != tensor.name) job_.note("renamed: parameter " + name + " is " + printable(tensor.name));
      text += "    " + name + ": " + annotation(tensor) + ",\n";
    }
    std::set<std::string> bound;
    for (const TensorContract& tensor : inputs.variant.inputs)
      for (const Dim& dim : tensor.shape)
        if (const std::string* name = dim.as_symbol()) bound.insert(*name);
    std::vector<std::string> results;
    for (TensorContract tensor : inputs.variant.outputs) {
      for (Dim& dim : tensor.shape) dim = known(dim, bound);
      results.push_back(annotation(tensor));
    }
    const std::string result = results.empty()       ? "None"
                               : results.size() == 1 ? results[0]
                                                     : "tuple[\n    " + join(results, ",\n    ") + ",\n]";
    return text + ") -> " + result + ": ...\n";
  }

  // Of an output: what no input tells is any size.
  static Dim known(const Dim& dim, std::set<std::string>& bound) {
    if (const std::string* name = dim.as_symbol()) return bound.insert(*name), dim;
    for (const std::string& name : dim.symbols())
      if (!bound.contains(name)) return Dim::symbol("_");
    return dim;
  }

  ExportJob& job_;
  std::set<std::string> used_;
};

Status write(ExportJob& job) {
  Stub(job).write();
  return {};
}

}  // namespace

constinit const Exporter exporters::jaxtyping{
    .info = {.id = "jaxtyping",
             .engine = "jaxtyping 0.3",
             .file = "jaxtyping_stub.py",
             .form = "Python source: annotated functions",
             .proof = "a call checked by beartype; refuses unequal axes, fixed sizes, rank, dtype",
             .keeps = Keeps::shared | Keeps::multiples | Keeps::sums | Keeps::products | Keeps::dtypes |
                      Keeps::outputs | Keeps::variants},
    .write = write,
};

}  // namespace tensorspec
