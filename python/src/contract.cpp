// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/contract.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "tensorspec/diff.hpp"
#include "tensorspec/read.hpp"
#include "tensorspec/report.hpp"
#include "tensorspec/suggest.hpp"

namespace tensorspec::python {
namespace {

std::string bracketed(const std::vector<Dim>& dims) {
  std::string out = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i > 0 ? ", " : "") + dims[i].to_string();
  return out + "]";
}

std::string range_text(const Symbol& symbol) {
  if (!symbol.min && !symbol.max) return "any";
  const auto text = [](const std::optional<std::int64_t>& size) { return size ? std::to_string(*size) : ""; };
  return text(symbol.min) + ".." + text(symbol.max);
}

std::string repr(const Symbol& symbol) {
  std::string out = "<Symbol " + symbol.name + " " + range_text(symbol);
  if (symbol.multiple_of != 1) out += " multiple_of=" + std::to_string(symbol.multiple_of);
  return out + " " + std::string(to_string(symbol.source)) + ">";
}

std::string dtypes_text(const TensorContract& tensor) {
  std::string out;
  for (const DType& dtype : tensor.dtypes) out += (out.empty() ? "" : "|") + std::string(dtype.name());
  return out.empty() ? "any" : out;
}

nb::tuple to_tuple(const std::vector<Dim>& dims) {
  nb::list out;
  for (const Dim& dim : dims) out.append(nb::cast(dim));
  return nb::tuple(out);
}

void bind_symbol(nb::module_& module) {
  nb::class_<Symbol>(module, "Symbol", "A named varying size of a variant. Sizes are in elements.")
      .def_ro("name", &Symbol::name)
      .def_prop_ro(
          "min", [](const Symbol& s) { return s.min; }, "Smallest size, None: no limit known.")
      .def_prop_ro(
          "max", [](const Symbol& s) { return s.max; }, "Largest size, None: no limit known.")
      .def_prop_ro(
          "opt", [](const Symbol& s) { return s.typical; },
          "The size seen most often, or the one declared; None: not known.")
      .def_ro("multiple_of", &Symbol::multiple_of, "Claimed: every size is ``residue`` modulo this.")
      .def_ro("residue", &Symbol::residue)
      .def_ro("seen_multiple_of", &Symbol::seen_multiple_of, "What every size seen was a multiple of, not claimed.")
      .def_ro("seen", &Symbol::seen, "Distinct sizes seen.")
      .def_prop_ro(
          "source", [](const Symbol& s) { return std::string(to_string(s.source)); },
          "given, inferred, observed, declared or unknown.")
      .def_ro("declared", &Symbol::declared, "The range was stated by a person.")
      .def_ro("at", &Symbol::at, "The first axis that shows it, such as ``\"x[3]\"``.")
      .def("__repr__", [](const Symbol& self) { return repr(self); });
}

void bind_parts(nb::module_& module) {
  nb::class_<TensorContract>(module, "TensorContract", "One tensor of a variant.")
      .def_ro("name", &TensorContract::name)
      .def_prop_ro(
          "dtypes",
          [](const TensorContract& t) {
            std::vector<std::string> names;
            for (const DType& dtype : t.dtypes) names.emplace_back(dtype.name());
            return names;
          },
          "Names of the dtypes seen; empty: any.")
      .def_prop_ro(
          "shape", [](const TensorContract& t) { return to_tuple(t.shape); },
          nb::sig("def shape(self) -> tuple[Dim, ...]"), "One Dim an axis.")
      .def_ro("optional", &TensorContract::optional, "An output that calls do not always have.")
      .def("__repr__", [](const TensorContract& t) {
        return "<TensorContract " + t.name + " " + dtypes_text(t) + " " + bracketed(t.shape) + ">";
      });
  nb::class_<Claim>(module, "Claim", "Why an axis has its dim, and how sure that is.")
      .def_ro("output", &Claim::output, "The tensor is an output.")
      .def_ro("tensor", &Claim::tensor)
      .def_ro("axis", &Claim::axis)
      .def_ro("dim", &Claim::dim)
      .def_prop_ro(
          "certainty", [](const Claim& c) { return std::string(to_string(c.certainty)); },
          "declared, believed, weak or open.")
      .def_ro("witnesses", &Claim::witnesses, "Distinct points that show it.")
      .def_prop_ro(
          "margin_bits", [](const Claim& c) { return c.margin_bits; }, "Bits to spare; None: not weighed.")
      .def_ro("rivals", &Claim::rivals, "Other forms that fit every call.")
      .def("__repr__", [](const Claim& c) {
        return "<Claim " + axis_name(c.tensor, c.axis) + " = " + c.dim.to_string() + " " +
               std::string(to_string(c.certainty)) + ">";
      });
  nb::class_<Bound>(module, "Bound", "A symbol that was never above another.")
      .def_ro("symbol", &Bound::symbol)
      .def_ro("at_most", &Bound::at_most)
      .def_ro("witnesses", &Bound::witnesses, "Different pairs of their sizes.")
      .def("__repr__", [](const Bound& b) { return "<Bound " + b.symbol + " <= " + b.at_most + ">"; });
  nb::class_<Question>(module, "Question", "Something that the calls do not settle, and what would.")
      .def_ro("text", &Question::text)
      .def_ro("ask", &Question::ask, "What to record.")
      .def_ro("about", &Question::about, "Axes such as ``\"x[0]\"`` and symbols.")
      .def("__repr__", [](const Question& q) { return "<Question " + repr_of(q.text) + ">"; });
  nb::class_<Variant>(module, "Variant", "The calls with one set of inputs and ranks: prefill, decode, ...")
      .def_ro("inputs", &Variant::inputs, "In display order.")
      .def_ro("outputs", &Variant::outputs)
      .def_ro("symbols", &Variant::symbols, "Batch first, then in display order.")
      .def_prop_ro(
          "batch_size", [](const Variant& v) { return v.batch_size; },
          "What a batch size given with a call must be; None: no call had one.")
      .def_ro("claims", &Variant::claims)
      .def_ro("bounds", &Variant::bounds)
      .def_ro("questions", &Variant::questions)
      .def_ro("calls", &Variant::calls, "Calls seen.")
      .def_ro("distinct", &Variant::distinct, "Different ones among them.")
      .def(
          "symbol",
          [](const Variant& self, std::string_view name) {
            const Symbol* found = self.symbol(name);
            return found ? std::optional(*found) : std::nullopt;
          },
          "name"_a, "The symbol of that name, or None.")
      .def("__repr__", [](const Variant& v) {
        std::string out = "<Variant";
        for (const TensorContract& tensor : v.inputs) out += " " + tensor.name + bracketed(tensor.shape);
        return out + ">";
      });
}

std::string repr(const Contract& contract) {
  std::string out = "<Contract";
  for (const Variant& variant : contract.variants()) {
    out += &variant == contract.variants().data() ? " " : "; ";
    for (std::size_t i = 0; i < variant.inputs.size(); ++i)
      out += (i > 0 ? ", " : "") + variant.inputs[i].name + bracketed(variant.inputs[i].shape);
    if (!variant.outputs.empty()) out += " -> ";
    for (std::size_t i = 0; i < variant.outputs.size(); ++i)
      out += (i > 0 ? ", " : "") + variant.outputs[i].name + bracketed(variant.outputs[i].shape);
  }
  return printable(out) + ">";
}

SizeLimits to_limits(
    const std::map<std::string, std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>& limits) {
  SizeLimits out;
  for (const auto& [name, limit] : limits) out[name] = {limit.first, limit.second};
  return out;
}

}  // namespace

void bind_contract(nb::module_& module) {
  bind_symbol(module);
  bind_parts(module);
  nb::class_<Contract>(
      module, "Contract",
      R"doc(What a model's tensors look like, per variant: dims over symbols, ranges, how sure each claim is.

Learned (``Learner.contract()``), loaded from a ``*.contract.json`` file (format version 1, docs/contract.schema.json), or
declared by a model file (``read_contract``). Immutable, may be shared between threads. ``print(contract)`` is the table
of ``tensorspec show``; notebooks show it as HTML.)doc")
      .def_static(
          "load",
          [](const std::filesystem::path& path) { return unwrap(without_gil([&] { return Contract::load(path); })); },
          "path"_a, "Raises tensorspec.Error (file_open, json_*, contract_*, dim_*) with the file and the place in it.")
      .def(
          "save",
          [](const Contract& self, const std::filesystem::path& path) {
            unwrap(without_gil([&] { return self.save(path); }));
          },
          "path"_a,
          "Replaces the file in one step: a crash leaves the old file or the new. Raises tensorspec.Error "
          "(file_write).")
      .def_static(
          "from_json",
          [](const std::string& text) { return unwrap(without_gil([&] { return Contract::from_json(text); })); },
          "text"_a, "Raises tensorspec.Error (json_*, contract_*, dim_*).")
      .def(
          "to_json",
          [](const Contract& self, bool evidence) { return without_gil([&] { return self.to_json(evidence); }); },
          "evidence"_a = true, "The text of a contract file; without its evidence when `evidence` is false.")
      .def_prop_ro(
          "variants", [](const Contract& self) { return self.variants(); }, "One per set of inputs and ranks.")
      .def_prop_ro(
          "tensors",
          [](const Contract& self) {
            std::vector<TensorContract> all;
            for (const Variant& variant : self.variants())
              for (const auto* group : {&variant.inputs, &variant.outputs})
                all.insert(all.end(), group->begin(), group->end());
            return all;
          },
          "Those of all variants: inputs, then outputs of each.")
      .def_prop_ro(
          "symbols",
          [](const Contract& self) {
            std::map<std::string, Symbol> all;
            for (const Variant& variant : self.variants())
              for (const Symbol& symbol : variant.symbols) all.try_emplace(symbol.name, symbol);
            return all;
          },
          "By name; where variants share a name, that of the first.")
      .def_prop_ro(
          "evidence", [](const Contract& self) { return self.evidence(); },
          "What it was learned from, or None; ``Learner(evidence)`` goes on from there.")
      .def("explain", &to_explanation,
           "For every symbol, expression and fixed size: why, and what would refute it, in words.")
      .def(
          "diff",
          [](const Contract& self, const Contract& newer) { return without_gil([&] { return diff(self, newer); }); },
          "newer"_a,
          "What `newer` accepts beside this one, axis by axis. At worst some tenths of a second for each pair of dims.")
      .def(
          "suggest",
          [](const Contract& self,
             const std::map<std::string, std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>& limits) {
            return unwrap(without_gil([&] { return suggest(self, to_limits(limits)); }));
          },
          "limits"_a = nb::dict(), R"doc(The few next calls that decide what is weak or open, the most telling first.

`limits` are (min, max) by symbol, either may be None. Empty: nothing is left to decide. Raises tensorspec.Error
(invalid_argument).)doc")
      .def("__str__", &to_table)
      .def("__repr__", [](const Contract& self) { return repr(self); })
      .def(
          "show", [](nb::handle self) { nb::module_::import_("builtins").attr("print")(nb::str(self), "end"_a = ""); },
          nb::sig("def show(self) -> None"), "Prints the table of ``tensorspec show``.")
      .def(
          "_repr_html_",
          [](nb::handle self) { return nb::module_::import_("tensorspec.html").attr("contract_html")(self); },
          nb::sig("def _repr_html_(self) -> str"))
      .def(
          "__eq__", [](const Contract& self, const Contract& other) { return self.to_json() == other.to_json(); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Contract& self) { return nb::hash(nb::str(self.to_json(false).c_str())); })
      .def("__getstate__", [](const Contract& self) { return self.to_json(); })
      .def("__setstate__",
           [](Contract& self, const std::string& text) { new (&self) Contract(unwrap(Contract::from_json(text))); });
  nb::class_<SuggestedCall>(module, "SuggestedCall", "A call worth making, and what it decides.")
      .def_ro("variant", &SuggestedCall::variant, "Index in the contract.")
      .def_ro("call", &SuggestedCall::call, "Inputs only.")
      .def_ro("decides", &SuggestedCall::decides, "Such as ``\"y[1] = 2*s0\"``.")
      .def("__repr__", [](nb::handle self) {
        return "<SuggestedCall " + nb::cast<std::string>(nb::repr(self.attr("call"))) + ">";
      });
  module.def(
      "read_contract",
      [](const std::filesystem::path& path) {
        DeclaredContract out = unwrap(without_gil([&] { return read_contract(path); }));
        return nb::make_tuple(std::move(out.contract), std::move(out.notes));
      },
      "path"_a, nb::sig("def read_contract(path: str | os.PathLike[str]) -> tuple[Contract, list[str]]"),
      R"doc(A contract file, or the contract that a model file (ONNX, ...) declares, and notes on what it cannot hold.

Raises tensorspec.Error (file_*, contract_*, nothing_declared, ...).)doc");
}

}  // namespace tensorspec::python
