// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the module share: errors as exceptions, long work without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tensorspec/result.hpp"

namespace tensorspec::python {

namespace nb = nanobind;
using namespace nb::literals;

// Each defines what belongs to one concept; module.cpp calls them in this order.
void bind_dim(nb::module_& module);
void bind_call(nb::module_& module);
void bind_contract(nb::module_& module);
void bind_diff(nb::module_& module);
void bind_learner(nb::module_& module);
void bind_checker(nb::module_& module);
void bind_read(nb::module_& module);
void bind_spec(nb::module_& module);
void bind_program(nb::module_& module);

// tensorspec.Error for `error`: code, file, place, reason.
nb::object to_exception(const Error& error);
[[noreturn]] void raise(const Error& error);
[[noreturn]] void raise_type_error(const std::string& message);

template <class T>
T unwrap(Result<T> result) {
  if (!result.ok()) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// Runs what touches no Python object while other threads have the interpreter.
template <class Work>
auto without_gil(Work&& work) {
  nb::gil_scoped_release released;
  return std::forward<Work>(work)();
}

// "TensorInfo('x', 'float32', (2, 3))" is made of these.
std::string repr_of(std::string_view text);

}  // namespace tensorspec::python
