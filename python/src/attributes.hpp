// SPDX-License-Identifier: Apache-2.0
//
// How `shape` and `dtype` of a Python type are read fastest, found out once a type: through the getters behind the
// attributes, or, of NumPy arrays, from the fields of the array object.
#pragma once

#include "tensors.hpp"

namespace tensorspec::python {

// A dtype object seen before, as a DType that lives for ever; nullptr when it cannot be kept. Raises nothing else than
// what converting it for the first time raises.
const DType* known_dtype(PyObject* dtype);
bool is_permanent(const DType* dtype) noexcept;

class Attributes {
 public:
  // The attribute's value, or no object with the Python error set. REQUIRES: are_getters().
  nb::object shape(PyObject* tensor) const { return get(tensor, shape_); }
  nb::object dtype(PyObject* tensor) const { return get(tensor, dtype_); }
  // An array of NumPy: reads both without a Python object. nullptr: it is none, and nothing was read.
  const DType* read_array(PyObject* tensor, Extents& extents) const;
  // Both have a getter written in C.
  bool are_getters() const noexcept { return shape_ != nullptr; }

 private:
  friend Attributes attributes_of(nb::handle tensor);
  friend struct TypeTable;
  static nb::object get(PyObject* tensor, PyObject* descriptor);

  PyObject *shape_ = nullptr, *dtype_ = nullptr;  // of type getset_descriptor; null when one of them is none
  bool array_ = false;
};

Attributes attributes_of(nb::handle tensor);

// What is known of types is let go of before the interpreter looks for what was left behind.
void forget_types_at_exit();

}  // namespace tensorspec::python
