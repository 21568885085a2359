// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/dim.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dims.hpp"
#include "tensors.hpp"

namespace tensorspec::python {

Dim to_dim(nb::handle value) {
  if (nb::isinstance<Dim>(value)) return nb::cast<Dim>(value);
  if (PyUnicode_Check(value.ptr())) return unwrap(Dim::parse(utf8(value)));
  const auto size = to_int64(value);
  if (!size) raise_type_error("a dim is a Dim, an int or text such as \"2*batch\", not " + type_of(value));
  return Dim(*size);
}

namespace {

bool is_dim_like(nb::handle value) {
  return nb::isinstance<Dim>(value) || PyUnicode_Check(value.ptr()) || PyLong_Check(value.ptr());
}

template <class Operation>
auto binary(Operation operation, bool swapped = false) {
  return [=](const Dim& self, nb::handle other) -> nb::object {
    if (!is_dim_like(other)) return nb::borrow(Py_NotImplemented);
    const Dim right = to_dim(other);
    return nb::cast(unwrap(swapped ? operation(right, self) : operation(self, right)));
  };
}

std::map<std::string, Dim> to_values(nb::handle values, const nb::kwargs& named) {
  std::map<std::string, Dim> out;
  each_named(values, "values", [&](const std::string& name, nb::handle value) { out[name] = to_dim(value); });
  each_named(named, "values", [&](const std::string& name, nb::handle value) { out[name] = to_dim(value); });
  return out;
}

}  // namespace

void bind_dim(nb::module_& module) {
  nb::class_<Dim>(module, "Dim", R"doc(One axis of a contract: a whole number or an expression over symbols.

Text such as ``"32"``, ``"batch"``, ``"2*batch"``, ``"past+seq"``, ``"8*h+4"``, ``"ceil(t/2)"``, ``"floor((t+1)/2)"``.
Sizes are in elements. Immutable; equal expressions compare equal and have one hash. ``+ - *`` work with Dim, int and
text; ``/`` is exact and ``//`` rounds down, both by a whole number of at least 1.

Raises tensorspec.Error (dim_syntax, dim_too_large, overflow).)doc")
      .def(
          "__init__", [](Dim* self, nb::handle value) { new (self) Dim(to_dim(value)); }, "value"_a = 0,
          nb::sig("def __init__(self, value: Dim | int | str = 0) -> None"))
      .def("__str__", &Dim::to_string)
      .def("__repr__", [](const Dim& self) { return "Dim(" + repr_of(self.to_string()) + ")"; })
      .def(
          "__eq__",
          [](const Dim& self, nb::handle other) -> nb::object {
            if (!is_dim_like(other)) return nb::borrow(Py_NotImplemented);
            const auto right = PyUnicode_Check(other.ptr()) ? Dim::parse(utf8(other)) : Result<Dim>(to_dim(other));
            return nb::bool_(right.ok() && self == *right);
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      // As the int or the text it equals.
      .def("__hash__",
           [](const Dim& self) {
             if (const auto size = self.as_integer()) return nb::hash(nb::int_(*size));
             return nb::hash(nb::str(self.to_string().c_str()));
           })
      .def("__add__", binary(&Dim::add), "other"_a, nb::sig("def __add__(self, other: Dim | int | str, /) -> Dim"))
      .def("__radd__", binary(&Dim::add, true), "other"_a, nb::sig("def __radd__(self, other: int | str, /) -> Dim"))
      .def("__sub__", binary(&Dim::subtract), "other"_a, nb::sig("def __sub__(self, other: Dim | int | str, /) -> Dim"))
      .def("__rsub__", binary(&Dim::subtract, true), "other"_a,
           nb::sig("def __rsub__(self, other: int | str, /) -> Dim"))
      .def("__mul__", binary(&Dim::multiply), "other"_a, nb::sig("def __mul__(self, other: Dim | int | str, /) -> Dim"))
      .def("__rmul__", binary(&Dim::multiply, true), "other"_a,
           nb::sig("def __rmul__(self, other: int | str, /) -> Dim"))
      .def(
          "__truediv__", [](const Dim& self, std::int64_t d) { return unwrap(Dim::divide(self, d)); }, "divisor"_a)
      .def(
          "__floordiv__", [](const Dim& self, std::int64_t d) { return unwrap(Dim::floor_divide(self, d)); },
          "divisor"_a)
      .def(
          "ceil_divide", [](const Dim& self, std::int64_t d) { return unwrap(Dim::ceil_divide(self, d)); }, "divisor"_a,
          "This dim divided by a whole number, rounded up.")
      .def("__int__",
           [](const Dim& self) {
             if (const auto size = self.as_integer()) return *size;
             throw nb::value_error(
                 (self.to_string() + " is no number; evaluate() takes the sizes of its symbols").c_str());
           })
      .def_prop_ro("size", &Dim::as_integer, "The whole number that this dim is, or None when it has symbols.")
      .def_prop_ro("symbols", &Dim::symbols, "Names of its symbols, sorted, each once.")
      .def(
          "evaluate",
          [](const Dim& self, nb::handle values, const nb::kwargs& named) -> std::optional<std::int64_t> {
            const auto sizes = to_values(values, named);
            return self.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
              const auto found = sizes.find(std::string(name));
              return found == sizes.end() ? std::nullopt : found->second.as_integer();
            });
          },
          "values"_a = nb::none(), "named"_a,
          nb::sig("def evaluate(self, values: dict[str, int] | None = None, **named: int) -> int | None"),
          R"doc(The size for these sizes of symbols: ``Dim("2*batch").evaluate(batch=4)`` is 8.

None when a symbol has no size, a quotient is not whole, or a step does not fit 64 bits.)doc")
      .def(
          "substitute",
          [](const Dim& self, nb::handle values, const nb::kwargs& named) {
            return unwrap(self.substitute(to_values(values, named)));
          },
          "values"_a = nb::none(), "named"_a,
          nb::sig("def substitute(self, values: dict[str, Dim | int | str] | None = None, **named: Dim | int | str) -> "
                  "Dim"),
          "Every symbol named replaced by a dim; the others stay.")
      .def("__reduce__", [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); });
}

}  // namespace tensorspec::python
