// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace tensorspec::python {
namespace {

int main(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return without_gil([&] { return cli::program(static_cast<int>(arguments.size()), argv.data()); });
}

}  // namespace

void bind_program(nb::module_& module) {
  module.def(
      "main",
      [](const std::vector<nb::bytes>& arguments) {
        std::vector<std::string> argv;
        for (const nb::bytes& argument : arguments) argv.emplace_back(argument.c_str(), argument.size());
        return main(std::move(argv));
      },
      "argv"_a, "Runs the command as a process would, and returns its exit code. Once a process.");
}

}  // namespace tensorspec::python
