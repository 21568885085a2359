// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"
#include "bindings.hpp"
#include "tensorspec/version.h"

NB_MODULE(_core, module) {
  namespace py = tensorspec::python;
  module.doc() = "The C++ core of tensorspec; use it through the package.";
  module.attr("__version__") = TENSORSPEC_VERSION;
  py::bind_dim(module);
  py::bind_call(module);
  py::bind_contract(module);
  py::bind_diff(module);
  py::bind_learner(module);
  py::bind_checker(module);
  py::bind_read(module);
  py::bind_spec(module);
  py::bind_program(module);
  py::forget_types_at_exit();
  // What is left at exit is usually held by others, as by torch.compile; nobody but a test of ours should hear of it.
  nanobind::set_leak_warnings(false);
  module.def("_set_leak_warnings", &nanobind::set_leak_warnings, nanobind::arg("value"));
}
