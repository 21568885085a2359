// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/call.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "calls.hpp"
#include "tensors.hpp"
#include "tensorspec/recording.hpp"

namespace tensorspec::python {

nb::tuple to_tuple(const Shape& shape) {
  nb::list sizes;
  for (const std::int64_t size : shape) sizes.append(size);
  return nb::tuple(sizes);
}

void read_call(nb::handle inputs, nb::handle outputs, Tensors& tensors) {
  tensors.read(inputs, "inputs");
  tensors.end_inputs();
  tensors.read(outputs, "outputs");
}

void refuse_beside_call(std::initializer_list<Given> arguments) {
  for (const Given& argument : arguments)
    if (argument.given) raise_type_error(std::string(argument.name) + ": a Call has its own");
}

namespace {

std::string repr(const TensorInfo& tensor) {
  std::string out = "TensorInfo(" + repr_of(tensor.name) + ", " +
                    (tensor.dtype.is_known() ? repr_of(tensor.dtype.name()) : "None") + ", (";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(tensor.shape[i]);
  return out + (tensor.shape.size() == 1 ? ",))" : "))");
}

std::string repr(const std::vector<TensorInfo>& tensors) {
  std::string out = "[";
  for (std::size_t i = 0; i < tensors.size(); ++i) out += (i > 0 ? ", " : "") + repr(tensors[i]);
  return out + "]";
}

std::string repr(const Call& call) {
  std::string out = "Call(" + repr(call.inputs);
  if (!call.outputs.empty()) out += ", " + repr(call.outputs);
  if (call.batch_size) out += ", batch_size=" + std::to_string(*call.batch_size);
  if (!call.ok) out += ", ok=False";
  if (call.weight != 1) out += ", count=" + std::to_string(call.weight);
  return out + ")";
}

Call parse_line(const std::string& line) {
  std::optional<Call> found;
  std::optional<Error> wrong;
  RecordingParser parser({[&](const Call& call, std::uint64_t) { found = call; },
                          [&](const Error& error) {
                            wrong = error;
                            return false;
                          }});
  if (parser.feed(line)) parser.finish();
  if (wrong) raise(*wrong);
  if (!found) raise({ErrorCode::nothing_found, "", "an empty line"});
  return *found;
}

void bind_tensor_info(nb::module_& module) {
  nb::class_<TensorInfo>(module, "TensorInfo", R"doc(One tensor as it was seen: name, dtype, shape. Immutable.

``TensorInfo("ids", "int64", (2, 10))``, or ``TensorInfo.of("ids", tensor)`` of any tensor. The name is a path such as
``"args[0]"`` or ``"past_key_values[3].key"``, and never a file. Extents are in elements, 0 to 2**62; at most 64 axes.

Raises tensorspec.Error (invalid_extent, rank_too_large).)doc")
      .def(
          "__init__",
          [](TensorInfo* self, std::string name, nb::handle dtype, nb::handle shape) {
            Extents extents;
            read_shape(shape, name, extents);
            TensorInfo info{std::move(name), to_dtype(dtype), Shape(extents.all().begin(), extents.all().end())};
            unwrap(validate(info));
            new (self) TensorInfo(std::move(info));
          },
          "name"_a, "dtype"_a.none(), "shape"_a,
          nb::sig("def __init__(self, name: str, dtype: object, shape: collections.abc.Sequence[int]) -> None"))
      .def_static(
          "of",
          [](std::string name, nb::handle tensor) {
            TensorInfo info = to_tensor_info(tensor, std::move(name));
            unwrap(validate(info));
            return info;
          },
          "name"_a, "tensor"_a,
          "Name, dtype and shape of any object that has ``shape`` and ``dtype``. Its storage is not touched.\n\n"
          "Raises TypeError for an object that is no tensor.")
      .def_ro("name", &TensorInfo::name, "A path such as ``\"args[0]\"``.")
      .def_prop_ro(
          "dtype",
          [](const TensorInfo& self) {
            return self.dtype.is_known() ? std::optional(std::string(self.dtype.name())) : std::nullopt;
          },
          "``\"float32\"``, ``\"bfloat16\"``; other types as their library spells them; None: not known.")
      .def_prop_ro(
          "shape", [](const TensorInfo& self) { return to_tuple(self.shape); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Extents in elements, one an axis.")
      .def("__repr__", [](const TensorInfo& self) { return repr(self); })
      .def(
          "__eq__", [](const TensorInfo& self, const TensorInfo& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const TensorInfo& self) { return nb::hash(nb::str(repr(self).c_str())); })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(self.attr("name"), self.attr("dtype"), self.attr("shape")));
      });
}

}  // namespace

void bind_call(nb::module_& module) {
  bind_tensor_info(module);
  nb::class_<Call>(module, "Call", R"doc(One invocation of a model: what went in, what came out. Immutable.

``inputs`` and ``outputs`` are dicts of names to tensors, in the order of the model: torch, NumPy or any other objects
with ``shape`` and ``dtype``, or pairs ``("int64", (2, 10))``; or lists of TensorInfo. No outputs: they were not
recorded. ``batch_size`` as the caller knows it, None when not; ``ok``: did the model accept the call; ``count``: how
often it was seen.

Raises tensorspec.Error (invalid_extent, duplicate_tensor, invalid_batch_size, ...), TypeError for what is no tensor.)doc")
      .def(
          "__init__",
          [](Call* self, nb::handle inputs, nb::handle outputs, nb::handle batch_size, bool ok, std::uint64_t count) {
            Tensors tensors;
            read_call(inputs, outputs, tensors);
            Call call = tensors.to_call();
            call.batch_size = to_batch_size(batch_size);
            call.ok = ok;
            call.weight = count;
            unwrap(validate(call));
            new (self) Call(std::move(call));
          },
          "inputs"_a, "outputs"_a = nb::none(), nb::kw_only(), "batch_size"_a = nb::none(), "ok"_a = true,
          "count"_a = 1,
          nb::sig(
              "def __init__(self, inputs: Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None "
              "= None, ok: bool = True, count: int = 1) -> None"))
      .def_prop_ro(
          "inputs", [](const Call& self) { return self.inputs; }, "In the order of the model.")
      .def_prop_ro(
          "outputs", [](const Call& self) { return self.outputs; }, "Empty: they were not recorded.")
      .def_prop_ro(
          "batch_size", [](const Call& self) { return self.batch_size; }, "None: not known.")
      .def_ro("ok", &Call::ok, "Did the model accept it.")
      .def_ro("count", &Call::weight, "How often it was seen.")
      .def("to_json", &to_recording_line, "One line of a recording, without the newline; docs/formats.md describes it.")
      .def_static("from_json", &parse_line, "line"_a,
                  "The call of one line of a recording.\n\nRaises tensorspec.Error (json_syntax, recording_call, ...).")
      .def("__repr__", [](const Call& self) { return repr(self); })
      .def(
          "__eq__", [](const Call& self, const Call& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Call& self) { return nb::hash(nb::str(repr(self).c_str())); })
      .def("__getstate__", &to_recording_line)
      .def("__setstate__", [](Call& self, const std::string& line) { new (&self) Call(parse_line(line)); });
}

}  // namespace tensorspec::python
