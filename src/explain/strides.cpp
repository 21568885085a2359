// SPDX-License-Identifier: Apache-2.0
#include "explain/strides.hpp"

#include <algorithm>
#include <bit>

namespace tensorspec {
namespace {

// 0, 16, 32, 64 ...: whoever picks sizes by doubling has all of them on a grid of the least, whatever the model takes.
bool doubles(const ColumnClass& entry) {
  return std::all_of(entry.sizes.begin(), entry.sizes.end(), [&](const auto& counted) {
    const auto [size, calls] = counted;
    return size % entry.stride == 0 && std::popcount(static_cast<std::uint64_t>(size / entry.stride)) <= 1;
  });
}

bool worth(const ColumnClass& entry, costs::Cost length) {
  if (doubles(entry)) return false;
  const auto distinct = static_cast<costs::Cost>(entry.sizes.size());
  return (distinct - 1) * costs::log2(static_cast<std::uint64_t>(entry.stride)) > length + costs::kMargin;
}

StrideBelief judge_alone(const ColumnClass& entry) {
  if (entry.stride <= 1) return StrideBelief::none;
  if (worth(entry, costs::integer(entry.stride) + costs::integer(entry.residue))) return StrideBelief::claimed;
  // Two sizes always lie on a grid; that they are its multiples says something.
  const bool telling = entry.input && (entry.sizes.size() > 2 || entry.residue == 0);
  return telling ? StrideBelief::seen : StrideBelief::none;
}

// Classes that are axes of one input.
std::vector<std::pair<std::size_t, std::size_t>> siblings(const JoinedVariant& joined, const ClassTable& table) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const JoinedVariant::Tensor& tensor : joined.tensors())
    for (std::size_t a = 0; a < tensor.slot.rank && !tensor.output; ++a)
      for (std::size_t b = 0; b < tensor.slot.rank; ++b) {
        const std::size_t first = table.class_of(tensor.first_column + a),
                          second = table.class_of(tensor.first_column + b);
        if (first != second && first != ClassTable::kNone && second != ClassTable::kNone)
          out.emplace_back(first, second);
      }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<StrideBelief> judge_strides(const JoinedVariant& joined, const ClassTable& table) {
  std::vector<StrideBelief> out;
  for (const ColumnClass& entry : table.classes()) out.push_back(judge_alone(entry));
  const std::vector<StrideBelief> alone = out;
  for (const auto& [known, other] : siblings(joined, table)) {
    if (alone[known] != StrideBelief::claimed || alone[other] != StrideBelief::seen) continue;
    const ColumnClass &a = table[known], &b = table[other];
    if (a.stride == b.stride && a.residue == b.residue && worth(b, costs::choice(table.size(), 1)))
      out[other] = StrideBelief::claimed;
  }
  return out;
}

}  // namespace tensorspec
