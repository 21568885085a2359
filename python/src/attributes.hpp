// SPDX-License-Identifier: Apache-2.0
//
// How `shape` and `dtype` of a Python type are read fastest, found out once a type: through the getters behind the
// attributes, or, of NumPy arrays, from the fields of the array object.
#pragma once

#include "bindings.hpp"
#include "extents.hpp"
#include "tensorspec/dtype.hpp"

namespace tensorspec::python {

// The dtype that an object stands for: torch.dtype, numpy.dtype, a name, anything whose str() is one. None: not known.
DType to_dtype(nb::handle object);
// A dtype object seen before, as a DType that lives for ever; nullptr when it cannot be kept. Raises nothing else than
// what converting it for the first time raises.
const DType* known_dtype(PyObject* dtype);
bool is_permanent(const DType* dtype) noexcept;

class Attributes {
 public:
  // The attribute's value, or no object with the Python error set. REQUIRES: are_getters().
  nb::object shape(PyObject* tensor) const { return get(tensor, shape_); }
  nb::object dtype(PyObject* tensor) const { return get(tensor, dtype_); }
  // An array of NumPy: appends its extents and gives its dtype, borrowed, without a Python call. nullptr: it is none,
  // and nothing was read.
  PyObject* read_array(PyObject* tensor, Extents& extents) const noexcept;
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

// The same as attributes_of() and known_dtype(), and quicker where one tensor after another has the same type and
// dtype. Of one thread.
class Lately {
 public:
  const Attributes& attributes(PyObject* tensor) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor));
    if (type != type_.ptr()) {
      attributes_ = attributes_of(tensor);
      type_ = nb::borrow(type);  // else another could come to lie where it was
    }
    return attributes_;
  }
  const DType* dtype(PyObject* object) {
    if (object == object_) return dtype_;
    const DType* found = known_dtype(object);
    if (found != nullptr) {  // then the object lives for ever, too
      object_ = object;
      dtype_ = found;
    }
    return found;
  }

 private:
  nb::object type_;
  Attributes attributes_;
  PyObject* object_ = nullptr;
  const DType* dtype_ = nullptr;
};

// What is known of types is let go of before the interpreter looks for what was left behind.
void forget_types_at_exit();

}  // namespace tensorspec::python
