// SPDX-License-Identifier: Apache-2.0
//
// Laws of Checker, on random contracts and calls: test, check and explain agree; a call made from sizes that satisfy
// the contract conforms; an oracle that tries all sizes of the symbols agrees with what is refused.
#include "tensorspec/checker.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "support/allocation_count.hpp"

namespace tensorspec {
namespace {

// `cases` random cases. The seed is fixed; a failure prints it and the smallest case found.
template <class Law>
void holds(int cases, Law law) {
  rc::detail::TestMetadata metadata;
  rc::detail::TestParams parameters;
  parameters.seed = 20260101;
  parameters.maxSuccess = cases;
  const auto result = rc::detail::checkTestable(law, metadata, parameters);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ASSERT_TRUE(result.template is<rc::detail::SuccessResult>()) << "seed " << parameters.seed << "\n" << text.str();
}

std::int64_t draw(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }
bool one_in(std::int64_t n) { return draw(1, n) == n; }
template <class T, std::size_t N>
const T& any_of(const T (&list)[N]) {
  return list[draw(0, N - 1)];
}

using Sizes = std::map<std::string, std::int64_t, std::less<>>;
constexpr std::int64_t kLargest = 7;  // of a symbol, so that an oracle can try them all

std::optional<std::int64_t> value(const Dim& dim, const Sizes& sizes) {
  return dim.evaluate([&](std::string_view name) {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

Dim random_dim() {
  static constexpr const char* kForms[] = {"a",           "b",
                                           "c",           "a",
                                           "b",           "1",
                                           "3",           "0",
                                           "a+b",         "2*a",
                                           "3*b+1",       "a+3",
                                           "c-2",         "a-b",
                                           "a+b+c",       "2*c+3*a-1",
                                           "a*b",         "a*b*c",
                                           "a/2",         "3*c/2",
                                           "a*b/2",       "b+1/2",
                                           "a*b+c",       "2*c+a*b",
                                           "ceil(a/2)",   "floor((b+3)/4)*c",
                                           "c+ceil(b/3)", "2*ceil(c/2)",
                                           "7-a",         "1/2"};
  return Dim::parse(any_of(kForms)).value();
}

TensorContract random_tensor(const std::string& name) {
  static constexpr const char* kDtypes[] = {"int64", "float32", "bool", "<V2", "object"};
  TensorContract tensor;
  tensor.name = name;
  for (std::int64_t n = draw(0, 2); n > 0; --n) {
    const DType dtype = DType::from_text(any_of(kDtypes));
    if (std::find(tensor.dtypes.begin(), tensor.dtypes.end(), dtype) == tensor.dtypes.end())
      tensor.dtypes.push_back(dtype);
  }
  for (std::int64_t axes = draw(0, 3); axes > 0; --axes) tensor.shape.push_back(random_dim());
  return tensor;
}

Claim random_claim(const TensorContract& tensor, std::size_t axis, bool output) {
  Claim claim;
  claim.output = output;
  claim.tensor = tensor.name;
  claim.axis = axis;
  claim.dim = one_in(6) ? random_dim() : tensor.shape[axis];
  claim.certainty = static_cast<Certainty>(draw(0, 3));
  for (std::int64_t n = draw(0, 3); n > 0; --n)
    claim.rivals.push_back(one_in(5) ? Dim::parse("a+zz").value() : random_dim());
  return claim;
}

Symbol random_symbol(const char* name, bool bounded) {
  Symbol symbol;
  symbol.name = name;
  if (bounded || draw(0, 1)) symbol.min = draw(0, 3);
  if (bounded || draw(0, 1)) symbol.max = draw(symbol.min.value_or(0), kLargest);
  symbol.multiple_of = one_in(3) ? draw(2, 6) : 1;
  symbol.residue = draw(0, symbol.multiple_of - 1);
  // A symbol without a size is no contract.
  const auto on_step = [&] {
    for (std::int64_t size = symbol.min.value_or(0); size <= *symbol.max; ++size)
      if (size % symbol.multiple_of == symbol.residue) return true;
    return false;
  };
  while (symbol.max && !on_step()) ++*symbol.max;
  symbol.seen_multiple_of = one_in(4) ? draw(2, 6) : 1;
  symbol.seen_residue = draw(0, symbol.seen_multiple_of - 1);
  return symbol;
}

// sure: what breaks a claim is refused and symbols have a range.
Variant random_variant(bool sure) {
  Variant variant;
  for (const char* name : {"a", "b", "c"}) variant.symbols.push_back(random_symbol(name, sure));
  if (sure)
    for (Symbol& symbol : variant.symbols) symbol.seen_multiple_of = 1, symbol.seen_residue = 0;
  for (std::int64_t i = 0, n = draw(1, 3); i < n; ++i) {
    variant.inputs.push_back(random_tensor("input" + std::to_string(i)));
    variant.inputs.back().optional = one_in(12);
  }
  for (std::int64_t i = 0, n = draw(0, 2); i < n; ++i) {
    variant.outputs.push_back(random_tensor("y" + std::to_string(i)));
    variant.outputs.back().optional = one_in(4);
    if (!one_in(6)) continue;
    TensorContract twin = random_tensor(variant.outputs.back().name);
    if (twin.shape.size() != variant.outputs.back().shape.size()) variant.outputs.push_back(std::move(twin));
  }
  static constexpr const char* kBatches[] = {"a", "a", "2*a", "a+b", "4", "a*c"};
  if (draw(0, 2) != 0) variant.batch_size = Dim::parse(any_of(kBatches)).value();
  if (!sure)
    for (const bool output : {false, true})
      for (const TensorContract& tensor : output ? variant.outputs : variant.inputs)
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
          if (one_in(3)) variant.claims.push_back(random_claim(tensor, axis, output));
  if (!sure && one_in(3)) variant.bounds.push_back({"a", one_in(2) ? "b" : "c", 20, {}});
  return variant;
}

Sizes random_sizes(const Variant& variant) {
  Sizes sizes;
  for (const Symbol& symbol : variant.symbols) {
    std::vector<std::int64_t> allowed;
    for (std::int64_t size = symbol.min.value_or(0); size <= symbol.max.value_or(40); ++size)
      if (size % symbol.multiple_of == symbol.residue && size % symbol.seen_multiple_of == symbol.seen_residue)
        allowed.push_back(size);
    sizes[symbol.name] =
        allowed.empty() ? 0 : allowed[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(allowed.size()) - 1))];
  }
  return sizes;
}

// What the contract says of these sizes; where it says nothing that is a size, any.
Call call_of(const Variant& variant, const Sizes& sizes) {
  const auto size = [&](const Dim& dim) {
    const auto found = value(dim, sizes);
    return found && *found >= 0 ? *found : draw(0, 4);
  };
  Call call;
  const bool answered = draw(0, 1) != 0;
  for (const bool output : {false, true})
    for (const TensorContract& tensor : output ? variant.outputs : variant.inputs) {
      auto& group = output ? call.outputs : call.inputs;
      if ((output && !answered) || (tensor.optional && draw(0, 1)) ||
          (!group.empty() && group.back().name == tensor.name))
        continue;
      TensorInfo info;
      info.name = tensor.name;
      if (!tensor.dtypes.empty())
        info.dtype =
            tensor.dtypes[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(tensor.dtypes.size()) - 1))];
      for (const Dim& dim : tensor.shape) info.shape.push_back(size(dim));
      group.push_back(std::move(info));
    }
  if (draw(0, 1))
    call.batch_size = variant.batch_size ? std::max<std::int64_t>(1, size(*variant.batch_size)) : draw(1, 9);
  return call;
}

void change_one_axis(Call& call) {
  std::vector<std::int64_t*> extents;
  for (auto* group : {&call.inputs, &call.outputs})
    for (TensorInfo& tensor : *group)
      for (std::int64_t& extent : tensor.shape) extents.push_back(&extent);
  if (extents.empty()) return;
  std::int64_t& extent = *extents[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(extents.size()) - 1))];
  switch (draw(0, 4)) {
    case 0: extent += 1; break;
    case 1: extent = std::max<std::int64_t>(0, extent - 1); break;
    case 2: extent = std::min(extent, kMaxExtent / 2) * 2; break;
    case 3: extent = draw(0, 9); break;
    default: extent = kMaxExtent - draw(0, 2);
  }
}

void damage(Call& call) {
  auto& group = !call.outputs.empty() && draw(0, 1) ? call.outputs : call.inputs;
  const std::size_t last =
      group.empty() ? 0 : static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(group.size()) - 1));
  if (group.empty()) return;
  static constexpr const char* kDtypes[] = {"int64", "float16", "object", "<V4", ""};
  switch (draw(0, 9)) {
    case 0: group.erase(group.begin() + static_cast<std::ptrdiff_t>(last)); break;
    case 1: group.insert(group.begin(), {"more", DType(DType::Kind::int8), {1, 2}}); break;
    case 2: group[last].shape.push_back(1); break;
    case 3:
      if (!group[last].shape.empty()) group[last].shape.pop_back();
      break;
    case 4: group[last].dtype = DType::from_text(any_of(kDtypes)); break;
    case 5: call.batch_size = draw(1, 9); break;
    case 6: std::reverse(call.inputs.begin(), call.inputs.end()); break;
    case 7: std::reverse(call.outputs.begin(), call.outputs.end()); break;
    default: change_one_axis(call);
  }
}

std::string text_of(const Violation& v) {
  return std::string(to_string(v.code)) + " " + v.expected + " " + v.actual + " " + v.message;
}
std::string text_of(const Verdict& verdict) {
  std::string out = verdict.ok ? "ok" : "not ok";
  out += verdict.variant ? " variant " + std::to_string(*verdict.variant) : " no variant";
  for (const Violation& violation : verdict.violations) out += "\n" + text_of(violation);
  for (const Violation& warning : verdict.warnings) out += "\nwarning " + text_of(warning);
  return out;
}
std::string text_of(const Call& call) {
  std::string out = call.batch_size ? std::to_string(*call.batch_size) : "-";
  for (const auto* group : {&call.inputs, &call.outputs}) {
    out += " |";
    for (const TensorInfo& tensor : *group) {
      out += " " + tensor.name + " " + std::string(tensor.dtype.name());
      for (const std::int64_t extent : tensor.shape) out += "," + std::to_string(extent);
    }
  }
  return out;
}

// The name of the tensor that an outcome is about; name_of gives that of an unexpected one.
template <class NameOf>
std::string summary(const Contract& contract, const Outcome& outcome, const NameOf& name_of) {
  std::string out = outcome.ok ? "ok" : "not ok";
  out += outcome.variant == Outcome::kNone ? " no variant" : " variant " + std::to_string(outcome.variant);
  if (outcome.warned) out += " warned";
  if (outcome.ok && !outcome.warned) return out;
  out += " " + std::string(to_string(outcome.code)) + " ";
  if (outcome.code == Violation::Code::unexpected_tensor) {
    out += name_of(outcome.output, outcome.tensor);
  } else if (outcome.tensor != Outcome::kNone) {
    const Variant& variant = contract.variants()[outcome.variant];
    out += (outcome.output ? variant.outputs : variant.inputs)[outcome.tensor].name;
  }
  if (outcome.axis != Outcome::kNoAxis) out += " axis " + std::to_string(outcome.axis);
  return out;
}
std::string summary(const Verdict& verdict) {
  std::string out = verdict.ok ? "ok" : "not ok";
  out += verdict.variant ? " variant " + std::to_string(*verdict.variant) : " no variant";
  if (!verdict.warnings.empty()) out += " warned";
  if (verdict.violations.empty() && verdict.warnings.empty()) return out;
  const Violation& first = verdict.ok ? verdict.warnings[0] : verdict.violations[0];
  out += " " + std::string(to_string(first.code)) + " " + first.tensor;
  if (first.axis) out += " axis " + std::to_string(*first.axis);
  return out;
}

// The tensors of a call in the slots of a variant; nullopt when one has no slot or a name stands twice.
struct Slots {
  std::vector<TensorView> inputs, outputs;
};
std::optional<Slots> slots_of(const Checker& checker, std::size_t variant, const Call& call) {
  Slots slots;
  const auto fill = [](std::span<const std::string_view> names, const std::vector<TensorInfo>& tensors,
                       std::vector<TensorView>& out) {
    out.resize(names.size());
    for (const TensorInfo& tensor : tensors) {
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), tensor.name) - names.begin());
      if (at == names.size() || out[at].present()) return false;
      out[at] = tensor;
    }
    return true;
  };
  if (!fill(checker.input_slots(variant), call.inputs, slots.inputs)) return std::nullopt;
  if (!call.outputs.empty() && !fill(checker.output_slots(variant), call.outputs, slots.outputs)) return std::nullopt;
  return slots;
}

constexpr Policy kPolicies[] = {Policy::relations, Policy::range, Policy::seen};

// Tensors that are not expected are told in the order in which they were given, which slots change.
std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

void agree_in_slots(const Contract& contract, const Checker& checker, const Call& call, Policy policy,
                    const Verdict& verdict) {
  for (std::size_t v = 0; v < contract.variants().size(); ++v) {
    const auto slots = slots_of(checker, v, call);
    if (!slots) continue;
    const CallView view{slots->inputs, slots->outputs, call.batch_size};
    const std::size_t before = tests::allocation_count();
    const Outcome outcome = checker.test(v, view, policy);
    const std::size_t allocated = tests::allocation_count() - before;
    RC_ASSERT(allocated == 0u);
    const Verdict explained = checker.explain(v, view, policy);
    const std::string told = summary(contract, outcome, [&](bool output, std::uint32_t slot) {
      return std::string((output ? checker.output_slots(v) : checker.input_slots(v))[slot]);
    });
    if (told != summary(explained) || sorted_lines(text_of(explained)) != sorted_lines(text_of(verdict)))
      RC_FAIL(contract.to_json(false) + "\n" + text_of(call) + "\ntest in slots: " + told +
              "\nexplain in slots: " + text_of(explained) + "\nexplain: " + text_of(verdict));
  }
}

void agree(const Contract& contract, const Checker& checker, const Call& call) {
  for (const Policy policy : kPolicies) {
    const std::size_t before = tests::allocation_count();
    const Outcome outcome = checker.test(call, policy);
    const std::size_t allocated = tests::allocation_count() - before;
    RC_ASSERT(allocated == 0u);
    const Verdict verdict = checker.explain(call, policy);
    RC_ASSERT(verdict.ok == verdict.violations.empty());
    const std::string told = summary(contract, outcome, [&](bool output, std::uint32_t tensor) {
      return (output ? call.outputs : call.inputs)[tensor].name;
    });
    if (told != summary(verdict) || text_of(checker.check(call, policy)) != text_of(verdict))
      RC_FAIL(contract.to_json(false) + "\n" + text_of(call) + "\ntest: " + told + "\nexplain: " + text_of(verdict));
    agree_in_slots(contract, checker, call, policy, verdict);
  }
}

Contract random_contract(bool sure) {
  Contract::Data data;
  data.variants.push_back(random_variant(sure));
  if (one_in(3)) data.variants.push_back(random_variant(sure));
  auto made = Contract::make(std::move(data));
  RC_PRE(made.ok());
  return std::move(made).value();
}

const Variant& any_variant(const Contract& contract) {
  return contract
      .variants()[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(contract.variants().size()) - 1))];
}

TEST(CheckerLaws, TestCheckAndExplainAgree) {
  holds(1500, [] {
    Contract contract = random_contract(false);
    // Some of the shapes that a contract may have seen, in samples large and small.
    Evidence evidence(static_cast<std::size_t>(draw(1, 6)));
    std::vector<Call> calls;
    for (int i = 0; i < 4; ++i) {
      const Variant& variant = any_variant(contract);
      calls.push_back(call_of(variant, random_sizes(variant)));
    }
    for (std::int64_t n = draw(0, 3); n > 0; --n) (void)evidence.add(calls[static_cast<std::size_t>(n)]);
    Contract::Data data = contract.data();
    data.evidence = evidence;
    contract = Contract::make(std::move(data)).value();
    const Checker checker(contract);
    for (const Call& call : calls) agree(contract, checker, call);
    for (Call& call : calls) {
      change_one_axis(call);
      agree(contract, checker, call);
      damage(call);
      damage(call);
      agree(contract, checker, call);
    }
  });
}

// Some sizes of the symbols, inside their ranges and strides, give this call. Every dim of a tensor that is there
// counts.
bool possible(const Variant& variant, const Call& call) {
  Sizes sizes;
  const auto fits = [&] {
    for (const bool output : {false, true})
      for (const TensorInfo& tensor : output ? call.outputs : call.inputs)
        for (const TensorContract& contract : output ? variant.outputs : variant.inputs)
          for (std::size_t axis = 0; contract.name == tensor.name && contract.shape.size() == tensor.shape.size() &&
                                     axis < tensor.shape.size();
               ++axis)
            if (value(contract.shape[axis], sizes) != tensor.shape[axis]) return false;
    return !variant.batch_size || !call.batch_size || value(*variant.batch_size, sizes) == *call.batch_size;
  };
  const std::function<bool(std::size_t)> try_from = [&](std::size_t i) {
    if (i == variant.symbols.size()) return fits();
    const Symbol& symbol = variant.symbols[i];
    for (std::int64_t size = *symbol.min; size <= *symbol.max; ++size) {
      if (size % symbol.multiple_of != symbol.residue) continue;
      sizes[symbol.name] = size;
      if (try_from(i + 1)) return true;
    }
    return false;
  };
  return try_from(0);
}

// The checker solves in one pass what the oracle finds by trying everything.
TEST(CheckerLaws, WhatSomeSizesExplainConforms) {
  holds(600, [] {
    Contract::Data data;
    data.variants.push_back(random_variant(true));
    for (TensorContract& tensor : data.variants[0].inputs) tensor.optional = false;
    // Half of the time every symbol is an axis of its own; then nothing else conforms.
    const bool complete = draw(0, 1) != 0;
    if (complete)
      data.variants[0].inputs.insert(data.variants[0].inputs.begin(),
                                     {"sizes", {}, {Dim::symbol("a"), Dim::symbol("b"), Dim::symbol("c")}, false, {}});
    const Contract contract = Contract::make(std::move(data)).value();
    const Checker checker(contract);
    const Variant& variant = contract.variants()[0];
    for (int i = 0; i < 8; ++i) {
      Call call = call_of(variant, random_sizes(variant));
      if (i % 2 == 1) change_one_axis(call);
      const bool wanted = possible(variant, call), ok = checker.test(call).ok;
      if (wanted ? !ok : ok && complete)
        RC_FAIL(contract.to_json(false) + "\n" + text_of(call) + "\n" + text_of(checker.explain(call)));
    }
  });
}

}  // namespace
}  // namespace tensorspec
