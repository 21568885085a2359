// SPDX-License-Identifier: Apache-2.0
#include "export/sizes.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

using diffing::Domain;
using diffing::Domains;
using diffing::Sizes;

// Assignments tried when no call tells the sizes.
constexpr std::size_t kMaxTried = 20'000;

// All dims of the inputs, each once; those that are a symbol first.
std::vector<const Dim*> distinct_dims(const std::vector<TensorContract>& tensors) {
  std::vector<const Dim*> out;
  for (const TensorContract& tensor : tensors)
    for (const Dim& dim : tensor.shape) out.push_back(&dim);
  std::sort(out.begin(), out.end(), [](const Dim* a, const Dim* b) {
    const bool bare_a = a->as_symbol() != nullptr, bare_b = b->as_symbol() != nullptr;
    return bare_a != bare_b ? bare_a : Dim::compare(*a, *b) < 0;
  });
  out.erase(std::unique(out.begin(), out.end(), [](const Dim* a, const Dim* b) { return *a == *b; }), out.end());
  return out;
}

bool evaluates(const std::vector<const Dim*>& dims, const Sizes& sizes) {
  return std::all_of(dims.begin(), dims.end(), [&](const Dim* dim) {
    const auto size = diffing::evaluate(*dim, sizes);
    return size && *size >= 0;
  });
}

bool inside(const Sizes& sizes, const Domains& domains) {
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& entry) {
    const auto domain = domains.find(entry.first);
    return domain == domains.end() || domain->second.contains(entry.second);
  });
}

// The extents of the inputs, in the order of the variant, that calls had, with how often.
std::map<Shape, std::uint64_t> observed_inputs(const Evidence& evidence, const Variant& variant) {
  std::map<Shape, std::uint64_t> out;
  std::vector<TensorSlot> slots;
  for (const TensorContract& tensor : variant.inputs) slots.push_back({tensor.name, tensor.shape.size()});
  std::sort(slots.begin(), slots.end());
  for (const auto& [signature, state] : evidence.states()) {
    if (signature.inputs != slots) continue;
    std::vector<std::size_t> columns;
    for (const TensorContract& tensor : variant.inputs) {
      std::size_t column = 0;
      for (const TensorSlot& slot : slots) {
        if (slot.name == tensor.name) break;
        column += slot.rank;
      }
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) columns.push_back(column + axis);
    }
    for (const auto& [key, count] : state.sample().entries()) {
      Shape extents;
      for (const std::size_t column : columns) extents.push_back(key.extents[column]);
      std::uint64_t& total = out[std::move(extents)];
      total = saturating_add(total, count);
    }
  }
  return out;
}

// The calls by how often they were made; of as many, the one whose sizes are the most common ones, then the larger.
std::vector<const Shape*> by_frequency(const std::map<Shape, std::uint64_t>& calls) {
  std::map<std::pair<std::size_t, std::int64_t>, std::uint64_t> common;
  for (const auto& [extents, count] : calls)
    for (std::size_t column = 0; column < extents.size(); ++column) {
      std::uint64_t& total = common[{column, extents[column]}];
      total = saturating_add(total, count);
    }
  std::vector<std::tuple<std::uint64_t, std::uint64_t, const Shape*>> ranked;
  for (const auto& [extents, count] : calls) {
    std::uint64_t score = 0;
    for (std::size_t column = 0; column < extents.size(); ++column)
      score = saturating_add(score, common[{column, extents[column]}]);
    ranked.emplace_back(count, score, &extents);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    const auto& [count_a, score_a, extents_a] = a;
    const auto& [count_b, score_b, extents_b] = b;
    return std::tie(count_b, score_b, *extents_b) < std::tie(count_a, score_a, *extents_a);
  });
  std::vector<const Shape*> out;
  for (const auto& entry : ranked) out.push_back(std::get<2>(entry));
  return out;
}

// Sizes of the symbols that give the inputs these extents.
std::optional<Sizes> solve(const Variant& variant, const Shape& extents, const Domains& domains,
                           diffing::Effort& effort) {
  std::vector<diffing::Equation> equations;
  Sizes bare;
  std::size_t column = 0;
  for (const TensorContract& tensor : variant.inputs)
    for (const Dim& dim : tensor.shape) {
      const std::int64_t size = extents[column++];
      if (const std::string* name = dim.as_symbol()) {
        const auto domain = domains.find(*name);
        if (domain != domains.end() && !domain->second.contains(size)) return std::nullopt;
        if (bare.emplace(*name, size).first->second != size) return std::nullopt;
      }
      equations.push_back({&dim, size});
    }
  Sizes found;
  if (diffing::find_parameters(equations, domains, effort, found) != diffing::Answer::yes) return std::nullopt;
  return found;
}

std::optional<Sizes> opt_of_calls(const Contract& contract, const Variant& variant, const Domains& domains) {
  if (!contract.evidence()) return std::nullopt;
  const auto calls = observed_inputs(*contract.evidence(), variant);
  diffing::Effort effort;
  for (const Shape* extents : by_frequency(calls)) {
    if (effort.left < 0) return std::nullopt;
    auto sizes = solve(variant, *extents, domains, effort);
    if (sizes && inside(*sizes, domains)) return sizes;
  }
  return std::nullopt;
}

// Without a call: typical sizes, else the largest, else small ones, the first combination that fits every expression.
std::optional<Sizes> opt_of_ranges(const Variant& variant, const Domains& domains) {
  const std::vector<const Dim*> dims = distinct_dims(variant.inputs);
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> candidates;
  for (const auto& [name, domain] : domains) {
    std::vector<std::int64_t> sizes;
    const auto offer = [&](std::optional<std::int64_t> size) {
      if (size && domain.contains(*size) && std::find(sizes.begin(), sizes.end(), *size) == sizes.end())
        sizes.push_back(*size);
    };
    const Symbol* symbol = variant.symbol(name);
    if (symbol != nullptr) offer(symbol->typical);
    if (domain.high != diffing::kNoLimit) offer(domain.high);
    offer(domain.at_least(2));
    offer(domain.low);
    for (std::int64_t step = 1; step < 8; ++step) offer(domain.at_least(domain.low + step));
    candidates.emplace_back(name, std::move(sizes));
  }
  Sizes sizes;
  std::size_t tried = 0;
  const std::function<bool(std::size_t)> place = [&](std::size_t at) {
    if (at == candidates.size()) return ++tried, evaluates(dims, sizes);
    for (const std::int64_t size : candidates[at].second) {
      sizes[candidates[at].first] = size;
      if (place(at + 1)) return true;
      if (tried > kMaxTried) return false;
    }
    return false;
  };
  return place(0) ? std::optional(sizes) : std::nullopt;
}

// "320..1632 in steps of 32 is what the contract has"
std::string text_of(const Domain& domain) {
  std::string out = std::to_string(domain.low) + "..";
  if (domain.high != diffing::kNoLimit) out += std::to_string(domain.high);
  if (domain.step > 1) out += " in steps of " + std::to_string(domain.step);
  return out + " is what the contract has";
}

Result<Domains> domains_of(const Variant& variant, const Profile* profile) {
  Domains out;
  for (const Symbol& symbol : variant.symbols) out[symbol.name] = Domain::of(symbol);
  if (profile == nullptr) return out;
  for (auto& [name, domain] : out) {
    const auto found = profile->symbols.find(name);
    if (found == profile->symbols.end()) continue;  // any size
    const auto& [min, opt, max] = found->second;
    if (min > opt || opt > max)
      return Error{ErrorCode::profile_mismatch, name,
                   std::to_string(min) + ".." + std::to_string(opt) + ".." + std::to_string(max) +
                       " are not in ascending order"};
    // The largest size seen is no limit that a model has: plans round it up.
    const bool declared = variant.symbol(name)->declared;
    const Domain allowed{domain.low, declared ? domain.high : diffing::kNoLimit, domain.step};
    for (const std::int64_t size : {min, opt, max})
      if (!allowed.contains(size))
        return Error{ErrorCode::profile_mismatch, name, std::to_string(size) + " is no size of it: " + text_of(domain)};
    domain = {min, max, domain.step};
  }
  for (const auto& [name, range] : profile->symbols)
    if (!out.contains(name)) return Error{ErrorCode::profile_mismatch, name, "the contract has no such symbol"};
  return out;
}

// What fits the expressions of outputs has no call of its own: a symbol of outputs alone is typical or the least.
void complete(const Variant& variant, const Domains& domains, Sizes& sizes) {
  for (const auto& [name, domain] : domains) {
    if (sizes.contains(name)) continue;
    const Symbol* symbol = variant.symbol(name);
    const bool typical = symbol != nullptr && symbol->typical && domain.contains(*symbol->typical);
    sizes[name] = typical ? *symbol->typical : domain.low;
  }
}

Result<std::vector<TensorSizes>> tensor_sizes(const std::vector<TensorContract>& tensors, const SizeBox& box,
                                              bool outputs) {
  std::vector<TensorSizes> out;
  for (const TensorContract& tensor : tensors) {
    TensorSizes& axes = out.emplace_back();
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Dim& dim = tensor.shape[axis];
      const auto opt = diffing::evaluate(dim, box.opt);
      if (!outputs && (!opt || *opt < 0))
        return Error{ErrorCode::export_no_sizes, axis_name(tensor.name, axis), dim.to_string() + " has no size there"};
      const diffing::Interval limits = diffing::bounds(dim, box.domains);
      AxisSizes& sizes = axes.emplace_back();
      sizes.min = std::max<std::int64_t>(limits.low, 0);
      if (limits.high != diffing::kNoLimit) sizes.max = std::max(limits.high, sizes.min);
      sizes.opt = opt && *opt >= 0 ? *opt : sizes.min;
    }
  }
  return out;
}

Result<SizeBox> box_of(const Contract& contract, const Variant& variant, const Profile* profile) {
  SizeBox box;
  TRY(box.domains, domains_of(variant, profile));
  // Symbols of the inputs are what a call must fit; the others follow.
  Domains asked;
  for (const TensorContract& tensor : variant.inputs)
    for (const Dim& dim : tensor.shape)
      for (const std::string& name : dim.symbols()) asked[name] = box.domains[name];
  const auto told = profile == nullptr ? 0 : std::count_if(asked.begin(), asked.end(), [&](const auto& entry) {
    return profile->symbols.contains(entry.first);
  });
  // What a profile does not tell is as without it, in what the profile leaves.
  if (static_cast<std::size_t>(told) < asked.size() || profile == nullptr) {
    if (auto seen = opt_of_calls(contract, variant, asked)) {
      box.opt = *std::move(seen);
    } else if (auto tried = opt_of_ranges(variant, asked)) {
      box.opt = *std::move(tried);
      box.guessed = std::any_of(box.opt.begin(), box.opt.end(), [&](const auto& entry) {
        const Symbol* symbol = variant.symbol(entry.first);
        return symbol == nullptr || symbol->typical != entry.second;
      });
    } else {
      return Error{ErrorCode::export_no_sizes, "", "the ranges of the symbols leave none"};
    }
  }
  if (profile != nullptr) {
    for (const auto& [name, range] : profile->symbols) box.opt[name] = range.opt;
    if (!evaluates(distinct_dims(variant.inputs), box.opt))
      return Error{ErrorCode::profile_mismatch, "", "its opt sizes do not fit every expression"};
  }
  complete(variant, box.domains, box.opt);
  TRY(box.inputs, tensor_sizes(variant.inputs, box, false));
  TRY(box.outputs, tensor_sizes(variant.outputs, box, true));
  return box;
}

}  // namespace

Result<std::vector<SizeBox>> boxes_of(const Contract& contract, const Variant& variant,
                                      const std::vector<Profile>& profiles) {
  std::vector<SizeBox> out;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    auto box = box_of(contract, variant, &profiles[i]);
    if (!box.ok()) return within(std::move(box).error(), "profile " + std::to_string(i), ":");
    out.push_back(std::move(box).value());
  }
  if (profiles.empty()) {
    TRY(SizeBox box, box_of(contract, variant, nullptr));
    out.push_back(std::move(box));
  }
  return out;
}

Status need_limits(const Variant& variant, const std::vector<SizeBox>& boxes) {
  std::set<std::string> unlimited;
  for (const SizeBox& box : boxes)
    for (std::size_t tensor = 0; tensor < variant.inputs.size(); ++tensor)
      for (std::size_t axis = 0; axis < box.inputs[tensor].size(); ++axis) {
        if (box.inputs[tensor][axis].max) continue;
        for (const std::string& name : variant.inputs[tensor].shape[axis].symbols())
          if (box.domains.at(name).high == diffing::kNoLimit) unlimited.insert(name);
      }
  if (unlimited.empty()) return {};
  const std::string& first = *unlimited.begin();
  return Error{ErrorCode::export_unlimited, join({unlimited.begin(), unlimited.end()}, ", "),
               "declare one, for instance with --set " + first + "=1..1024"};
}

Result<std::vector<std::vector<ProfileShapes>>> profile_shapes(const Variant& variant,
                                                               const std::vector<SizeBox>& boxes) {
  TRY_VOID(need_limits(variant, boxes));
  bool varies = false;
  std::vector<std::vector<ProfileShapes>> out;
  for (const SizeBox& box : boxes) {
    std::vector<ProfileShapes>& shapes = out.emplace_back();
    for (std::size_t tensor = 0; tensor < variant.inputs.size(); ++tensor) {
      if (box.inputs[tensor].empty()) continue;
      ProfileShapes& shape = shapes.emplace_back();
      shape.name = variant.inputs[tensor].name;
      for (const AxisSizes& sizes : box.inputs[tensor]) {
        shape.min.push_back(sizes.min);
        shape.opt.push_back(sizes.opt);
        shape.max.push_back(sizes.max.value_or(sizes.opt));
        varies = varies || !sizes.fixed();
      }
    }
  }
  if (!varies && boxes.size() == 1) out.clear();
  return out;
}

std::string joined_by_x(const Shape& shape) {
  std::vector<std::string> parts;
  for (const std::int64_t size : shape) parts.push_back(std::to_string(size));
  return join(parts, "x");
}

}  // namespace tensorspec
