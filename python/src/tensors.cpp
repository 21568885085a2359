// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <cmath>

namespace tensorspec::python {

Tensors::~Tensors() {
  for (const Tensor& tensor : all()) Py_DECREF(tensor.name);
}

void Tensors::push(PyObject* name, const DType* dtype, std::size_t rank) {
  const Tensor tensor{name, dtype, static_cast<std::uint32_t>(rank)};
  if (count_ < inline_.size()) {
    inline_[count_] = tensor;
  } else {
    if (heap_.empty()) heap_.assign(inline_.begin(), inline_.end());
    heap_.push_back(tensor);
  }
  Py_INCREF(name);
  ++count_;
}

namespace {

[[noreturn]] void no_tensor(std::string_view name, nb::handle object) {
  raise_type_error((name.empty() ? std::string("") : std::string(name) + ": ") +
                   "a tensor has a shape and a dtype; this is of type " + type_of(object));
}

bool is_nested(nb::handle tensor) {
  nb::object nested = nb::steal(PyObject_GetAttrString(tensor.ptr(), "is_nested"));
  if (!nested.is_valid()) PyErr_Clear();
  return nested.is_valid() && nested.ptr() == Py_True;
}

[[noreturn]] void nested(std::string_view name) {
  PyErr_Clear();
  raise({ErrorCode::invalid_extent, std::string(name), "a nested tensor has no one shape; record its parts"});
}

// Is it one of any library, rather than the first of two sizes or tensors.
bool is_dtype(nb::handle object) {
  if (object.is_none() || PyUnicode_Check(object.ptr()) || PyType_Check(object.ptr())) return true;
  const std::string type = type_of(object);  // "torch.dtype", "numpy.dtypes.Float32DType"
  return type.find("dtype") != std::string::npos || type.find("DType") != std::string::npos;
}

// What went wrong while an attribute was read, in words if we have some.
[[noreturn]] void cannot_read(std::string_view name, nb::handle tensor) {
  if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    no_tensor(name, tensor);
  }
  nb::python_error error;
  if (is_nested(tensor)) nested(name);
  throw error;
}

}  // namespace

std::string type_of(nb::handle object) { return utf8(nb::type_name(object.type())); }

std::string utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::optional<std::int64_t> to_int64(nb::handle value) {
  nb::object number = nb::borrow(value);
  if (!PyLong_Check(value.ptr())) {
    if (!PyIndex_Check(value.ptr())) return std::nullopt;
    number = nb::steal(PyNumber_Index(value.ptr()));
    if (!number.is_valid()) throw nb::python_error();
  }
  int overflow = 0;
  const long long out = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) return std::nullopt;
  return out;
}

std::optional<std::int64_t> to_batch_size(nb::handle value, const char* unknown) {
  if (value.is_none()) return std::nullopt;
  const auto wrong = [&]() -> std::int64_t {
    raise({ErrorCode::invalid_batch_size, "batch_size", utf8(nb::str(value))});
  };
  if (PyLong_Check(value.ptr()) || PyIndex_Check(value.ptr())) {
    const auto size = to_int64(value);
    return size && *size >= 1 && *size <= kMaxExtent ? *size : wrong();
  }
  if (!PyFloat_Check(value.ptr()) && !PyObject_HasAttrString(value.ptr(), "__float__"))
    raise_type_error(std::string("batch_size: a whole number or ") + unknown + ", not " + type_of(value));
  const double size = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (std::isnan(size)) return std::nullopt;
  if (!(size >= 1 && size <= static_cast<double>(kMaxExtent)) || size != std::floor(size)) return wrong();
  return static_cast<std::int64_t>(size);
}

namespace {

std::int64_t extent_of(nb::handle size, std::string_view name, std::size_t axis) {
  // A symbolic size of torch would be fixed by asking for its number.
  const bool symbolic = !PyLong_Check(size.ptr()) && type_of(size).ends_with("SymInt");
  if (const auto extent = symbolic ? std::nullopt : to_int64(size)) return *extent;
  raise({ErrorCode::invalid_extent, (name.empty() ? "" : std::string(name) + " ") + "axis " + std::to_string(axis),
         utf8(nb::str(size))});
}

// The plain ints of a tuple, up to the first that is none.
bool push_ints(PyObject* shape, Extents& out) {
  const Py_ssize_t rank = NB_TUPLE_GET_SIZE(shape);
  for (Py_ssize_t i = 0; i < rank; ++i) {
    PyObject* size = NB_TUPLE_GET_ITEM(shape, i);
    int overflow = 0;
    const long long extent =
        PyLong_CheckExact(size) ? PyLong_AsLongLongAndOverflow(size, &overflow) : (overflow = 1, 0);
    if (overflow != 0) return false;
    out.push(extent);
  }
  return true;
}

void push_sizes(PyObject* shape, std::string_view name, Extents& out) {
  const Py_ssize_t rank = NB_TUPLE_GET_SIZE(shape);
  for (Py_ssize_t i = 0; i < rank; ++i)
    out.push(extent_of(NB_TUPLE_GET_ITEM(shape, i), name, static_cast<std::size_t>(i)));
}

}  // namespace

void read_shape(nb::handle shape, std::string_view name, Extents& out) {
  if (PyTuple_Check(shape.ptr())) return push_sizes(shape.ptr(), name, out);
  if (PyUnicode_Check(shape.ptr()) || PyBytes_Check(shape.ptr()) || shape.is_none()) no_tensor(name, shape);
  nb::object tuple = nb::steal(PySequence_Tuple(shape.ptr()));
  if (!tuple.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    raise_type_error((name.empty() ? "" : std::string(name) + ": ") + "a shape is a sequence of sizes, not " +
                     type_of(shape));
  }
  push_sizes(tuple.ptr(), name, out);
}

void Tensors::add(nb::handle name, nb::handle tensor, const char* what) {
  if (!PyUnicode_Check(name.ptr()))
    raise_type_error(std::string(what) + ": names of tensors are str, not " + type_of(name));
  if (!PyUnicode_CheckExact(name.ptr())) {  // its text, whatever its class has for str()
    const nb::object text = nb::steal(PyUnicode_FromObject(name.ptr()));
    if (!text.is_valid()) throw nb::python_error();
    return add(text, tensor, what);
  }
  const std::size_t first = extents_.size();
  const DType* dtype = read_fast(tensor.ptr());
  if (dtype == nullptr) dtype = read_any(tensor, utf8(name), first);
  push(name.ptr(), dtype, extents_.size() - first);
}

// The usual case; nullptr, and maybe some extents too many, when this is none.
const DType* Tensors::read_fast(PyObject* tensor) {
  const Attributes& attributes = lately_.attributes(tensor);
  if (!attributes.are_getters()) return nullptr;
  if (PyObject* dtype = attributes.read_array(tensor, extents_)) return lately_.dtype(dtype);
  nb::object shape = attributes.shape(tensor);
  if (!shape.is_valid() || !PyTuple_Check(shape.ptr()) || !push_ints(shape.ptr(), extents_)) {
    PyErr_Clear();
    return nullptr;
  }
  nb::object dtype = attributes.dtype(tensor);
  if (!dtype.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  return lately_.dtype(dtype.ptr());
}

const DType* Tensors::read_any(nb::handle tensor, const std::string& name, std::size_t first) {
  extents_.resize(first);
  if (nb::isinstance<TensorInfo>(tensor)) {
    const auto& info = nb::cast<const TensorInfo&>(tensor);
    for (const std::int64_t extent : info.shape) extents_.push(extent);
    return keep(info.dtype);
  }
  if (PyTuple_Check(tensor.ptr()) && NB_TUPLE_GET_SIZE(tensor.ptr()) == 2) {
    const nb::handle dtype = NB_TUPLE_GET_ITEM(tensor.ptr(), 0);
    if (!is_dtype(dtype)) no_tensor(name, tensor);
    read_shape(NB_TUPLE_GET_ITEM(tensor.ptr(), 1), name, extents_);
    return keep(to_dtype(dtype));
  }
  nb::object shape = nb::steal(PyObject_GetAttrString(tensor.ptr(), "shape"));
  if (!shape.is_valid()) cannot_read(name, tensor);
  if (is_nested(tensor)) nested(name);
  if (PyCallable_Check(shape.ptr())) no_tensor(name, tensor);
  nb::object dtype = nb::steal(PyObject_GetAttrString(tensor.ptr(), "dtype"));
  if (!dtype.is_valid()) cannot_read(name, tensor);
  read_shape(shape, name, extents_);
  return keep(to_dtype(dtype));
}

void Tensors::read(nb::handle tensors, const char* what) {
  if (tensors.is_none()) return;
  if (PyDict_Check(tensors.ptr())) {
    nb::ft_object_guard guard(tensors);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(tensors.ptr(), &position, &key, &value)) {
      // Reading an attribute may run any code, and that may change the dict.
      nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
      add(held_key, held_value, what);
    }
    return;
  }
  if (PyObject_HasAttrString(tensors.ptr(), "items")) {
    for (nb::handle item : nb::object(tensors.attr("items")())) add(item[0], item[1], what);
    return;
  }
  if (PyList_Check(tensors.ptr()) || PyTuple_Check(tensors.ptr())) {
    for (nb::handle item : tensors) {
      if (!nb::isinstance<TensorInfo>(item))
        raise_type_error(std::string(what) + ": a list holds TensorInfo; tensors come as a dict by name");
      add(nb::str(nb::cast<const TensorInfo&>(item).name.c_str()), item, what);
    }
    return;
  }
  raise_type_error(std::string(what) + ": a dict of names to tensors, a list of TensorInfo or None, not " +
                   type_of(tensors));
}

Call Tensors::to_call() const {
  Call call;
  const std::int64_t* extents = extents_.data();
  const auto tensors = all();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto& group = i < inputs_ ? call.inputs : call.outputs;
    group.push_back({utf8(tensors[i].name), *tensors[i].dtype, Shape(extents, extents + tensors[i].rank)});
    extents += tensors[i].rank;
  }
  return call;
}

TensorInfo to_tensor_info(nb::handle tensor, std::string name) {
  Tensors one;
  nb::dict dict;
  dict[nb::str(name.c_str(), name.size())] = tensor;
  one.read(dict, "tensor");
  one.end_inputs();
  return std::move(one.to_call().inputs.front());
}

Kind::Kind(const Tensors& tensors, bool has_batch_size, bool ok)
    : inputs_(tensors.inputs()), has_batch_size_(has_batch_size), ok_(ok) {
  for (const Tensors::Tensor& tensor : tensors.all()) {
    // The copy is what lasts; an address that lasts as well is what is compared first.
    const DType* dtype =
        is_permanent(tensor.dtype) ? tensor.dtype : own_.emplace_back(std::make_unique<DType>(*tensor.dtype)).get();
    slots_.push_back({nb::borrow(tensor.name), dtype, tensor.rank});
  }
}

bool Kind::fits(const Tensors& tensors, bool has_batch_size, bool ok) const noexcept {
  const auto all = tensors.all();
  if (all.size() != slots_.size() || tensors.inputs() != inputs_ || has_batch_size != has_batch_size_ || ok != ok_)
    return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Slot& slot = slots_[i];
    if (all[i].rank != slot.rank) return false;
    if (all[i].dtype != slot.dtype && !(*all[i].dtype == *slot.dtype)) return false;
    if (all[i].name != slot.name.ptr() && PyUnicode_Compare(all[i].name, slot.name.ptr()) != 0) return false;
  }
  return true;
}

}  // namespace tensorspec::python
