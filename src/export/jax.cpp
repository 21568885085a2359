// SPDX-License-Identifier: Apache-2.0
//
// Python source with the symbolic arguments of jax.export. Expressions may be sums, products and floordiv, and ranges
// are constraints of the scope. A claimed step is spelled out: 8*seq_8. jax solves one symbol from each axis, and has
// none below 1.
#include <algorithm>

#include "base/text.hpp"
#include "base/try.hpp"
#include "export/facts.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

std::optional<std::string> jax_dtype(const DType& dtype) {
  switch (dtype.kind()) {
    case DType::Kind::other:
    case DType::Kind::string:
    case DType::Kind::int1:
    case DType::Kind::uint1:
    case DType::Kind::float6_e2m3:
    case DType::Kind::float6_e3m2:
    case DType::Kind::complex32: return std::nullopt;
    case DType::Kind::boolean: return "jnp.bool_";
    case DType::Kind::float4_e2m1: return "jnp.float4_e2m1fn";
    default: return "jnp." + std::string(dtype.name());
  }
}

// Symbols of jax are at least 1: one that can be 0 is counted from 1, as past_plus_1-1.
std::optional<Variant> from_one(const Variant& variant) {
  Variant out = variant;
  std::map<std::string, Dim> values;
  for (Symbol& symbol : out.symbols) {
    if (symbol.min.value_or(0) > 0) continue;
    std::string name = symbol.name + "_plus_1";
    while (variant.symbol(name) != nullptr) name += "_";
    const auto value = Dim::subtract(Dim::symbol(name), Dim(1));
    if (!value.ok() || symbol.max == kMaxExtent) return std::nullopt;
    values.emplace(symbol.name, *value);
    symbol.name = std::move(name);
    symbol.min = 1;
    if (symbol.max) ++*symbol.max;
  }
  if (!substitute(out, values)) return std::nullopt;
  return out;
}

Status write(ExportJob& job) {
  const auto counted_in_steps = without_steps(within_box(job.part()));
  const auto stepless = counted_in_steps ? from_one(*counted_in_steps) : std::nullopt;
  if (!stepless) return Error{ErrorCode::export_refused, "jax", "an expression is too large when counted in steps"};
  Names names([](std::string_view name) {
    return name == "max" || name == "min" || name == "mod" || name == "floordiv" || name == "_";
  });
  const Solvable inputs = solvable(renamed(*stepless, symbol_names(*stepless, names, job)), false, false);
  if (!inputs.freed.empty()) job.note("not said: " + some_of(inputs.freed) + "; a range stands for it");
  std::set<std::string> used;
  std::vector<std::pair<std::string, std::string>> leaves;
  bool wide = false;
  for (const TensorContract& tensor : inputs.variant.inputs) {
    std::vector<std::string> dims;
    for (const Dim& dim : tensor.shape) {
      for (const std::string& name : dim.symbols()) used.insert(name);
      dims.push_back(spell(dim, Notation::jax));
    }
    const std::string dtype = dtype_in(tensor, jax_dtype, job, "jnp.float32");
    wide = wide || dtype.ends_with("64");
    const std::string shape = dims.empty() ? "()" : "_shape(" + text_literal(join(dims, ", ")) + ")";
    leaves.emplace_back(tensor.name, "jax.ShapeDtypeStruct(" + shape + ", " + dtype + ")");
  }
  std::vector<std::string> constraints;
  for (const Symbol& symbol : inputs.variant.symbols) {
    if (!used.contains(symbol.name)) continue;
    constraints.push_back("    " + text_literal(symbol.name + " >= " + std::to_string(symbol.min.value_or(0))) + ",\n");
    if (symbol.max)
      constraints.push_back("    " + text_literal(symbol.name + " <= " + std::to_string(*symbol.max)) + ",\n");
  }
  const Nested arguments = nested(leaves, job);
  job.print(
      "# jax.export.export(jax.jit(f))(*args, **kwargs)\nimport jax\nimport jax.numpy as jnp\nfrom jax import "
      "export\n\n");
  if (wide) job.print("jax.config.update(\"jax_enable_x64\", True)  # 64-bit inputs\n");
  job.print("scope = export.SymbolicScope((\n" + join(constraints, "") +
            "))\n\n\ndef _shape(spec):\n    return export.symbolic_shape(spec, scope=scope)\n\n\n");
  std::string positional;
  for (const std::string& argument : arguments.args) positional += "    " + argument + ",\n";
  job.print((positional.empty() ? "args = ()" : "args = (\n" + positional + ")") +
            "\nkwargs = " + python_structure({{}, arguments.kwargs}) + "\n");
  return {};
}

}  // namespace

constinit const Exporter exporters::jax{
    .info = {.id = "jax",
             .engine = "jax.export, jax 0.10",
             .file = "jax_export.py",
             .form = "Python source: symbolic arguments",
             .proof = "jax.export exports a function; its call refuses range, step, sum and batch",
             .keeps = Keeps::minimum | Keeps::maximum | Keeps::shared | Keeps::multiples | Keeps::sums |
                      Keeps::products | Keeps::strides | Keeps::dtypes},
    .write = write,
};

}  // namespace tensorspec
