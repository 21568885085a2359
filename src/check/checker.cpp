// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/checker.hpp"

#include <algorithm>
#include <cassert>

#include "check/examine.hpp"
#include "check/flat.hpp"
#include "check/quick.hpp"
#include "check/sentences.hpp"

namespace tensorspec {
namespace {

using flat::CallTensors;
using flat::FlatContract;
using flat::FlatVariant;
using flat::TensorList;

CallTensors tensors_of(const Call& call) noexcept {
  return {TensorList(call.inputs), TensorList(call.outputs), call.batch_size};
}

CallTensors tensors_of(const FlatVariant& variant, const CallView& call) noexcept {
  return {TensorList(call.inputs, variant.input_slots), TensorList(call.outputs, variant.output_slots),
          call.batch_size};
}

// Keeps the first violation, or the first warning until there is one.
class FirstFinding final : public flat::Findings {
 public:
  FirstFinding(const FlatVariant& variant, Outcome& outcome) : variant_(variant), outcome_(outcome) {}

  void add(const flat::Finding& finding) override {
    const bool violation = finding.doubt == flat::Finding::Doubt::none;
    if (violation ? outcome_.ok : outcome_.ok && !outcome_.warned) keep(finding);
    if (violation) outcome_.ok = false;
    else outcome_.warned = true;
  }

 private:
  void keep(const flat::Finding& finding) {
    outcome_.code = code_of(finding.about);
    outcome_.output = finding.output;
    outcome_.axis = finding.axis == flat::kNone ? Outcome::kNoAxis : static_cast<std::uint8_t>(finding.axis);
    const bool of_variant = finding.tensor != flat::kNone && finding.about != flat::Finding::About::unexpected;
    outcome_.tensor = finding.tensor - (of_variant && finding.output ? variant_.inputs : 0);
  }

  const FlatVariant& variant_;
  Outcome& outcome_;
};

Outcome examined(const FlatContract& contract, const CallTensors& call, Policy policy) noexcept {
  Outcome outcome;
  const auto chosen = choose_variant(contract, call.inputs);
  if (!chosen) {
    outcome.ok = false;
    outcome.code = Violation::Code::unknown_variant;
    return outcome;
  }
  outcome.variant = *chosen;
  contract.with_scratch([&](const flat::Scratch& scratch) {
    const FlatVariant& variant = contract.variants()[*chosen];
    FirstFinding first(variant, outcome);
    examine(variant, call, policy, scratch, first);
  });
  return outcome;
}

Outcome conforms_to(std::size_t variant) noexcept {
  Outcome outcome;
  outcome.variant = static_cast<std::uint32_t>(variant);
  return outcome;
}

// Whether the inputs are all that is to be looked at.
template <class AnyCall>
bool is_request(const AnyCall& call, Policy policy) noexcept {
  return call.outputs.empty() && policy != Policy::seen;
}

// The variant to which the call conforms without a warning, kNone when that is not certain.
std::uint32_t conforming(const FlatContract& contract, const Call& call, Policy policy) noexcept {
  const auto variants = static_cast<std::uint32_t>(contract.variants().size());
  if (is_request(call, policy))
    for (std::uint32_t i = 0; i < variants; ++i)
      if (inputs_conform(contract.variants()[i], call.inputs, call.batch_size, policy == Policy::range)) return i;
  for (std::uint32_t i = 0; i < variants; ++i)
    if (conforms(contract.variants()[i], call, policy)) return i;
  return flat::kNone;
}

// What is left when a request does not conform at first sight. Not inlined, so that it costs one that does nothing.
[[gnu::noinline]] Outcome looked_into(const FlatContract& contract, std::size_t variant, const CallView& call,
                                      Policy policy) noexcept {
  const FlatVariant& flat = contract.variants()[variant];
  return conforms(flat, call, policy) ? conforms_to(variant) : examined(contract, tensors_of(flat, call), policy);
}

Verdict explained(const FlatContract& contract, const CallTensors& call, Policy policy) {
  Verdict verdict;
  const auto chosen = choose_variant(contract, call.inputs);
  if (chosen) {
    verdict.variant = *chosen;
    contract.with_scratch([&](const flat::Scratch& scratch) {
      const FlatVariant& variant = contract.variants()[*chosen];
      flat::Sentences sentences(variant, call, policy, scratch, verdict);
      examine(variant, call, policy, scratch, sentences);
    });
  } else {
    verdict.violations.push_back(flat::unknown_variant(call.inputs));
  }
  verdict.ok = verdict.violations.empty();
  return verdict;
}

// The number of each name among the slots; nullopt when one is not there or stands twice.
std::optional<std::vector<std::size_t>> slots_of(std::span<const std::string_view> names,
                                                 const std::vector<std::string_view>& slots) {
  std::vector<std::size_t> out;
  for (const std::string_view name : names) {
    const auto slot = static_cast<std::size_t>(std::find(slots.begin(), slots.end(), name) - slots.begin());
    if (slot == slots.size() || std::find(out.begin(), out.end(), slot) != out.end()) return std::nullopt;
    out.push_back(slot);
  }
  return out;
}

}  // namespace

std::string_view to_string(Violation::Code code) noexcept {
  using Code = Violation::Code;
  switch (code) {
    case Code::missing_tensor: return "missing_tensor";
    case Code::unexpected_tensor: return "unexpected_tensor";
    case Code::rank: return "rank";
    case Code::dtype: return "dtype";
    case Code::static_size: return "static";
    case Code::relation: return "relation";
    case Code::range: return "range";
    case Code::stride: return "stride";
    case Code::unknown_variant: return "unknown_variant";
    case Code::batch: return "batch";
  }
  return "";
}

Checker::Checker(const Contract& contract, Policy strictest)
    : contract_(std::make_shared<const FlatContract>(contract, strictest)) {}

Outcome Checker::test(const Call& call, Policy policy) const noexcept {
  const std::uint32_t variant = conforming(*contract_, call, policy);
  return variant != flat::kNone ? conforms_to(variant) : examined(*contract_, tensors_of(call), policy);
}

Outcome Checker::test(std::size_t variant, const CallView& call, Policy policy) const noexcept {
  assert(variant < contract_->variants().size());
  if (is_request(call, policy) &&
      inputs_conform(contract_->variants()[variant], call.inputs, call.batch_size, policy == Policy::range))
    return conforms_to(variant);
  return looked_into(*contract_, variant, call, policy);
}

Verdict Checker::check(const Call& call, Policy policy) const {
  const std::uint32_t variant = conforming(*contract_, call, policy);
  if (variant == flat::kNone) return explain(call, policy);
  Verdict verdict;
  verdict.variant = variant;
  return verdict;
}

Verdict Checker::explain(const Call& call, Policy policy) const {
  return explained(*contract_, tensors_of(call), policy);
}

Verdict Checker::explain(std::size_t variant, const CallView& call, Policy policy) const {
  assert(variant < contract_->variants().size());
  return explained(*contract_, tensors_of(contract_->variants()[variant], call), policy);
}

std::optional<BoundNames> Checker::bind(std::span<const std::string_view> inputs,
                                        std::span<const std::string_view> outputs) const {
  for (std::size_t i = 0; i < contract_->variants().size(); ++i) {
    const FlatVariant& variant = contract_->variants()[i];
    if (inputs.size() != variant.input_slots.size()) continue;
    auto input_slots = slots_of(inputs, variant.input_slots), output_slots = slots_of(outputs, variant.output_slots);
    if (input_slots && output_slots) return BoundNames{i, std::move(*input_slots), std::move(*output_slots)};
  }
  return std::nullopt;
}

std::span<const std::string_view> Checker::input_slots(std::size_t variant) const noexcept {
  return contract_->variants()[variant].input_slots;
}
std::span<const std::string_view> Checker::output_slots(std::size_t variant) const noexcept {
  return contract_->variants()[variant].output_slots;
}

}  // namespace tensorspec
