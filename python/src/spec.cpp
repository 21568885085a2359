// SPDX-License-Identifier: Apache-2.0
//
// What tensorspec.torch.TensorSpec has done by the core. Its fields are Python lists that people edit, so they are read
// from the object on each call, and written back as a whole.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <cmath>

#include "bindings.hpp"
#include "tensors.hpp"
#include "tensorspec/tensor_spec.hpp"

namespace tensorspec::python {
namespace {

constexpr std::array kLists = {"shape", "min_shape", "max_shape", "_bs_multipliers"};

[[noreturn]] void wrong_entry(const char* field, nb::handle entry, const char* wanted) {
  raise_type_error(std::string(field) + ": " + wanted + ", not " + type_of(entry));
}

std::int64_t size_of(const char* field, nb::handle entry) {
  const auto size = to_int64(entry);
  if (size) return *size;
  if (PyIndex_Check(entry.ptr())) raise({ErrorCode::overflow, field, utf8(nb::str(entry))});
  wrong_entry(field, entry, "whole numbers");
}

template <class Read>
auto read_list(nb::handle spec, const char* field, Read read) {
  std::vector<decltype(read(field, nb::handle()))> out;
  for (nb::handle entry : nb::object(spec.attr(field))) out.push_back(read(field, entry));
  return out;
}

double multiplier_of(const char* field, nb::handle entry) {
  const double value = PyFloat_AsDouble(entry.ptr());
  if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
  // A whole number that is too large for one is no multiplier of any batch.
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    return std::nan("");
  }
  PyErr_Clear();
  wrong_entry(field, entry, "numbers");
}

enum Parts : int { kShape = 0, kBounds = 1, kMultipliers = 2, kDTypes = 4, kAll = 7 };

TensorSpec read_spec(nb::handle spec, int parts) {
  TensorSpec out;
  out.shape = read_list(spec, kLists[0], [](const char* field, nb::handle entry) {
    if (PyUnicode_Check(entry.ptr())) return AxisExtent(utf8(entry));
    return AxisExtent(size_of(field, entry));
  });
  if (parts & kBounds) {
    out.min_shape = read_list(spec, kLists[1], size_of);
    out.max_shape = read_list(spec, kLists[2], size_of);
  }
  if (parts & kMultipliers) out._bs_multipliers = read_list(spec, kLists[3], multiplier_of);
  if (parts & kDTypes) {
    out.dtype = to_dtype(nb::object(spec.attr("dtype")));
    for (nb::handle name : nb::getattr(spec, "dtypes_seen", nb::tuple())) out.dtypes_seen.push_back(to_dtype(name));
  }
  return out;
}

template <class Items, class ToObject>
nb::object to_list(const Items& items, ToObject to_object) {
  nb::list out;
  for (const auto& item : items) out.append(to_object(item));
  return out;
}

std::array<nb::object, kLists.size()> to_lists(const TensorSpec& spec) {
  const auto number = [](std::int64_t size) { return nb::int_(size); };
  return {to_list(spec.shape,
                  [](const AxisExtent& extent) -> nb::object {
                    if (const std::string* symbol = extent.symbol()) return nb::str(symbol->c_str(), symbol->size());
                    return nb::int_(*extent.size());
                  }),
          to_list(spec.min_shape, number), to_list(spec.max_shape, number),
          to_list(spec._bs_multipliers, [](double multiplier) { return nb::float_(multiplier); })};
}

nb::object from_tensor(nb::handle cls, nb::handle tensor, nb::handle batch_size) {
  if (batch_size.is_none()) raise({ErrorCode::invalid_batch_size, "batch_size", "None; NaN stands for one not known"});
  const auto size = to_batch_size(batch_size, "NaN");
  static const nb::object& name = *new nb::object(nb::str(""));
  Tensors one;
  one.add(name, tensor, "tensor");
  const auto extents = one.extents().all();
  TensorInfo info{{}, {}, Shape(extents.begin(), extents.end())};
  const auto lists = to_lists(unwrap(TensorSpec::from_tensor(info, size)));
  // The dtype that the tensor gives, not ours.
  return cls(lists[0], lists[1], lists[2], tensor.attr("dtype"), lists[3]);
}

// Small whole numbers alone: for them equal multipliers are equal fractions (a double tells all fractions below apart).
constexpr std::int64_t kSmall = std::int64_t{1} << 25;

std::optional<std::int64_t> small_int(PyObject* entry) {
  if (entry == nullptr || !PyLong_CheckExact(entry)) return std::nullopt;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(entry, &overflow);
  return overflow == 0 && value >= 0 && value < kSmall ? std::optional<std::int64_t>(value) : std::nullopt;
}

// The four lists of a spec, as long as it has them and they are plain ones of one length.
struct Lists {
  std::array<nb::object, kLists.size()> lists;
  Py_ssize_t rank = -1;

  explicit Lists(nb::handle spec) {
    static const auto& names = *new std::array<nb::object, kLists.size()>{nb::str(kLists[0]), nb::str(kLists[1]),
                                                                          nb::str(kLists[2]), nb::str(kLists[3])};
    for (std::size_t i = 0; i < kLists.size(); ++i) {
      lists[i] = nb::steal(PyObject_GetAttr(spec.ptr(), names[i].ptr()));
      if (!lists[i].is_valid()) throw nb::python_error();
      if (!PyList_CheckExact(lists[i].ptr())) return;
      if (i > 0 && PyList_Size(lists[i].ptr()) != PyList_Size(lists[0].ptr())) return;
    }
    rank = PyList_Size(lists[0].ptr());
  }
  PyObject* at(std::size_t list, Py_ssize_t axis) const { return PyList_GetItem(lists[list].ptr(), axis); }
};

// Does what `other` has seen on this axis certainly change nothing. The rules are those of
// TensorSpec::update_shapes_seen, for the usual case; false says nothing.
bool axis_unchanged(const Lists& self, const Lists& other, Py_ssize_t i) {
  PyObject *extent = self.at(0, i), *seen = other.at(0, i);
  const auto min = small_int(self.at(1, i)), max = small_int(self.at(2, i));
  const auto low = small_int(other.at(1, i)), high = small_int(other.at(2, i)), size = small_int(seen);
  if (!min || !max || !low || !high || !size || *low < *min || *high > *max || *size < *low || *size > *high)
    return false;
  PyObject *mine = self.at(3, i), *its = other.at(3, i);
  if (!PyFloat_CheckExact(mine) || !PyFloat_CheckExact(its)) return false;
  const double a = PyFloat_AsDouble(mine), b = PyFloat_AsDouble(its);
  // Is the multiplier that of `at` and a whole batch size, or whole itself; what is neither was made by hand.
  const auto exact = [](std::int64_t at, double multiplier) {
    const auto elements = static_cast<double>(at);
    if (TensorSpec::is_int(multiplier)) return multiplier >= 0 && multiplier < static_cast<double>(kSmall);
    const double batch = std::round(elements / multiplier);
    return batch >= 1 && batch < static_cast<double>(kSmall) && elements / batch == multiplier;
  };
  if (!std::isnan(a) && !(a == b && exact(*min, a) && exact(*low, b))) return false;
  if (const auto same = small_int(extent)) return *same == *min && *same == *max;
  if (!PyUnicode_CheckExact(extent)) return false;
  const bool batch = AxisExtent(utf8(extent)).is_batch();
  return !batch || (a >= 1 && TensorSpec::is_int(a));
}

bool unchanged(nb::handle self, nb::handle other) {
  const Lists mine(self), its(other);
  if (mine.rank < 0 || mine.rank != its.rank) return false;
  for (Py_ssize_t i = 0; i < mine.rank; ++i)
    if (!axis_unchanged(mine, its, i)) return false;
  return true;
}

// The merged spec, not written back yet: its lists, and the dtypes that met when there was more than one.
nb::tuple merged(nb::handle self, nb::handle other) {
  TensorSpec spec = read_spec(self, kAll);
  unwrap(spec.update_shapes_seen(read_spec(other, kAll)));
  const auto lists = to_lists(spec);
  nb::list seen;
  for (const DType& dtype : spec.dtypes_seen) {
    const auto name = dtype.torch_name();
    seen.append(name ? nb::str(name->c_str()) : nb::str(std::string(dtype.name()).c_str()));
  }
  return nb::make_tuple(lists[0], lists[1], lists[2], lists[3], nb::tuple(seen));
}

InfoLevel to_level(const std::string& name) {
  return name == "SHORT" ? InfoLevel::SHORT : name == "MEDIUM" ? InfoLevel::MEDIUM : InfoLevel::FULL;
}

}  // namespace

void bind_spec(nb::module_& module) {
  nb::module_ spec = module.def_submodule("_spec", "The core of tensorspec.torch.TensorSpec.");
  spec.def("from_tensor", &from_tensor, "cls"_a, "tensor"_a.none(), "batch_size"_a.none());
  spec.def("unchanged", &unchanged, "self"_a, "other"_a);
  spec.def("merged", &merged, "self"_a, "other"_a);
  spec.def(
      "describe",
      [](nb::handle self, const std::string& level) {
        TensorSpec read = read_spec(self, kBounds);
        // As torch, or whoever made it, spells it.
        read.dtype = DType::other(utf8(nb::str(nb::object(self.attr("dtype")))));
        return read.describe(to_level(level));
      },
      "self"_a, "level"_a);
  spec.def(
      "get_batch_axis_multipliers",
      [](nb::handle self) { return read_spec(self, kAll & ~kDTypes).get_batch_axis_multipliers(); }, "self"_a);
  spec.def(
      "get_max_batch_size",
      [](nb::handle self, bool normalized) { return read_spec(self, kAll & ~kDTypes).get_max_batch_size(normalized); },
      "self"_a, "normalized"_a);
  spec.def(
      "get_min_batch_size",
      [](nb::handle self, bool normalized) { return read_spec(self, kAll & ~kDTypes).get_min_batch_size(normalized); },
      "self"_a, "normalized"_a);
  spec.def(
      "has_batch_axis", [](nb::handle self) { return read_spec(self, kShape).has_batch_axis(); }, "self"_a);
  spec.def(
      "has_dynamic_axis", [](nb::handle self) { return read_spec(self, kShape).has_dynamic_axis(); }, "self"_a);
  spec.def("is_int", &TensorSpec::is_int, "value"_a);
  spec.def(
      "matches",
      [](nb::handle self, nb::handle other) { return read_spec(self, kShape).matches(read_spec(other, kShape)); },
      "self"_a, "other"_a);
}

}  // namespace tensorspec::python
