// SPDX-License-Identifier: Apache-2.0
//
// What a model file declares, held against what calls showed.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "tensorspec/declared.hpp"

namespace tensorspec {
namespace {

bool is_counted_up(std::string_view name) {
  return name.size() > 1 && name[0] == 's' && name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// The symbols that the declarations make, by axis. Those of which the file says nothing are none.
std::map<std::string, std::string> named_axes(const Declared& declared) {
  std::map<std::string, std::string> out;
  const auto contract = contract_of(declared);
  if (!contract.ok()) return out;
  const Variant& variant = contract->contract.variants().front();
  for (const auto* group : {&variant.inputs, &variant.outputs})
    for (const TensorContract& tensor : *group)
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const std::string* name = tensor.shape[axis].as_symbol();
        const Symbol* symbol = name ? variant.symbol(*name) : nullptr;
        if (symbol && symbol->source == Symbol::Source::declared) out.emplace(axis_name(tensor.name, axis), *name);
      }
  return out;
}

std::string sizes_text(const Variant& variant, const Dim& dim) {
  const std::string* name = dim.as_symbol();
  const Symbol* symbol = name ? variant.symbol(*name) : nullptr;
  if (!symbol || !symbol->min || !symbol->max) return "it was " + dim.to_string();
  return "sizes " + std::to_string(*symbol->min) + ".." + std::to_string(*symbol->max) + " were seen";
}

class Comparison {
 public:
  explicit Comparison(const Declared& declared) : declared_(declared), names_(named_axes(declared)) {}

  void take(const Variant& variant) {
    if (!shares_an_input(variant)) return;
    by_name_.clear();
    by_dim_.clear();
    take(declared_.inputs, variant.inputs, variant, true);
    take(declared_.outputs, variant.outputs, variant, false);
    for (const auto& [name, sizes] : by_name_)
      if (sizes.size() > 1) tell("'" + name + "' is declared of axes that were not equal: " + listed(sizes));
    for (const auto& [dim, names] : by_dim_)
      if (names.size() > 1)
        tell(listed(names) + " are declared of axes that were equal in every call: one size, " + dim);
  }
  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  // A model of which this is no variant has nothing to say.
  bool shares_an_input(const Variant& variant) const {
    return std::any_of(variant.inputs.begin(), variant.inputs.end(), [&](const TensorContract& seen) {
      return std::any_of(declared_.inputs.begin(), declared_.inputs.end(),
                         [&](const DeclaredTensor& tensor) { return tensor.name == seen.name; });
    });
  }

  // Each once, whatever the number of variants.
  void tell(std::string line) {
    if (told_.insert(line).second) lines_.push_back(std::move(line));
  }

  // "x[1] is seq, y[1] is s1"; at most four.
  static std::string listed(const std::map<std::string, std::string>& what) {
    std::vector<std::string> parts;
    for (const auto& [key, text] : what) {
      if (parts.size() == 4) {
        parts.push_back("and " + std::to_string(what.size() - 4) + " more");
        break;
      }
      parts.push_back(text);
    }
    return join(parts, ", ");
  }

  void take(const std::vector<DeclaredTensor>& tensors, const std::vector<TensorContract>& seen, const Variant& variant,
            bool inputs) {
    std::map<std::string_view, const TensorContract*> by_name;
    for (const TensorContract& tensor : seen) by_name.emplace(tensor.name, &tensor);
    for (const DeclaredTensor& tensor : tensors) {
      const auto found = by_name.find(tensor.name);
      if (found != by_name.end()) take(tensor, *found->second, variant);
      else if (inputs && tensor.shape) tell("input " + tensor.name + " is declared and not in every call");
      by_name.erase(tensor.name);
    }
    if (!inputs) return;
    for (const TensorContract& tensor : seen)
      if (by_name.contains(tensor.name)) tell("input " + tensor.name + " is in calls and not declared");
  }

  void take(const DeclaredTensor& declared, const TensorContract& seen, const Variant& variant) {
    if (declared.dtype.is_known() && !seen.dtypes.empty() && declared.shape &&
        std::find(seen.dtypes.begin(), seen.dtypes.end(), declared.dtype) == seen.dtypes.end())
      tell(declared.name + " is declared " + std::string(declared.dtype.name()) + ", " +
           std::string(seen.dtypes.front().name()) + " was seen");
    if (!declared.shape) return;
    if (declared.shape->size() != seen.shape.size())
      return tell(declared.name + " is declared with " + counted_axes(declared.shape->size()) + ", seen with " +
                  std::to_string(seen.shape.size()));
    for (std::size_t axis = 0; axis < seen.shape.size(); ++axis)
      take((*declared.shape)[axis], seen.shape[axis], axis_name(declared.name, axis), variant);
  }

  static std::string counted_axes(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " axis" : " axes");
  }

  void take(const DeclaredDim& declared, const Dim& seen, const std::string& axis, const Variant& variant) {
    const auto fixed = seen.as_integer();
    if (declared.size && fixed != *declared.size)
      return tell(axis + " is declared " + std::to_string(*declared.size) + ", " +
                  (fixed ? std::to_string(*fixed) + " was seen" : sizes_text(variant, seen)));
    tell_limits(declared, seen, axis, variant);
    const auto name = names_.find(axis);
    if (name == names_.end()) return;
    if (fixed) return tell(axis + " is declared '" + name->second + "', only " + std::to_string(*fixed) + " was seen");
    by_name_[name->second].try_emplace(seen.to_string(), axis + " is " + seen.to_string());
    if (seen.as_symbol()) by_dim_[seen.to_string()].try_emplace(name->second, "'" + name->second + "'");
  }

  // Sizes beyond those that the file allows.
  void tell_limits(const DeclaredDim& declared, const Dim& seen, const std::string& axis, const Variant& variant) {
    const std::string* name = seen.as_symbol();
    const Symbol* symbol = name ? variant.symbol(*name) : nullptr;
    const auto least = symbol ? symbol->min : seen.as_integer(), most = symbol ? symbol->max : seen.as_integer();
    if (declared.max && most && *most > *declared.max)
      tell(axis + " is declared at most " + std::to_string(*declared.max) + ", " + sizes_text(variant, seen));
    if (declared.min && least && *least < *declared.min)
      tell(axis + " is declared at least " + std::to_string(*declared.min) + ", " + sizes_text(variant, seen));
  }

  const Declared& declared_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::map<std::string, std::string>> by_name_, by_dim_;
  std::set<std::string> told_;
  std::vector<std::string> lines_;
};

}  // namespace

std::map<std::string, std::string> axis_names_of(const Declared& declared) {
  auto names = named_axes(declared);
  std::erase_if(names, [](const auto& entry) { return is_counted_up(entry.second); });
  return names;
}

std::vector<std::string> overruled(const Contract& learned, const Declared& declared) {
  if (declared.names_only) return {};
  Comparison comparison(declared);
  for (const Variant& variant : learned.variants()) comparison.take(variant);
  return std::move(comparison).lines();
}

}  // namespace tensorspec
