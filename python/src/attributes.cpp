// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "tensors.hpp"

namespace tensorspec::python {
namespace {

// What NumPy promises of every array object, in versions 1 and 2: PyArrayObject_fields of numpy/ndarraytypes.h.
struct ArrayFields {
  PyObject_HEAD char* data;
  int rank;
  Py_intptr_t* extents;
  Py_intptr_t* strides;
  PyObject* base;
  PyObject* dtype;
};

std::size_t slot_of(const void* key, std::size_t size) noexcept {
  return (reinterpret_cast<std::uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u >> 32 & (size - 1);
}

// Objects met once and what is known of them: filled under a lock, read without, emptied when the interpreter ends, so
// at most half of it is used and the objects live until then.
template <class Value, std::size_t kSize>
class LastingTable {
 public:
  struct Entry {
    PyObject* key;
    Value value;
  };
  const Entry* find(PyObject* key) const noexcept {
    for (std::size_t i = slot_of(key, kSize);; i = (i + 1) & (kSize - 1)) {
      const Entry* entry = entries_[i].load(std::memory_order_acquire);
      if (entry == nullptr || entry->key == key) return entry;
    }
  }
  // The entry that stays: this one, or that of another thread; nullptr when the table is full.
  const Entry* add(PyObject* key, Value value) {
    const std::lock_guard lock(mutex_);
    if (closed_ || used_ >= kSize / 2) return nullptr;
    for (std::size_t i = slot_of(key, kSize);; i = (i + 1) & (kSize - 1)) {
      const Entry* entry = entries_[i].load(std::memory_order_acquire);
      if (entry != nullptr && entry->key == key) return entry;
      if (entry != nullptr) continue;
      Py_INCREF(key);
      entry = new Entry{key, std::move(value)};
      entries_[i].store(entry, std::memory_order_release);
      ++used_;
      return entry;
    }
  }
  // Lets go of the objects, for good: a class of the program keeps the whole program alive. Entries stay, since others
  // may be reading them.
  void close() {
    std::vector<PyObject*> keys;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      for (auto& entry : entries_)
        if (const Entry* had = entry.exchange(nullptr)) keys.push_back(had->key);
    }
    for (PyObject* key : keys) Py_DECREF(key);
  }

 private:
  std::array<std::atomic<const Entry*>, kSize> entries_{};
  std::mutex mutex_;
  std::size_t used_ = 0;
  bool closed_ = false;
};

// The marks by which known_dtype() and is_permanent() tell a lasting DType.
struct DTypes {
  LastingTable<DType, 1024> by_object;
  // One lasting DType per kind.
  std::array<DType, 64> by_kind;

  DTypes() {
    for (std::size_t i = 0; i < by_kind.size(); ++i) by_kind[i] = DType(static_cast<DType::Kind>(i));
  }
};

DTypes& dtypes() {
  // Never destroyed: what it holds belongs to the interpreter.
  static DTypes& all = *new DTypes;
  return all;
}

std::optional<std::string> text_attribute(nb::handle object, const char* name) {
  nb::object value = nb::steal(PyObject_GetAttrString(object.ptr(), name));
  if (!value.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (!PyUnicode_Check(value.ptr())) return std::nullopt;
  return utf8(value);
}

}  // namespace

DType to_dtype(nb::handle object) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr())) return DType::from_text(utf8(object));
  const auto name = text_attribute(object, PyType_Check(object.ptr()) ? "__name__" : "name");
  // numpy.dtype: files have the same spelling, and what that leaves open (ml_dtypes are void there) the name tells.
  if (const auto spelling = text_attribute(object, "str")) {
    DType dtype = DType::from_numpy(*spelling);
    if (dtype.kind() == DType::Kind::other && name)
      if (DType by_name = DType::from_text(*name); by_name.kind() != DType::Kind::other) return by_name;
    return dtype;
  }
  if (name) return DType::from_text(*name);
  return DType::from_text(utf8(nb::str(object)));
}

const DType* known_dtype(PyObject* object) {
  DTypes& all = dtypes();
  const auto* entry = all.by_object.find(object);
  if (entry == nullptr) {
    // A text may be any text, and would be kept for ever.
    if (PyUnicode_Check(object)) return nullptr;
    entry = all.by_object.add(object, to_dtype(object));
  }
  if (entry == nullptr) return nullptr;
  const auto kind = static_cast<std::size_t>(entry->value.kind());
  return kind != 0 && kind < all.by_kind.size() ? &all.by_kind[kind] : &entry->value;
}

bool is_permanent(const DType* dtype) noexcept {
  const auto& all = dtypes().by_kind;
  return std::less_equal<>()(all.data(), dtype) && std::less<>()(dtype, all.data() + all.size());
}

struct TypeTable {
  LastingTable<Attributes, 256> by_type;

  static TypeTable& get() {
    static TypeTable& table = *new TypeTable;
    return table;
  }

  // The getset descriptor behind an attribute of a type whose attributes are looked up in the usual way; else null.
  static nb::object descriptor(PyObject* type, const char* name) {
    auto* of = reinterpret_cast<PyTypeObject*>(type);
    if (PyType_GetSlot(of, Py_tp_getattro) != reinterpret_cast<void*>(&PyObject_GenericGetAttr)) return {};
    nb::object found = nb::steal(PyObject_GetAttrString(type, name));
    if (!found.is_valid()) PyErr_Clear();
    else if (Py_TYPE(found.ptr()) == &PyGetSetDescr_Type) return found;
    return {};
  }

  static bool is_numpy_array(PyObject* type, const Attributes& attributes) {
    nb::object numpy = nb::steal(PyImport_GetModule(nb::str("numpy").ptr()));
    nb::object array = numpy.is_valid() ? nb::steal(PyObject_GetAttrString(numpy.ptr(), "ndarray")) : nb::object();
    if (!array.is_valid()) {
      PyErr_Clear();
      return false;
    }
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), reinterpret_cast<PyTypeObject*>(array.ptr())) != 0 &&
           descriptor(array.ptr(), "shape").ptr() == attributes.shape_ &&
           descriptor(array.ptr(), "dtype").ptr() == attributes.dtype_;
  }

  // Whether the fields of this array are where we look for them: they must say what the attributes say.
  static bool fields_agree(PyObject* array, const Attributes& attributes) {
    const auto* fields = reinterpret_cast<const ArrayFields*>(array);
    nb::object shape = attributes.shape(array), dtype = attributes.dtype(array);
    if (!shape.is_valid() || !dtype.is_valid()) throw nb::python_error();
    if (fields->dtype != dtype.ptr() || !PyTuple_Check(shape.ptr()) || fields->rank != NB_TUPLE_GET_SIZE(shape.ptr()))
      return false;
    for (int i = 0; i < fields->rank; ++i)
      if (to_int64(NB_TUPLE_GET_ITEM(shape.ptr(), i)) != std::int64_t{fields->extents[i]}) return false;
    return true;
  }
};

Attributes attributes_of(nb::handle tensor) {
  TypeTable& table = TypeTable::get();
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr()));
  if (const auto* entry = table.by_type.find(type)) return entry->value;
  Attributes attributes;
  nb::object shape = TypeTable::descriptor(type, "shape"), dtype = TypeTable::descriptor(type, "dtype");
  if (shape.is_valid() && dtype.is_valid()) {
    // The type keeps them alive, and the table keeps the type.
    attributes.shape_ = shape.ptr();
    attributes.dtype_ = dtype.ptr();
    if (TypeTable::is_numpy_array(type, attributes)) {
      // A number has no extents to compare: decided by the next array.
      nb::object extents = attributes.shape(tensor.ptr());
      if (!extents.is_valid()) throw nb::python_error();
      if (!PyTuple_Check(extents.ptr()) || NB_TUPLE_GET_SIZE(extents.ptr()) == 0) return attributes;
      attributes.array_ = TypeTable::fields_agree(tensor.ptr(), attributes);
    }
  }
  table.by_type.add(type, attributes);
  return attributes;
}

void forget_types_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    TypeTable::get().by_type.close();
    dtypes().by_object.close();
  }));
}

nb::object Attributes::get(PyObject* tensor, PyObject* descriptor) {
#if defined(Py_LIMITED_API)
  static const auto call = reinterpret_cast<descrgetfunc>(PyType_GetSlot(&PyGetSetDescr_Type, Py_tp_descr_get));
  return nb::steal(call(descriptor, tensor, reinterpret_cast<PyObject*>(Py_TYPE(tensor))));
#else
  const PyGetSetDef* definition = reinterpret_cast<PyGetSetDescrObject*>(descriptor)->d_getset;
  return nb::steal(definition->get(tensor, definition->closure));
#endif
}

PyObject* Attributes::read_array(PyObject* tensor, Extents& extents) const noexcept {
  if (!array_) return nullptr;
  const auto* fields = reinterpret_cast<const ArrayFields*>(tensor);
  extents.append(fields->extents, static_cast<std::size_t>(fields->rank));
  return fields->dtype;
}

}  // namespace tensorspec::python
