// SPDX-License-Identifier: Apache-2.0
#include "explain/declared_dims.hpp"

namespace tensorspec {

DeclaredDims::DeclaredDims(const JoinedVariant& joined, const ClassTable& table, const Declarations& declarations) {
  std::map<std::string, std::size_t> owners;  // of bare names: the first class that has one
  for (const JoinedVariant::Tensor& tensor : joined.tensors())
    for (std::size_t axis = 0; axis < tensor.slot.rank; ++axis) {
      const std::size_t column = tensor.first_column + axis, index = table.class_of(column);
      const std::string name = axis_name(tensor.slot.name, axis);
      if (declarations.free_axes.contains(name) && index != ClassTable::kNone) symbols_.insert(index);
      const auto declared = declarations.dims.find(name);
      if (declared == declarations.dims.end()) continue;
      by_column_.emplace(column, declared->second);
      if (index == ClassTable::kNone) continue;
      const std::string* symbol = declared->second.as_symbol();
      if (symbol && owners.try_emplace(*symbol, index).first->second == index) symbols_.insert(index);
      else apart_.emplace(index, declared->second);
    }
  for (const auto& [index, dim] : apart_) symbols_.erase(index);
}

const Dim* DeclaredDims::of(std::size_t column) const {
  const auto found = by_column_.find(column);
  return found == by_column_.end() ? nullptr : &found->second;
}

namespace {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

std::optional<std::int64_t> value_of(const Dim& dim, const Sizes& known) {
  return dim.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  });
}

// The declared dims in one call: each is decided once all its symbols have sizes, and gives the last one its size.
class HeldCall {
 public:
  HeldCall(Sizes known, std::map<std::size_t, Agreement>& agreement)
      : known_(std::move(known)), agreement_(agreement) {}

  // False: not yet known.
  bool decide(std::size_t column, const Dim& dim, std::int64_t size) {
    std::vector<std::string> unknown;
    for (std::string& name : dim.symbols())
      if (!known_.contains(name)) unknown.push_back(std::move(name));
    if (unknown.size() > 1) return false;
    if (!unknown.empty() && !solve(dim, unknown[0], size)) return false;
    const auto wanted = value_of(dim, known_);
    Agreement& found = agreement_[column];
    if (wanted == size) {
      ++found.witnesses;
    } else if (found.against++ == 0) {
      found.example = std::to_string(size) +
                      (wanted ? ", expected " + std::to_string(*wanted) : ", which is no " + dim.to_string());
    }
    return true;
  }

 private:
  // dim == size for one symbol, where that is k*symbol+c: false when it is not. Without a whole solution the symbol
  // stays unknown to others, and the dim has no value.
  bool solve(const Dim& dim, const std::string& name, std::int64_t size) {
    std::int64_t at[3] = {};
    for (std::int64_t value = 0; value < 3; ++value) {
      Sizes with = known_;
      with[name] = value;
      const auto found = value_of(dim, with);
      if (!found) return false;
      at[value] = *found;
    }
    const std::int64_t slope = at[1] - at[0];
    if (slope == 0 || at[2] - at[1] != slope) return false;
    const std::int64_t rest = size - at[0];
    if (rest % slope == 0 && rest / slope >= 0) known_[name] = rest / slope;
    return true;
  }

  Sizes known_;
  std::map<std::size_t, Agreement>& agreement_;
};

}  // namespace

std::map<std::size_t, Agreement> held_against_calls(const JoinedVariant& joined, const ClassTable& table,
                                                    const DeclaredDims& declared, const std::vector<std::string>& names,
                                                    const Sizes& fixed) {
  std::map<std::size_t, Agreement> out;
  if (declared.by_column().empty()) return out;  // the usual case, which is not to cost a look at every call
  for (const std::vector<std::int64_t>& row : table.rows()) {
    const auto size_of = [&](std::size_t column) {
      const std::size_t index = table.class_of(column);
      return index == ClassTable::kNone ? *joined.constant(column) : row[index];
    };
    Sizes known = fixed;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty() && row[i] != ClassTable::kAbsent) known.emplace(names[i], row[i]);
    // Where the batch size of the call is no symbol, it still is what a declared dim calls batch.
    if (const auto given = joined.batch_column(); given && size_of(*given) != ClassTable::kAbsent)
      known.emplace("batch", size_of(*given));
    std::map<std::size_t, const Dim*> left;
    for (const auto& [column, dim] : declared.by_column()) {
      if (size_of(column) == ClassTable::kAbsent) continue;
      left.emplace(column, &dim);
      if (const std::string* name = dim.as_symbol()) known.emplace(*name, size_of(column));
    }
    HeldCall call(std::move(known), out);
    while (std::erase_if(left, [&](const auto& item) {
             return call.decide(item.first, *item.second, size_of(item.first));
           }) > 0) {}
  }
  return out;
}

}  // namespace tensorspec
