// SPDX-License-Identifier: Apache-2.0
//
// Laws of explain, on random models: a contract accepts what it was learned from; the order of calls leaves no trace;
// renaming and reordering tensors changes names only.
#include "tensorspec/explain.hpp"
#include "support/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tensorspec/checker.hpp"

namespace tensorspec {
namespace {

using Random = std::mt19937_64;

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Tensors whose axes are constants or forms over four sizes.
struct Model {
  struct Tensor {
    std::string name;
    bool output;
    std::vector<Dim> shape;
  };
  std::vector<Tensor> tensors;

  static Model random(Random& random) {
    static const char* kForms[] = {"b", "b",   "b",   "s",   "s",   "p",    "p+s",
                                   "h", "2*b", "s+1", "4*s", "b*s", "32*h", "p+2*s"};
    static const char* kOutputs[] = {"b",
                                     "s",
                                     "p+s",
                                     "ceil(s/2)",
                                     "floor((s+5)/8)",
                                     "b*h",
                                     "ceil(h/4)*ceil(s/4)",
                                     "floor(h/2)*floor(s/2)+1",
                                     "s*h+1",
                                     "8*ceil(s/8)"};
    Model model;
    const std::int64_t inputs = draw(random, 1, 4), outputs = draw(random, 0, 3);
    for (std::int64_t t = 0; t < inputs + outputs; ++t) {
      Tensor tensor{"t" + std::to_string(t), t >= inputs, {}};
      for (std::int64_t axis = draw(random, 1, 4); axis > 0; --axis) {
        if (draw(random, 0, 3) == 0) tensor.shape.emplace_back(draw(random, 1, 3));
        else if (tensor.output) tensor.shape.push_back(Dim::parse(kOutputs[draw(random, 0, 9)]).value());
        else tensor.shape.push_back(Dim::parse(kForms[draw(random, 0, 13)]).value());
      }
      model.tensors.push_back(std::move(tensor));
    }
    return model;
  }

  // full: with batch size and outputs; otherwise now and then without.
  Call call(Random& random, bool full) const {
    const std::map<std::string, std::int64_t, std::less<>> sizes = {
        {"b", draw(random, 1, 4)}, {"s", draw(random, 1, 40)}, {"p", draw(random, 0, 40)}, {"h", draw(random, 1, 12)}};
    Call call;
    const bool answered = full || draw(random, 0, 3) != 0;
    if (full || draw(random, 0, 3) != 0) call.batch_size = sizes.at("b");
    for (const Tensor& tensor : tensors) {
      if (tensor.output && !answered) continue;
      TensorInfo info;
      info.name = tensor.name;
      info.dtype = DType(DType::Kind::float32);
      for (const Dim& dim : tensor.shape)
        info.shape.push_back(
            *dim.evaluate([&](std::string_view name) { return std::optional(sizes.find(name)->second); }));
      (tensor.output ? call.outputs : call.inputs).push_back(std::move(info));
    }
    return call;
  }
};

Evidence evidence_of(const std::vector<Call>& calls, std::size_t sample = Evidence::kDefaultSampleSize) {
  Evidence evidence(sample);
  for (const Call& call : calls) EXPECT_TRUE(evidence.add(call).ok());
  return evidence;
}

std::string judged(const Verdict& verdict) {
  std::string out;
  for (const Violation& violation : verdict.violations) out += violation.message + "\n";
  for (const Violation& warning : verdict.warnings) out += "warning: " + warning.message + "\n";
  return out;
}

TEST(ExplainLaws, AContractAcceptsWhatItWasLearnedFrom) {
  for (std::uint64_t seed = 1; seed <= tests::cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = Model::random(random);
    std::vector<Call> calls;
    for (std::int64_t i = draw(random, 1, 12); i > 0; --i) calls.push_back(model.call(random, false));
    const auto contract = explain(evidence_of(calls));
    ASSERT_TRUE(contract.ok()) << contract.error().message();
    const Checker checker(*contract);
    for (const Policy policy : {Policy::relations, Policy::range, Policy::seen})
      for (const Call& call : calls) ASSERT_EQ(judged(checker.check(call, policy)), "") << contract->to_json(false);
    // What is saved says as much.
    const auto read = Contract::from_json(contract->to_json());
    ASSERT_TRUE(read.ok());
    const Checker again(*read);
    for (const Call& call : calls) ASSERT_EQ(judged(again.check(call, Policy::seen)), "");
  }
}

// More distinct calls than the sample holds: only what is not affine may warn.
TEST(ExplainLaws, ABoundedSampleRefusesNothingThatWasSeen) {
  for (std::uint64_t seed = 1; seed <= tests::cases(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = Model::random(random);
    std::vector<Call> calls;
    for (int i = 0; i < 60; ++i) calls.push_back(model.call(random, true));
    const auto contract = explain(evidence_of(calls, 8));
    ASSERT_TRUE(contract.ok());
    const Checker checker(*contract);
    for (const Policy policy : {Policy::range, Policy::seen})
      for (const Call& call : calls) {
        const Verdict verdict = checker.check(call, policy);
        ASSERT_TRUE(verdict.ok) << judged(verdict) << contract->to_json(false);
      }
  }
}

// Arithmetic that does not fit is no form, and nothing wraps.
TEST(ExplainLaws, HugeSizesAreSizes) {
  for (std::uint64_t seed = 1; seed <= tests::cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Call> calls;
    for (std::int64_t i = draw(random, 2, 8); i > 0; --i) {
      Call call;
      for (const char* name : {"x", "y"}) {
        TensorInfo tensor;
        tensor.name = name;
        tensor.dtype = DType(DType::Kind::float32);
        for (int axis = 0; axis < 2; ++axis)
          tensor.shape.push_back(kMaxExtent - draw(random, 0, 3) * draw(random, 0, 1));
        if (draw(random, 0, 3) == 0) tensor.shape[0] = draw(random, 0, 5);
        (name[0] == 'x' ? call.inputs : call.outputs).push_back(std::move(tensor));
      }
      calls.push_back(std::move(call));
    }
    const auto contract = explain(evidence_of(calls));
    ASSERT_TRUE(contract.ok());
    const Checker checker(*contract);
    for (const Call& call : calls) EXPECT_EQ(judged(checker.check(call)), "");
  }
}

TEST(ExplainLaws, TheOrderOfCallsLeavesNoTrace) {
  for (std::uint64_t seed = 1; seed <= tests::cases(25); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = Model::random(random);
    std::vector<Call> calls;
    for (int i = 0; i < 8; ++i) calls.push_back(model.call(random, false));
    const std::string first = explain(evidence_of(calls))->to_json();
    std::shuffle(calls.begin(), calls.end(), random);
    EXPECT_EQ(explain(evidence_of(calls))->to_json(), first);
  }
}

// Dims by "tensor/axis", with each symbol called by the first axis that it is alone on.
std::map<std::string, std::string> dims_by_axis(const Contract& contract,
                                                const std::map<std::string, std::string>& original) {
  const Variant& variant = contract.variants()[0];
  std::map<std::string, std::string> first;  // symbol to axis
  std::map<std::string, const Dim*> dims;
  for (const auto* group : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *group)
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const std::string place = original.at(tensor.name) + "_" + std::to_string(axis);
        dims[place] = &tensor.shape[axis];
        const std::string* symbol = tensor.shape[axis].as_symbol();
        if (symbol && (!first.contains(*symbol) || place < first[*symbol])) first[*symbol] = place;
      }
  std::map<std::string, Dim> names;
  for (const auto& [symbol, place] : first) names.emplace(symbol, Dim::symbol("at_" + place));
  std::map<std::string, std::string> out;
  for (const auto& [place, dim] : dims) out[place] = dim->substitute(names)->to_string();
  return out;
}

TEST(ExplainLaws, RenamingAndReorderingTensorsChangesNamesOnly) {
  for (std::uint64_t seed = 1; seed <= tests::cases(50); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = Model::random(random);
    std::vector<Call> calls;
    const bool told = draw(random, 0, 1) == 1;
    for (std::int64_t i = draw(random, 2, 10); i > 0; --i) calls.push_back(model.call(random, true));
    std::map<std::string, std::string> same, renamed, original;
    std::vector<std::string> fresh;
    for (std::size_t i = 0; i < model.tensors.size(); ++i) fresh.push_back("n" + std::to_string(i));
    std::shuffle(fresh.begin(), fresh.end(), random);
    for (std::size_t i = 0; i < model.tensors.size(); ++i) {
      same[model.tensors[i].name] = model.tensors[i].name;
      renamed[model.tensors[i].name] = fresh[i];
      original[fresh[i]] = model.tensors[i].name;
    }
    std::vector<Call> others;
    for (Call& call : calls) {
      if (!told) call.batch_size.reset();
      Call other = call;
      for (auto* group : {&other.inputs, &other.outputs}) {
        for (TensorInfo& tensor : *group) tensor.name = renamed[tensor.name];
        std::sort(group->begin(), group->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      }
      others.push_back(std::move(other));
    }
    EXPECT_EQ(dims_by_axis(*explain(evidence_of(calls)), same), dims_by_axis(*explain(evidence_of(others)), original));
  }
}

}  // namespace
}  // namespace tensorspec
