// SPDX-License-Identifier: Apache-2.0
#include "explain/names.hpp"

namespace tensorspec {

std::string Names::name_of(const std::vector<AxisKey>& axes, const std::set<std::string>& taken) {
  for (const AxisKey& axis : axes) {
    if (const auto known = by_axis_.find(axis); known != by_axis_.end() && !taken.contains(known->second))
      return remember(axes, known->second);
    const auto kept = declarations_.axis_names.find(axis_name(std::get<1>(axis), std::get<2>(axis)));
    if (kept != declarations_.axis_names.end() && !taken.contains(kept->second)) return remember(axes, kept->second);
  }
  return remember(axes, "s" + std::to_string(next_++));
}

std::string Names::shown(const std::string& learned) {
  learned_.insert(learned);
  const auto wanted = declarations_.names.find(learned);
  return wanted == declarations_.names.end() ? learned : wanted->second;
}

const std::string* Names::unused() const {
  for (const auto& [learned, wanted] : declarations_.names)
    if (!learned_.contains(learned)) return &learned;
  return nullptr;
}

std::string Names::remember(const std::vector<AxisKey>& axes, const std::string& name) {
  for (const AxisKey& axis : axes) by_axis_.emplace(axis, name);
  return name;
}

}  // namespace tensorspec
