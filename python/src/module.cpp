// SPDX-License-Identifier: Apache-2.0
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
}
