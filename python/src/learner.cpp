// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/learner.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "calls.hpp"
#include "declarations.hpp"
#include "learners.hpp"
#include "reading.hpp"
#include "tensorspec/explain.hpp"

namespace tensorspec::python {

namespace {
// Kinds of calls told by comparing; a model has a few, and what has more is learned all the same.
constexpr std::size_t kMaxLayouts = 32;
}  // namespace

void SharedLearner::observe(nb::handle inputs, nb::handle outputs, nb::handle batch_size, std::optional<bool> ok,
                            std::optional<std::uint64_t> count) {
  if (!PyDict_CheckExact(inputs.ptr()) && nb::isinstance<Call>(inputs)) {
    refuse_beside_call({{"outputs", !outputs.is_none()},
                        {"batch_size", !batch_size.is_none()},
                        {"ok", ok.has_value()},
                        {"count", count.has_value()}});
    const Call& call = nb::cast<const Call&>(inputs);
    const Lock lock(mutex_);
    return unwrap(learner_.observe(call));
  }
  Tensors tensors;
  read_call(inputs, outputs, tensors);
  unwrap(learn(tensors, to_batch_size(batch_size), ok.value_or(true), count.value_or(1)));
}

Status SharedLearner::learn(Tensors& tensors, std::optional<std::int64_t> batch_size, bool ok, std::uint64_t count) {
  if (batch_size) tensors.extents().push(*batch_size);
  const Lock lock(mutex_);
  const bool has_batch_size = batch_size.has_value();
  if (last_ < layouts_.size() && layouts_[last_].kind.fits(tensors, has_batch_size, ok))
    return learner_.observe(layouts_[last_].columns, tensors.extents().all(), count);
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    if (!layouts_[i].kind.fits(tensors, has_batch_size, ok)) continue;
    last_ = i;
    return learner_.observe(layouts_[i].columns, tensors.extents().all(), count);
  }
  Call call = tensors.to_call();
  call.batch_size = batch_size;
  call.ok = ok;
  call.weight = count;
  if (layouts_.size() >= kMaxLayouts || count == 0) return learner_.observe(call);
  auto columns = learner_.columns_of(call);
  if (!columns.ok()) return std::move(columns).error();
  last_ = layouts_.size();
  layouts_.push_back({Kind(tensors, has_batch_size, ok), *columns});
  return learner_.observe(*columns, tensors.extents().all(), count);
}

namespace {

Contract to_contract(const Evidence& evidence, const DeclarationArguments& arguments, const Contract* after) {
  Declarations declarations;
  if (after != nullptr) declarations = without_gil([&] { return declarations_of(*after); });
  add_declarations(arguments, declarations);
  return unwrap(without_gil([&] { return explain(evidence, declarations); }));
}

Learner learner_of(nb::handle source, std::size_t sample_size) {
  if (source.is_none()) return Learner(sample_size);
  if (nb::isinstance<Evidence>(source)) return Learner(nb::cast<const Evidence&>(source));
  if (!nb::isinstance<Contract>(source))
    raise_type_error("a Learner goes on from Evidence or a Contract, not " + type_of(source));
  const auto& contract = nb::cast<const Contract&>(source);
  if (!contract.evidence()) raise({ErrorCode::no_evidence, "contract", ""});
  return Learner(*contract.evidence());
}

Learner load(const std::filesystem::path& path) {
  auto contract = unwrap(without_gil([&] { return Contract::load(path); }));
  if (!contract.evidence()) raise({ErrorCode::no_evidence, path.string(), ""});
  return Learner(*contract.evidence());
}

constexpr const char* kDeclarationsDoc = R"doc(

What you know better wins over what was learned, and a conflict becomes a question of the contract:

batch: the axis that is the batch: ``"x:0"`` or ``("x", 0)``; ``"none"``: no axis is.
names: learned names of symbols to wanted ones, ``{"s0": "seq"}``.
ranges: sizes by symbol, after renaming: ``(min, max)``, ``(min, opt, max)`` or a Range, None for what is not stated.
steps: ``{"h": 8}``, every size is a multiple; ``(8, 4)``: 4 modulo 8.
dims: dims by axis, ``{"mask[1]": "past+seq"}``.
axes: named ranges by axis, ``{"ids[1]": Range("seq", 1, 128, 512)}``; axes of one name must have one range.

Raises tensorspec.Error (nothing_found: no accepted call, invalid_argument: a declaration names what is not there,
contract_conflict).)doc";

void bind_evidence(nb::module_& module) {
  nb::class_<Evidence>(
      module, "Evidence",
      R"doc(Everything exactly known of the calls seen; its memory depends on the model, not on how many calls there were.

A function of the set of calls with their counts, whatever their order or grouping: merging is exact. Immutable.)doc")
      .def_prop_ro("calls", &Evidence::calls, "Calls seen.")
      .def_prop_ro("sample_size", &Evidence::sample_size, "Distinct calls that are kept, per set of tensors.")
      .def(
          "merge",
          [](const Evidence& self, const Evidence& other) {
            return unwrap(without_gil([&] { return Evidence::merge(self, other); }));
          },
          "other"_a, "Both together. Raises tensorspec.Error (evidence_mismatch) when the sample sizes differ.")
      .def(
          "__or__",
          [](const Evidence& self, const Evidence& other) {
            return unwrap(without_gil([&] { return Evidence::merge(self, other); }));
          },
          nb::is_operator())
      .def(
          "contract",
          [](const Evidence& self, nb::handle batch, nb::handle names, nb::handle ranges, nb::handle steps,
             nb::handle dims, nb::handle axes, const Contract* after) {
            return to_contract(self, {batch, names, ranges, steps, dims, axes}, after);
          },
          nb::kw_only(), "batch"_a = nb::none(), "names"_a = nb::none(), "ranges"_a = nb::none(),
          "steps"_a = nb::none(), "dims"_a = nb::none(), "axes"_a = nb::none(), "after"_a = nb::none(),
          nb::sig((std::string("def contract(self, *, ") + kDeclarationsSignature +
                   ", after: Contract | None = None) -> Contract")
                      .c_str()),
          (std::string("The contract that this evidence gives.") + kDeclarationsDoc +
           "\n\n`after` is an earlier contract whose declarations and names are kept.")
              .c_str())
      .def(
          "to_json", [](const Evidence& self) { return without_gil([&] { return self.to_json(); }); },
          "Compact JSON, the same bytes for equal evidence.")
      .def_static(
          "from_json",
          [](const std::string& text) { return unwrap(without_gil([&] { return Evidence::from_json(text); })); },
          "text"_a, "Raises tensorspec.Error (evidence_format, json_*).")
      .def(
          "__eq__", [](const Evidence& self, const Evidence& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Evidence& self) { return nb::hash(nb::int_(self.calls())); })
      .def("__repr__", [](const Evidence& self) { return "<Evidence of " + std::to_string(self.calls()) + " calls>"; })
      .def("__getstate__", [](const Evidence& self) { return self.to_json(); })
      .def("__setstate__",
           [](Evidence& self, const std::string& text) { new (&self) Evidence(unwrap(Evidence::from_json(text))); });
}

}  // namespace

void bind_learner(nb::module_& module) {
  bind_evidence(module);
  nb::class_<SharedLearner>(module, "Learner", R"doc(Takes calls, keeps evidence, gives the contract.

``Learner()`` starts anew; ``Learner(evidence)`` and ``Learner(contract)`` go on. At any moment the evidence is that of
all calls taken, exactly, in memory that does not grow with their number. `sample_size` is how many distinct calls are
kept per set of tensors. May be used by any number of threads; a Learner a thread, merged at the end, is faster.)doc")
      .def(
          "__init__",
          [](SharedLearner* self, nb::handle source, std::size_t sample_size) {
            if (sample_size < 1 || sample_size > (std::size_t{1} << 24))
              raise({ErrorCode::invalid_argument, "sample_size", "1 to 2^24"});
            new (self) SharedLearner(learner_of(source, sample_size));
          },
          "source"_a = nb::none(), nb::kw_only(), "sample_size"_a = Evidence::kDefaultSampleSize,
          nb::sig("def __init__(self, source: Evidence | Contract | None = None, *, sample_size: int = 4096) -> None"))
      .def("observe", &SharedLearner::observe, "inputs"_a, "outputs"_a = nb::none(), nb::kw_only(),
           "batch_size"_a = nb::none(), "ok"_a = nb::none(), "count"_a = nb::none(),
           nb::sig(
               "def observe(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | "
               "None = None, ok: bool | None = None, count: int | None = None) -> None"),
           R"doc(Learns one call: ``learner.observe({"ids": ids, "mask": mask}, {"logits": logits}, batch_size=2)``.

Tensors are whatever has ``shape`` and ``dtype``: torch (meta, fake and vmap too), NumPy, JAX, ...; pairs
``("int64", (2, 10))`` and TensorInfo as well. Only these two attributes are read, never the elements. A Call stands for
all arguments, and is given alone. No outputs: they were not recorded. ``ok=False``: the model refused the call.
`count`: how often it was seen, once unless given.

A call like one of the last in names, ranks and dtypes costs about what reading its attributes costs. Raises
tensorspec.Error, and nothing is learned of the call; TypeError for what is no tensor.)doc")
      .def("observe_columns", &observe_columns, "inputs"_a, "outputs"_a = nb::none(), nb::kw_only(),
           "batch_size"_a = nb::none(), "ok"_a = true, "count"_a = nb::none(),
           nb::sig(
               "def observe_columns(self, inputs: ColumnTensors, outputs: ColumnTensors | None = None, *, batch_size: "
               "Column | int | None = None, ok: bool = True, count: Column | int | None = None) -> int"),
           R"doc(Learns a call per row of columns, and returns how many: logs, Parquet files, data sets.

``learner.observe_columns({"ids": ("int64", (batch["n"], batch["len"]))})``: tensors by name as pairs of dtype and shape,
where each size is a whole number or a one-dimensional column of them: NumPy, Arrow, pandas, torch or a list. int64 is
used where it lies, without a copy. A column of lists stands for their lengths. `batch_size` and `count` (how often) too.

All rows or none are learned; other threads run meanwhile. Raises tensorspec.Error with the row in `place`.)doc")
      .def(
          "read",
          [](SharedLearner& self, nb::handle paths, nb::handle format, const std::string& files, nb::handle batch_size,
             nb::handle bad) {
            const auto size = to_batch_size(batch_size);
            ReadOptions options(paths, format, files, bad);
            return read_calls(options, [&](const Call& call, std::string_view) {
              if (!size) return self.alone([&](Learner& learner) { return learner.observe(call); });
              Call told = call;
              told.batch_size = size;
              return self.alone([&](Learner& learner) { return learner.observe(told); });
            });
          },
          "paths"_a, nb::kw_only(), "format"_a = nb::none(), "files"_a = "auto", "batch_size"_a = nb::none(),
          "bad"_a = nb::none(),
          nb::sig("def read(self, paths: Paths, *, format: str | None = None, files: str = 'auto', batch_size: int | "
                  "None = None, "
                  "bad: collections.abc.Callable[[Error], object] | None = None) -> int"),
          R"doc(Learns every call of these files, folders and glob patterns, and returns how many there were.

Arguments as of tensorspec.read(). `batch_size` is that of every call read. Other threads run meanwhile; Ctrl-C stops.)doc")
      .def(
          "merge",
          [](SharedLearner& self, nb::handle other) {
            const Learner taken =
                nb::isinstance<SharedLearner>(other) ? nb::cast<SharedLearner&>(other).copy() : learner_of(other, 1);
            unwrap(self.with([&](Learner& learner) { return learner.merge(taken); }));
          },
          "other"_a, nb::sig("def merge(self, other: Learner | Evidence | Contract) -> None"),
          R"doc(Learns everything that `other` has; as if this one had seen all calls itself.

Raises tensorspec.Error (evidence_mismatch), and nothing is changed.)doc")
      .def(
          "limit_memory",
          [](SharedLearner& self, std::uint64_t bytes) {
            unwrap(self.with([&](Learner& learner) { return learner.limit_memory(bytes); }));
          },
          "bytes"_a, "Halves the sample until the evidence takes at most this. Raises tensorspec.Error (memory_limit).")
      .def_prop_ro("evidence", &SharedLearner::evidence, "A copy of all that is known now.")
      .def(
          "contract",
          [](SharedLearner& self, nb::handle batch, nb::handle names, nb::handle ranges, nb::handle steps,
             nb::handle dims, nb::handle axes, const Contract* after) {
            return to_contract(self.evidence(), {batch, names, ranges, steps, dims, axes}, after);
          },
          nb::kw_only(), "batch"_a = nb::none(), "names"_a = nb::none(), "ranges"_a = nb::none(),
          "steps"_a = nb::none(), "dims"_a = nb::none(), "axes"_a = nb::none(), "after"_a = nb::none(),
          nb::sig((std::string("def contract(self, *, ") + kDeclarationsSignature +
                   ", after: Contract | None = None) -> Contract")
                      .c_str()),
          (std::string("The contract of all calls seen.") + kDeclarationsDoc +
           "\n\n`after` is an earlier contract whose declarations and names are kept.")
              .c_str())
      .def(
          "save",
          [](SharedLearner& self, const std::filesystem::path& path) {
            const Evidence evidence = self.evidence();
            unwrap(without_gil([&]() -> Status {
              auto contract = explain(evidence);
              if (!contract.ok()) return std::move(contract).error();
              return contract->save(path);
            }));
          },
          "path"_a,
          R"doc(Saves a contract file, with the evidence in it: ``tensorspec show``, ``merge`` and ``learn --resume`` take it.

Raises tensorspec.Error (file_write; nothing_found: no accepted call).)doc")
      .def_static(
          "load", [](const std::filesystem::path& path) { return new SharedLearner(load(path)); }, "path"_a,
          nb::rv_policy::take_ownership,
          "Goes on from a contract file. Raises tensorspec.Error (file_open, no_evidence, ...).")
      .def("__repr__",
           [](SharedLearner& self) {
             return "<Learner of " +
                    std::to_string(self.with([](Learner& learner) { return learner.evidence().calls(); })) + " calls>";
           })
      .def("__reduce__",
           [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(self.attr("evidence"))); });
}

}  // namespace tensorspec::python
