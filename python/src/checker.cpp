// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "calls.hpp"
#include "learners.hpp"

namespace tensorspec::python {
namespace {

Policy to_policy(std::string_view word) {
  if (word == "range") return Policy::range;
  if (word == "relations") return Policy::relations;
  if (word == "seen") return Policy::seen;
  raise({ErrorCode::invalid_argument, "policy", repr_of(word) + ", not relations, range or seen"});
}

// A Checker that finds the slots of names it saw before by comparing.
class BoundChecker {
 public:
  BoundChecker(Contract contract, Policy policy)
      : contract_(std::move(contract)), policy_(policy), checker_(contract_, policy) {}

  const Contract& contract() const noexcept { return contract_; }
  Policy policy(nb::handle given) const {
    if (given.is_none()) return policy_;
    if (!PyUnicode_Check(given.ptr())) raise_type_error("policy: a str or None, not " + type_of(given));
    const Policy policy = to_policy(utf8(given));
    if (policy == Policy::seen && policy_ != Policy::seen)
      raise({ErrorCode::invalid_argument, "policy", "\"seen\" needs a Checker made with policy=\"seen\""});
    return policy;
  }

  bool test(nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy) {
    if (!PyDict_CheckExact(inputs.ptr()) && nb::isinstance<Call>(inputs)) {
      refuse_beside_call({{"outputs", !outputs.is_none()}, {"batch_size", !batch_size.is_none()}});
      return checker_.test(nb::cast<const Call&>(inputs), this->policy(policy)).ok;
    }
    Tensors tensors;
    read_call(inputs, outputs, tensors);
    const auto size = to_batch_size(batch_size);
    const auto binding = find(tensors);
    if (!binding) return checker_.test(to_call(tensors, size), this->policy(policy)).ok;
    return test_bound(tensors, *binding, size, this->policy(policy));
  }

  Verdict check(nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy) const {
    if (nb::isinstance<Call>(inputs)) {
      refuse_beside_call({{"outputs", !outputs.is_none()}, {"batch_size", !batch_size.is_none()}});
      return checker_.check(nb::cast<const Call&>(inputs), this->policy(policy));
    }
    Tensors tensors;
    read_call(inputs, outputs, tensors);
    return checker_.check(to_call(tensors, to_batch_size(batch_size)), this->policy(policy));
  }

  // The verdict of a call that gave no tensor at all, where check() does not look at outputs.
  Verdict check_without_outputs(nb::handle inputs) const {
    Tensors tensors;
    read_call(inputs, nb::none(), tensors);
    const Call call = tensors.to_call();
    Verdict verdict = checker_.check(call, policy_);
    if (!verdict.ok || !verdict.variant) return verdict;
    std::vector<TensorView> given;
    for (const std::string_view name : checker_.input_slots(*verdict.variant)) {
      const auto same = [&](const TensorInfo& tensor) { return tensor.name == name; };
      const auto found = std::find_if(call.inputs.begin(), call.inputs.end(), same);
      given.push_back(found == call.inputs.end() ? TensorView() : TensorView(*found));
    }
    const std::vector<TensorView> absent(checker_.output_slots(*verdict.variant).size());
    return checker_.explain(*verdict.variant, {.inputs = given, .outputs = absent}, policy_);
  }

 private:
  struct Binding {
    std::size_t variant = 0;
    std::vector<std::uint32_t> slots;  // of the tensors, in the order they came
    std::size_t inputs = 0, outputs = 0;
  };
  struct Known {
    std::vector<nb::object> names;
    std::size_t inputs;
    std::shared_ptr<const Binding> binding;
  };

  static Call to_call(const Tensors& tensors, std::optional<std::int64_t> batch_size) {
    Call call = tensors.to_call();
    call.batch_size = batch_size;
    return call;
  }

  bool test_bound(const Tensors& tensors, const Binding& binding, std::optional<std::int64_t> batch_size,
                  Policy policy) const {
    constexpr std::size_t kUsual = 64;
    std::array<TensorView, kUsual> few;
    std::vector<TensorView> many;
    TensorView* views = few.data();
    if (binding.inputs + binding.outputs > kUsual) views = (many.resize(binding.inputs + binding.outputs), many.data());
    const std::int64_t* extents = tensors.extents().data();
    std::size_t i = 0;
    for (const Tensors::Tensor& tensor : tensors.all()) {
      TensorView view({extents, tensor.rank}, tensor.dtype->kind());
      if (view.dtype == DType::Kind::other) view.spelling = tensor.dtype->name();
      views[binding.slots[i++]] = view;
      extents += tensor.rank;
    }
    CallView call{.inputs = {views, binding.inputs}, .outputs = {}, .batch_size = batch_size};
    if (tensors.all().size() > tensors.inputs()) call.outputs = {views + binding.inputs, binding.outputs};
    return checker_.test(binding.variant, call, policy).ok;
  }

  // nullptr: no variant has these names, and only a Call says what is wrong. Ranks play no part here.
  std::shared_ptr<const Binding> find(const Tensors& tensors) {
    const Lock lock(mutex_);
    for (const Known& known : known_)
      if (fits(known, tensors)) return known.binding;
    std::vector<std::string> texts;
    for (const Tensors::Tensor& tensor : tensors.all()) texts.push_back(utf8(tensor.name));
    const std::vector<std::string_view> names(texts.begin(), texts.end());
    const auto cut = static_cast<std::ptrdiff_t>(tensors.inputs());
    const auto bound =
        checker_.bind(std::vector(names.begin(), names.begin() + cut), std::vector(names.begin() + cut, names.end()));
    if (!bound || known_.size() >= kMaxKnown) return nullptr;
    Binding binding{
        bound->variant, {}, checker_.input_slots(bound->variant).size(), checker_.output_slots(bound->variant).size()};
    for (const std::size_t slot : bound->inputs) binding.slots.push_back(static_cast<std::uint32_t>(slot));
    for (const std::size_t slot : bound->outputs)
      binding.slots.push_back(static_cast<std::uint32_t>(binding.inputs + slot));
    Known known{{}, tensors.inputs(), std::make_shared<const Binding>(std::move(binding))};
    for (const Tensors::Tensor& tensor : tensors.all()) known.names.push_back(nb::borrow(tensor.name));
    return known_.emplace_back(std::move(known)).binding;
  }

  static bool fits(const Known& known, const Tensors& tensors) noexcept {
    const auto all = tensors.all();
    if (all.size() != known.names.size() || tensors.inputs() != known.inputs) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name != known.names[i].ptr() && PyUnicode_Compare(all[i].name, known.names[i].ptr()) != 0)
        return false;
    return true;
  }

  static constexpr std::size_t kMaxKnown = 32;
  Contract contract_;
  Policy policy_;
  Checker checker_;
  std::mutex mutex_;
  std::vector<Known> known_;
};

std::string_view word(Policy policy) {
  return policy == Policy::range ? "range" : policy == Policy::seen ? "seen" : "relations";
}

// Codes go by their words, which are published; their numbers are not.
using ViolationState =
    std::tuple<std::string, std::string, std::optional<std::size_t>, std::string, std::string, bool, std::string>;
using VerdictState = std::tuple<bool, std::optional<std::size_t>, std::vector<Violation>, std::vector<Violation>>;

ViolationState to_state(const Violation& v) {
  return {std::string(to_string(v.code)), v.tensor, v.axis, v.expected, v.actual, v.actual_is_number, v.message};
}

Violation to_violation(const ViolationState& state) {
  const auto& [code, tensor, axis, expected, actual, actual_is_number, message] = state;
  Violation v{Violation::Code::relation, tensor, axis, expected, actual, actual_is_number, message};
  for (std::uint8_t word = 0; !to_string(Violation::Code{word}).empty(); ++word)
    if (to_string(Violation::Code{word}) == code) v.code = Violation::Code{word};
  return v;
}

void bind_verdict(nb::module_& module) {
  nb::class_<Violation>(module, "Violation", "One way in which a call does not conform.")
      .def_prop_ro(
          "code", [](const Violation& v) { return std::string(to_string(v.code)); },
          "missing_tensor, unexpected_tensor, rank, dtype, static, relation, range, stride, unknown_variant or batch.")
      .def_prop_ro(
          "tensor", [](const Violation& v) { return v.tensor.empty() ? std::nullopt : std::optional(v.tensor); },
          "Its name; None when it is about the call as a whole.")
      .def_prop_ro(
          "axis", [](const Violation& v) { return v.axis; }, "None when it is about the tensor as a whole.")
      .def_ro("expected", &Violation::expected, "Such as ``\"past+seq = 12\"``.")
      .def_ro("actual", &Violation::actual, "Such as ``\"13\"``.")
      .def_ro("message", &Violation::message, "All of it in one line.")
      .def("__getstate__", &to_state)
      .def("__setstate__", [](Violation& v, const ViolationState& state) { new (&v) Violation(to_violation(state)); })
      .def("__str__", [](const Violation& v) { return v.message; })
      .def("__repr__", [](const Violation& v) { return "<Violation " + repr_of(v.message) + ">"; });
  nb::class_<Verdict>(module, "Verdict", "Whether a call conforms; ``bool(verdict)`` is ``verdict.ok``.")
      .def_ro("ok", &Verdict::ok)
      .def_prop_ro(
          "variant", [](const Verdict& v) { return v.variant; },
          "Index in the contract; the nearest one when none has exactly these inputs.")
      .def_ro("violations", &Verdict::violations)
      .def_ro("warnings", &Verdict::warnings, "What is not sure enough to refuse a call for.")
      .def("__bool__", [](const Verdict& v) { return v.ok; })
      .def("__getstate__", [](const Verdict& v) { return VerdictState(v.ok, v.variant, v.violations, v.warnings); })
      .def("__setstate__",
           [](Verdict& v, const VerdictState& state) { new (&v) Verdict(std::make_from_tuple<Verdict>(state)); })
      .def("__str__",
           [](const Verdict& v) {
             std::string out;
             for (const Violation& violation : v.violations) out += (out.empty() ? "" : "; ") + violation.message;
             return out.empty() ? std::string("conforms") : out;
           })
      .def("__repr__", [](nb::handle self) { return "<Verdict " + nb::cast<std::string>(nb::str(self)) + ">"; });
}

#define TENSORSPEC_CHECK_ARGUMENTS \
  "inputs"_a, "outputs"_a = nb::none(), nb::kw_only(), "batch_size"_a = nb::none(), "policy"_a = nb::none()
#define TENSORSPEC_CHECK_SIGNATURE                                                                            \
  "(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, " \
  "policy: str | None = None) -> "

}  // namespace

void bind_checker(nb::module_& module) {
  bind_verdict(module);
  nb::class_<BoundChecker>(module, "Checker",
                           R"doc(Holds calls against a contract. Immutable, may be shared between threads.

`policy`: ``"relations"`` covers missing and unexpected tensors, rank, dtype, fixed sizes, relations and claimed strides;
``"range"`` (the usual one) adds the ranges; ``"seen"`` accepts recorded shapes only. Tensors are given as in
``Learner.observe``. Without outputs only the inputs are checked.)doc")
      .def(
          "__init__",
          [](BoundChecker* self, const Contract& contract, const std::string& policy) {
            const Policy strictest = to_policy(policy);
            without_gil([&] { new (self) BoundChecker(contract, strictest); });
          },
          "contract"_a, "policy"_a = "range")
      .def_prop_ro("contract", &BoundChecker::contract)
      .def("test", &BoundChecker::test, TENSORSPEC_CHECK_ARGUMENTS,
           nb::sig("def test" TENSORSPEC_CHECK_SIGNATURE "bool"), "Does the call conform. The fastest way to ask.")
      .def(
          "check",
          [](nb::handle self, const nb::tuple& args, nb::handle kwargs, nb::handle forward, nb::handle batch_size,
             nb::handle policy) {
            if (args.size() > 0 && nb::isinstance<TensorInfo>(args[0])) throw nb::next_overload();
            return nb::module_::import_("tensorspec.checking")
                .attr("check_arguments")(self, args, kwargs, forward, batch_size, policy);
          },
          "args"_a, "kwargs"_a = nb::none(), nb::kw_only(), "forward"_a = nb::none(), "batch_size"_a = nb::none(),
          "policy"_a = nb::none(),
          nb::sig("def check(self, args: tuple, kwargs: Mapping[str, object] | None = None, *, forward: object = None, "
                  "batch_size: int | float | None = None, policy: str | None = None) -> Verdict"),
          R"doc(Holds the arguments of a call against the contract: `args` in a tuple, `kwargs` in a dict.

Raises ContractViolation, with the reason in one line, unless they conform. Their tensors are those of ``tensors_of``:
arguments by position have names when `forward`, the function or module that takes them, is given.)doc")
      .def(
          "check",
          [](const BoundChecker& self, nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy,
             nb::handle forward) {
            // Of the other one, with a tensor where a tuple belongs.
            if (!forward.is_none()) raise_type_error("args: a tuple of arguments, not " + type_of(inputs));
            return self.check(inputs, outputs, batch_size, policy);
          },
          TENSORSPEC_CHECK_ARGUMENTS, "forward"_a = nb::none(),
          nb::sig("def check" TENSORSPEC_CHECK_SIGNATURE "Verdict"),
          "Whether it conforms, and every way in which it does not, each in a sentence.")
      .def("_check_without_outputs", &BoundChecker::check_without_outputs, "inputs"_a)
      .def(
          "require",
          [](BoundChecker& self, nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy) {
            if (self.test(inputs, outputs, batch_size, policy)) return;
            const Verdict verdict = self.check(inputs, outputs, batch_size, policy);
            nb::object type = nb::module_::import_("tensorspec.errors").attr("ContractViolation");
            nb::object exception = type(verdict);
            PyErr_SetObject(type.ptr(), exception.ptr());
            throw nb::python_error();
          },
          TENSORSPEC_CHECK_ARGUMENTS, nb::sig("def require" TENSORSPEC_CHECK_SIGNATURE "None"),
          "Raises ContractViolation, with the reason in one line, unless the call conforms.")
      .def("__repr__",
           [](const BoundChecker& self) {
             return "<Checker " + std::string(word(self.policy(nb::none()))) + " " +
                    nb::cast<std::string>(nb::repr(nb::cast(self.contract(), nb::rv_policy::reference))) + ">";
           })
      .def("__reduce__", [](nb::handle self) {
        const auto& checker = nb::cast<const BoundChecker&>(self);
        return nb::make_tuple(self.type(), nb::make_tuple(self.attr("contract"), word(checker.policy(nb::none()))));
      });
}

}  // namespace tensorspec::python
