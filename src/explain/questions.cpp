// SPDX-License-Identifier: Apache-2.0
#include "explain/questions.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace tensorspec {
namespace {

constexpr std::int64_t kLookAhead = 4096;  // sizes tried for one that tells two forms apart
constexpr std::size_t kRivalsTold = 3;

// A size of one symbol, the others as in some call, where the two forms differ: "h = 33".
std::optional<std::string> deciding_size(const ClassTable& table, const Form& a, const Form& b,
                                         const std::vector<std::string>& names) {
  std::vector<std::int64_t> sizes;
  for (const ColumnClass& entry : table.classes()) sizes.push_back(entry.maximum);
  std::vector<std::size_t> symbols = a.symbols();
  const auto more = b.symbols();
  symbols.insert(symbols.end(), more.begin(), more.end());
  for (const std::size_t symbol : symbols) {
    const std::int64_t seen = sizes[symbol];
    for (std::int64_t size = seen + 1; size <= seen + kLookAhead && size <= kMaxExtent; ++size) {
      sizes[symbol] = size;
      const auto x = a.evaluate(sizes), y = b.evaluate(sizes);
      if (x != y) return names[symbol] + " = " + std::to_string(size);
    }
    sizes[symbol] = seen;
  }
  return std::nullopt;
}

// Inputs whose first axis was always 1, if that is every input with two axes or more.
std::vector<std::string> always_one(const JoinedVariant& joined) {
  std::vector<std::string> axes;
  for (const JoinedVariant::Tensor& tensor : joined.tensors()) {
    if (tensor.output || tensor.slot.rank < 2) continue;
    if (joined.constant(tensor.first_column) != 1) return {};
    axes.push_back(axis_name(tensor.slot.name, 0));
  }
  return axes;
}

}  // namespace

std::vector<Question> questions_of_variant(const JoinedVariant& joined, const ClassTable& table, bool named_batch) {
  if (joined.distinct() == 1)
    return {{"calls of one size say nothing about what varies",
             "record calls with other sizes on each axis that may vary",
             {},
             {}}};
  const auto given = joined.batch_column();
  if (given && table.class_of(*given) == ClassTable::kNone)
    return {{"only batch size " + std::to_string(*joined.constant(*given)) + " was seen",
             "record a call with another batch size",
             {"batch"},
             {}}};
  if (named_batch || given) return {};
  const std::vector<std::string> axes = always_one(joined);
  if (axes.empty()) return {};
  return {{axes[0] + " was always 1 (batch?)", "record a call with 2 there, or say that it stays 1", axes, {}}};
}

std::vector<Question> questions_of_inferred_batch(const JoinedVariant& joined, const ClassTable& table,
                                                  std::size_t batch) {
  std::vector<std::string> axes;
  for (const JoinedVariant::Tensor& tensor : joined.tensors()) {
    if (tensor.output || tensor.slot.rank == 0 || table.class_of(tensor.first_column) != batch) continue;
    if (tensor.slot.rank > 1) return {};
    axes.push_back(axis_name(tensor.slot.name, 0));
  }
  if (axes.empty()) return {};
  return {
      {axes[0] + " may be a length instead of the batch", "say which axis is the batch, or that none is", axes, {}}};
}

std::vector<Question> questions_of_claim(const ClassTable& table, const Explanation& explanation, const Claim& claim,
                                         const std::vector<std::string>& axes, const std::vector<std::string>& names) {
  std::vector<Question> out;
  const std::string text = claim.dim.to_string();
  if (explanation.weak && explanation.form.affine())
    out.push_back(
        {axes[0] + " was " + text + " at two batch sizes only", "record a call with a third batch size", axes, {}});
  else if (explanation.weak)
    out.push_back({axes[0] + " = " + text + " is known of a sample of the calls only",
                   "check more calls; one that differs is let through with a warning",
                   axes,
                   {}});
  if (claim.rivals.empty()) return out;
  std::vector<std::string> rivals;
  for (const Dim& rival : claim.rivals) {
    if (rivals.size() == kRivalsTold) {
      rivals.push_back("one of " + std::to_string(claim.rivals.size() - kRivalsTold) + " more");
      break;
    }
    rivals.push_back(rival.to_string());
  }
  std::vector<std::string> decides;
  for (const Form& rival : explanation.rivals)
    if (const auto size = deciding_size(table, explanation.form, rival, names)) {
      decides.push_back(*size);
      break;
    }
  out.push_back({axes[0] + " = " + text + " could be " + join(rivals, " or ") + " as well",
                 decides.empty() ? "record calls with other sizes" : "record a call with " + decides[0],
                 axes,
                 {}});
  return out;
}

std::vector<Question> questions_of_stride(const Symbol& symbol) {
  if (symbol.seen_multiple_of == 1) return {};
  std::string text = symbol.name + " seen: multiples of " + std::to_string(symbol.seen_multiple_of);
  if (symbol.seen_residue != 0) text += " plus " + std::to_string(symbol.seen_residue);
  text += " (" + std::to_string(symbol.seen) + " sizes, not claimed)";
  // The next size beyond those seen that breaks the step.
  const std::int64_t next = symbol.max.value_or(0) + 1;
  return {{text, "record a call with " + symbol.name + " = " + std::to_string(next), {symbol.name}, {}}};
}

std::vector<Question> questions_of_output(const Symbol& symbol) {
  return {{symbol.at + " is not explained by the inputs (" + std::to_string(symbol.seen) + " sizes)",
           "record calls with other sizes of the inputs",
           {symbol.at, symbol.name},
           {}}};
}

}  // namespace tensorspec
