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

nb::tuple from_tensor(nb::handle tensor, nb::handle batch_size) {
  if (batch_size.is_none()) raise({ErrorCode::invalid_batch_size, "batch_size", "None; NaN stands for one not known"});
  const auto size = to_batch_size(batch_size);
  const TensorSpec spec = unwrap(TensorSpec::from_tensor(to_tensor_info(tensor, ""), size));
  const auto lists = to_lists(spec);
  return nb::make_tuple(lists[0], lists[1], lists[2], lists[3]);
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
  spec.def("from_tensor", &from_tensor, "tensor"_a.none(), "batch_size"_a.none());
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
