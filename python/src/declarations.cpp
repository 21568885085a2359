// SPDX-License-Identifier: Apache-2.0
#include "declarations.hpp"

#include "dims.hpp"
#include "tensors.hpp"

namespace tensorspec::python {
namespace {

[[noreturn]] void wrong(const std::string& where, const std::string& detail) {
  raise({ErrorCode::invalid_argument, where, detail});
}

std::optional<std::int64_t> bound(nb::handle value, const std::string& where) {
  if (value.is_none()) return std::nullopt;
  const auto size = to_int64(value);
  if (!size && !PyIndex_Check(value.ptr()))
    raise_type_error(where + ": sizes are whole numbers or None, not " + type_of(value));
  if (!size || *size < 0 || *size > kMaxExtent) wrong(where, "a size is a whole number from 0 to 2^62");
  return size;
}

Declarations::Range to_range(nb::handle value, const std::string& name) {
  const std::string where = "ranges[" + repr_of(name) + "]";
  nb::object parts[3];
  if (PyObject_HasAttrString(value.ptr(), "opt")) {
    parts[0] = value.attr("min"), parts[1] = value.attr("opt"), parts[2] = value.attr("max");
  } else if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) {
    const std::size_t count = nb::len(value);
    if (count != 2 && count != 3) wrong(where, "(min, max) or (min, opt, max)");
    parts[0] = value[0], parts[1] = count == 3 ? nb::object(value[1]) : nb::none(), parts[2] = value[count - 1];
  } else {
    raise_type_error(where + ": (min, max), (min, opt, max) or a Range, not " + type_of(value));
  }
  Declarations::Range range;
  range.min = bound(parts[0], where), range.typical = bound(parts[1], where), range.max = bound(parts[2], where);
  if (!range.min && !range.max && !range.typical) wrong(where, "neither min, opt nor max");
  if (range.min && range.max && *range.min > *range.max) wrong(where, "min is above max");
  if (range.typical && ((range.min && *range.typical < *range.min) || (range.max && *range.typical > *range.max)))
    wrong(where, "opt is not between min and max");
  return range;
}

Declarations::Step to_step(nb::handle value, const std::string& name) {
  const std::string where = "steps[" + repr_of(name) + "]";
  nb::object step = nb::borrow(value), residue = nb::int_(0);
  if (PyTuple_Check(value.ptr()) && nb::len(value) == 2) step = value[0], residue = value[1];
  const auto multiple_of = bound(step, where), rest = bound(residue, where);
  if (!multiple_of || !rest || *multiple_of < 1 || *rest >= *multiple_of)
    wrong(where, "a step of at least 1, and a residue below it");
  return {*multiple_of, *rest};
}

Declarations::Axis to_axis(nb::handle value) {
  std::string tensor;
  std::optional<std::int64_t> axis;
  if (PyUnicode_Check(value.ptr())) {
    const std::string text = utf8(value);
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
        text.find_first_not_of("0123456789", colon + 1) == std::string::npos && text.size() - colon < 5) {
      tensor = text.substr(0, colon);
      axis = std::stol(text.substr(colon + 1));
    }
  } else if (PyTuple_Check(value.ptr()) && nb::len(value) == 2 && PyUnicode_Check(nb::object(value[0]).ptr())) {
    tensor = utf8(nb::object(value[0]));
    axis = to_int64(nb::object(value[1]));
  } else {
    raise_type_error("batch: \"TENSOR:AXIS\", (tensor, axis) or \"none\", not " + type_of(value));
  }
  if (!axis || *axis < 0) wrong("batch", "\"TENSOR:AXIS\", (tensor, axis) or \"none\"");
  return {std::move(tensor), static_cast<std::size_t>(*axis), false};
}

}  // namespace

void add_declarations(const DeclarationArguments& arguments, Declarations& declarations) {
  if (!arguments.batch.is_none()) {
    declarations.no_batch = PyUnicode_Check(arguments.batch.ptr()) && utf8(arguments.batch) == "none";
    declarations.batch.reset();
    if (!declarations.no_batch) declarations.batch = to_axis(arguments.batch);
  }
  each_named(arguments.names, "names", [&](const std::string& learned, nb::handle name) {
    if (!PyUnicode_Check(name.ptr())) raise_type_error("names: a name is a str, not " + type_of(name));
    declarations.names[learned] = utf8(name);
  });
  each_named(arguments.ranges, "ranges",
             [&](const std::string& name, nb::handle range) { declarations.ranges[name] = to_range(range, name); });
  each_named(arguments.steps, "steps",
             [&](const std::string& name, nb::handle step) { declarations.steps[name] = to_step(step, name); });
  const auto declare_dim = [&](const std::string& axis, Dim dim) {
    // The name of the axis and of the symbol behind it.
    if (const std::string* name = dim.as_symbol()) declarations.axis_names[axis] = *name;
    declarations.dims[axis] = std::move(dim);
  };
  each_named(arguments.dims, "dims", [&](const std::string& axis, nb::handle dim) { declare_dim(axis, to_dim(dim)); });
  std::map<std::string, Declarations::Range> shared;
  each_named(arguments.axes, "axes", [&](const std::string& axis, nb::handle value) {
    const std::string where = "axes[" + repr_of(axis) + "]";
    if (!PyObject_HasAttrString(value.ptr(), "opt")) raise_type_error(where + ": a Range, not " + type_of(value));
    nb::object name = value.attr("name");
    if (!PyUnicode_Check(name.ptr())) wrong(where, "its Range has no name");
    const std::string symbol = utf8(name);
    const Declarations::Range range = to_range(value, symbol);
    const auto [first, added] = shared.try_emplace(symbol, range);
    if (!added &&
        (first->second.min != range.min || first->second.max != range.max || first->second.typical != range.typical))
      wrong(where, symbol + " has another range on another axis");
    const Dim dim = unwrap(Dim::parse(symbol));
    if (!dim.as_symbol()) wrong(where, repr_of(symbol) + " is not a name");
    declare_dim(axis, dim);
    declarations.ranges[symbol] = range;
  });
}

}  // namespace tensorspec::python
