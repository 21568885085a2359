// SPDX-License-Identifier: Apache-2.0
#include "export/facts.hpp"

#include <map>
#include <set>

#include "base/text.hpp"
#include "export/spelling.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kShown = 4;

// The kind of an expression that is neither a size nor a symbol.
Keeps kind_of(const Dim& dim) {
  const auto affine = affine_of(dim);
  if (!affine) return Keeps::products;
  return affine->coefficients.size() == 1 ? Keeps::multiples : Keeps::sums;
}

class Facts {
 public:
  Facts(const Variant& variant, const std::set<std::string>& limited) {
    for (const TensorContract& tensor : variant.inputs) read(tensor);
    for (const Symbol& symbol : variant.symbols)
      if (used_.contains(symbol.name)) read(symbol, limited.contains(symbol.name));
    for (const auto& [name, axes] : bare_)
      if (axes.size() > 1) add(Keeps::shared, name + " on " + some_of(axes));
    for (const TensorContract& tensor : variant.outputs) add(Keeps::outputs, printable(tensor.name));
  }

  std::vector<std::string> of(Keeps kind) const {
    const auto found = facts_.find(kind);
    return found == facts_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  void add(Keeps kind, std::string text) { facts_[kind].push_back(std::move(text)); }

  void read(const TensorContract& tensor) {
    if (!tensor.dtypes.empty()) {
      std::vector<std::string> names;
      for (const DType& dtype : tensor.dtypes) names.emplace_back(printable(dtype.name()));
      add(Keeps::dtypes, printable(tensor.name) + " " + join(names, "|"));
    }
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Dim& dim = tensor.shape[axis];
      for (const std::string& name : dim.symbols()) used_.insert(name);
      const std::string place = printable(axis_name(tensor.name, axis));
      if (const std::string* name = dim.as_symbol()) bare_[*name].push_back(place);
      else if (!dim.as_integer()) add(kind_of(dim), place + " = " + dim.to_string());
    }
  }

  void read(const Symbol& symbol, bool limited) {
    if (symbol.min == symbol.max && symbol.min) return;
    if (symbol.min && *symbol.min > 1) add(Keeps::minimum, symbol.name + " from " + std::to_string(*symbol.min));
    if (symbol.max && !limited) add(Keeps::maximum, symbol.name + " to " + std::to_string(*symbol.max));
    if (symbol.multiple_of > 1)
      add(Keeps::strides, symbol.name + " in steps of " + std::to_string(symbol.multiple_of) +
                              (symbol.residue == 0 ? std::string() : " from " + std::to_string(symbol.residue)));
  }

  std::map<Keeps, std::vector<std::string>> facts_;
  std::map<std::string, std::vector<std::string>> bare_;
  std::set<std::string> used_;
};

}  // namespace

const std::vector<std::pair<Keeps, std::string_view>>& keeps_words() {
  static const std::vector<std::pair<Keeps, std::string_view>> words = {
      {Keeps::minimum, "smallest sizes"}, {Keeps::maximum, "largest sizes"}, {Keeps::typical, "typical sizes"},
      {Keeps::shared, "equal axes"},      {Keeps::multiples, "multiples"},   {Keeps::sums, "sums"},
      {Keeps::products, "products"},      {Keeps::strides, "steps"},         {Keeps::profiles, "profiles"},
      {Keeps::dtypes, "dtypes"},          {Keeps::outputs, "outputs"},       {Keeps::variants, "variants"},
  };
  return words;
}

std::string some_of(const std::vector<std::string>& items) {
  if (items.size() <= kShown) return join(items, ", ");
  return join({items.begin(), items.begin() + kShown}, ", ") + " and " + std::to_string(items.size() - kShown) +
         " more";
}

std::vector<std::string> losses(const ExporterInfo& exporter, const Variant& variant, std::size_t profiles,
                                const std::set<std::string>& limited) {
  const Facts facts(variant, limited);
  std::vector<std::string> out;
  for (const auto& [kind, word] : keeps_words()) {
    if (has(exporter.keeps, kind)) continue;
    if (const auto found = facts.of(kind); !found.empty())
      out.push_back("not said, " + std::string(word) + ": " + some_of(found));
    else if (kind == Keeps::profiles && profiles > 1)
      out.push_back("not said, profiles: one box around all " + std::to_string(profiles));
  }
  return out;
}

}  // namespace tensorspec
