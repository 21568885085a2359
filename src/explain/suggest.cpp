// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/suggest.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "explain/declarations.hpp"
#include "explain/doubts.hpp"
#include "explain/fresh.hpp"
#include "explain/trials.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxFresh = 4;  // calls with fresh sizes on every symbol
constexpr std::size_t kFewCalls = 3;  // with fewer, fresh sizes tell more than a size off the step
constexpr std::size_t kTries = 8;     // for sizes that break a tie

SeenCall as_seen(const Call& call) {
  SeenCall out{{}, call.batch_size};
  for (const TensorInfo& tensor : call.inputs)
    out.extents.insert(out.extents.end(), tensor.shape.begin(), tensor.shape.end());
  return out;
}

// The suggestions for one variant.
class VariantSuggester {
 public:
  VariantSuggester(const Contract& contract, std::size_t index, const SizeLimits& limits)
      : variant_(contract.variants()[index]),
        index_(index),
        limits_(limits),
        axes_(input_axes(variant_)),
        seen_(seen_calls(contract, variant_)),
        symbols_(sizes_of_symbols(variant_, axes_, seen_.accepted, limits)),
        doubts_(doubts_of(variant_)),
        trials_(trials_of(contract, index, axes_, seen_, symbols_)) {
    // A size that sets axes apart must not be given to the others.
    for (const Trial& trial : trials_)
      if (!trial.symbol.empty() && !trial.sizes.empty()) used_[trial.symbol].insert(trial.sizes[0].second);
    // What the model refused to give up is still to be seen at more sizes.
    for (const Trial& trial : trials_)
      if (trial.kind == Trial::Kind::untie && trial.state == Trial::State::refused && !trial.symbol.empty())
        doubts_.push_back({trial.text, kFewCalls + 1 - std::min(seen_.accepted.size(), kFewCalls), {}, {}});
  }

  std::vector<SuggestedCall> run() {
    // Ties first: were they kept by every call, calls would confirm them that the model did not ask for.
    add_alone(Trial::Kind::untie);
    add_alone(Trial::Kind::split_tensor);
    // Another batch size is what the model will most likely take together with other sizes.
    for (Trial& trial : trials_)
      if (trial.kind == Trial::Kind::batch && trial.state == Trial::State::untried) together_.push_back(&trial);
    if (seen_.accepted.size() < kFewCalls || !together_.empty()) add_fresh();
    add_alone(Trial::Kind::off_step);
    while (fresh_ < kMaxFresh && add_fresh()) {}
    for (const auto kind : {Trial::Kind::batch, Trial::Kind::vary, Trial::Kind::split}) add_alone(kind);
    return std::move(out_);
  }

 private:
  // Sizes that keep what ties symbols, but for `untied`.
  Sizes fresh_sizes(const Trial* untied = nullptr) {
    Sizes sizes = choose_sizes(symbols_, used_);
    tie(sizes, untied);
    return sizes;
  }
  void tie(Sizes& sizes, const Trial* untied = nullptr) const {
    for (const Trial& trial : trials_) {
      if (trial.symbol.empty() || trial.kind != Trial::Kind::untie || &trial == untied) continue;
      const auto size = evaluate(*trial.tie, sizes);
      if (size && *size >= 0) sizes[trial.symbol] = *size;
    }
  }

  // One size at a time changed for one that tells more rivals apart.
  void improve(Sizes& sizes) const {
    std::size_t most = told_apart(sizes);
    for (const auto& [name, symbol] : symbols_) {
      std::int64_t best = sizes[name];
      for (const auto& candidate : symbol.candidates) {
        sizes[name] = candidate.size;
        const std::size_t count = told_apart(sizes);
        if (count <= most) continue;
        most = count;
        best = candidate.size;
      }
      sizes[name] = best;
    }
    tie(sizes);
  }
  std::size_t told_apart(const Sizes& sizes) const {
    std::size_t count = 0;
    for (const Doubt& doubt : doubts_) count += doubt.told_apart(sizes);
    return count;
  }

  bool add_fresh() {
    if (symbols_.empty() && together_.empty()) return false;
    Sizes sizes = fresh_sizes();
    improve(sizes);
    ++fresh_;
    auto call = call_of(sizes);
    if (!call) return false;
    for (Trial* trial : together_) take(*trial, *call);
    std::set<std::string> texts;
    for (Doubt& doubt : doubts_) {
      if (!doubt.take(sizes)) continue;
      if (texts.insert(doubt.text).second) call->decides.push_back(doubt.text);
    }
    together_.clear();
    return keep(*std::move(call));
  }

  void add_alone(Trial::Kind kind) {
    for (Trial& trial : trials_) {
      if (trial.kind != kind || (trial.state != Trial::State::untried && trial.state != Trial::State::suspect))
        continue;
      Sizes sizes = fresh_sizes(&trial);
      if (trial.kind == Trial::Kind::off_step) sizes[trial.symbol] = trial.size;
      auto call = trial.without ? call_without(trial) : call_of(sizes);
      if (!call) continue;
      take(trial, *call);
      keep(*std::move(call));
    }
  }

  // A call of the contract that does without the tie: sizes that obey all the rest, and not this.
  std::optional<SuggestedCall> call_without(const Trial& trial) const {
    const Variant& other = *trial.without;
    const std::vector<InputAxis> axes = input_axes(other);
    const auto symbols = sizes_of_symbols(other, axes, seen_.accepted, limits_of(other));
    std::map<std::string, std::set<std::int64_t>> used;
    for (std::size_t tries = 0; tries < kTries; ++tries) {
      const Sizes sizes = choose_sizes(symbols, used);
      const auto call = call_of(other, axes, sizes);
      if (!call) continue;
      const SeenCall made = as_seen(call->call);
      if (evaluate(*trial.tie, sizes_in(variant_, axes_, made)) != made.extents[trial.axis]) return call;
    }
    return std::nullopt;
  }

  // The limits by the names of another contract of the same calls.
  SizeLimits limits_of(const Variant& other) const {
    SizeLimits out;
    for (const Symbol& symbol : other.symbols)
      for (const Symbol& own : variant_.symbols)
        if (const auto limit = limits_.find(own.name); own.at == symbol.at && limit != limits_.end())
          out[symbol.name] = limit->second;
    return out;
  }

  std::optional<SuggestedCall> call_of(const Sizes& sizes) const { return call_of(variant_, axes_, sizes); }
  // The inputs at these sizes; nullopt: the dims have no size there.
  std::optional<SuggestedCall> call_of(const Variant& variant, const std::vector<InputAxis>& axes,
                                       const Sizes& sizes) const {
    SuggestedCall out{index_, {}, {}};
    for (const TensorContract& tensor : variant.inputs)
      out.call.inputs.push_back({tensor.name, tensor.dtypes.empty() ? DType() : tensor.dtypes[0], {}});
    for (const InputAxis& at : axes) {
      const auto size = evaluate(*at.dim, sizes);
      if (!size || *size < 0 || *size > kMaxExtent) return std::nullopt;
      out.call.inputs[at.tensor].shape.push_back(*size);
    }
    if (variant.batch_size) out.call.batch_size = evaluate(*variant.batch_size, sizes);
    else if (!seen_.accepted.empty()) out.call.batch_size = seen_.accepted[0].batch_size;
    return out;
  }

  // Puts what a trial changes into a call.
  void take(Trial& trial, SuggestedCall& call) {
    for (const auto& [axis, size] : trial.sizes) call.call.inputs[axes_[axis].tensor].shape[axes_[axis].axis] = size;
    if (trial.batch_size) call.call.batch_size = trial.batch_size;
    trial.state = Trial::State::proposed;
    call.decides.push_back(trial.text);
  }

  bool keep(SuggestedCall call) {
    if (call.decides.empty()) return false;
    const auto same = [&](const SuggestedCall& other) { return other.call == call.call; };
    if (std::any_of(out_.begin(), out_.end(), same)) return false;
    const SeenCall made = as_seen(call.call);
    for (const auto* calls : {&seen_.accepted, &seen_.rejected})
      if (std::find(calls->begin(), calls->end(), made) != calls->end()) return false;
    out_.push_back(std::move(call));
    return true;
  }

  const Variant& variant_;
  std::size_t index_;
  const SizeLimits& limits_;
  std::vector<InputAxis> axes_;
  SeenCalls seen_;
  std::map<std::string, SymbolSizes> symbols_;
  std::vector<Doubt> doubts_;
  std::vector<Trial> trials_;
  std::vector<Trial*> together_;
  std::map<std::string, std::set<std::int64_t>> used_;
  std::vector<SuggestedCall> out_;
  std::size_t fresh_ = 0;
};

Status check_limits(const Contract& contract, const SizeLimits& limits) {
  for (const auto& [name, limit] : limits) {
    if (limit.min && limit.max && *limit.min > *limit.max)
      return Error{ErrorCode::invalid_argument, name, "the least size is above the largest"};
    const bool known = std::any_of(contract.variants().begin(), contract.variants().end(),
                                   [&, &name = name](const Variant& variant) { return variant.symbol(name); });
    if (!known) return no_symbol(name, contract.variants());
  }
  return {};
}

}  // namespace

Result<std::vector<SuggestedCall>> suggest(const Contract& contract, const SizeLimits& limits) {
  TRY_VOID(check_limits(contract, limits));
  std::vector<SuggestedCall> out;
  for (std::size_t i = 0; i < contract.variants().size(); ++i) {
    auto calls = VariantSuggester(contract, i, limits).run();
    std::move(calls.begin(), calls.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace tensorspec
