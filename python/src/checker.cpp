// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

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
    return to_policy(utf8(given));
  }

  bool test(nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy) {
    if (!PyDict_CheckExact(inputs.ptr()) && nb::isinstance<Call>(inputs))
      return checker_.test(nb::cast<const Call&>(inputs), this->policy(policy)).ok;
    Tensors tensors;
    read_call(inputs, outputs, tensors);
    const auto size = to_batch_size(batch_size);
    const auto binding = find(tensors);
    if (!binding) return checker_.test(to_call(tensors, size), this->policy(policy)).ok;
    return test_bound(tensors, *binding, size, this->policy(policy));
  }

  Verdict check(nb::handle inputs, nb::handle outputs, nb::handle batch_size, nb::handle policy) const {
    if (nb::isinstance<Call>(inputs)) return checker_.check(nb::cast<const Call&>(inputs), this->policy(policy));
    Tensors tensors;
    read_call(inputs, outputs, tensors);
    return checker_.check(to_call(tensors, to_batch_size(batch_size)), this->policy(policy));
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
      .def("check", &BoundChecker::check, TENSORSPEC_CHECK_ARGUMENTS,
           nb::sig("def check" TENSORSPEC_CHECK_SIGNATURE "Verdict"),
           "Whether it conforms, and every way in which it does not, each in a sentence.")
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
