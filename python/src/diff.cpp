// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/diff.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "tensorspec/report.hpp"

namespace tensorspec::python {
namespace {

template <class T>
std::string change(const T& part) {
  return std::string(to_string(part.change));
}

}  // namespace

void bind_diff(nb::module_& module) {
  nb::class_<Witness>(module, "Witness", "A call that one of two contracts accepts and the other refuses.")
      .def_ro("call", &Witness::call)
      .def_ro("text", &Witness::text, "What it shows, such as ``\"1201\"``.")
      .def("__repr__", [](const Witness& w) { return "<Witness " + repr_of(w.text) + ">"; });
  nb::class_<Difference>(module, "Difference", "One thing that two variants say, compared.")
      .def_prop_ro(
          "what", [](const Difference& d) { return std::string(to_string(d.what)); },
          "axis, batch_size, dtype, rank or presence.")
      .def_ro("output", &Difference::output)
      .def_ro("tensor", &Difference::tensor, "Empty for the batch size.")
      .def_ro("axis", &Difference::axis, "Of what ``axis`` alone.")
      .def_prop_ro("change", &change<Difference>, "equal, wider, narrower or broken.")
      .def_ro("proved", &Difference::proved, "False: there may be calls that show more, but none was found.")
      .def_ro("older", &Difference::older)
      .def_ro("newer", &Difference::newer)
      .def_prop_ro(
          "lost", [](const Difference& d) { return d.lost; }, "A call that only the older contract accepts.")
      .def_prop_ro(
          "gained", [](const Difference& d) { return d.gained; }, "A call that only the newer contract accepts.")
      .def("__repr__", [](const Difference& d) {
        return "<Difference " + (d.what == Difference::What::axis ? axis_name(d.tensor, d.axis) : d.tensor) + " " +
               std::string(to_string(d.what)) + " " + change(d) + ": " + d.older + " -> " + d.newer + ">";
      });
  nb::class_<VariantDifference>(module, "VariantDifference",
                                "Two variants with the same inputs, or one without a partner.")
      .def_prop_ro(
          "older", [](const VariantDifference& d) { return d.older; }, "Index in the older contract, or None.")
      .def_prop_ro("newer", [](const VariantDifference& d) { return d.newer; })
      .def_ro("inputs", &VariantDifference::inputs, "Names.")
      .def_prop_ro("change", &change<VariantDifference>)
      .def_ro("proved", &VariantDifference::proved)
      .def_ro("differences", &VariantDifference::differences,
              "Every axis that both have; of all else what is not equal.")
      .def_prop_ro("witness", [](const VariantDifference& d) { return d.witness; })
      .def_ro("notes", &VariantDifference::notes, "What changes no verdict.");
  nb::class_<ContractDifference>(module, "ContractDifference", R"doc(What one contract accepts and another does not.

By meaning, not by text: names of symbols play no part. ``bool(difference)`` is true when they differ at all;
``lost`` when something is accepted no longer. ``print(difference)`` is what ``tensorspec diff`` prints.)doc")
      .def_prop_ro("change", &change<ContractDifference>, "equal, wider, narrower or broken.")
      .def_prop_ro("lost", &ContractDifference::lost, "Something is accepted no longer.")
      .def_ro("proved", &ContractDifference::proved)
      .def_ro("variants", &ContractDifference::variants)
      .def("__bool__", [](const ContractDifference& d) { return d.change != Change::equal; })
      .def("__str__", [](const ContractDifference& d) { return to_text(d); })
      .def("__repr__", [](const ContractDifference& d) { return "<ContractDifference " + change(d) + ">"; });
}

}  // namespace tensorspec::python
