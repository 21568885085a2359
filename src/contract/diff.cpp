// SPDX-License-Identifier: Apache-2.0
//
// Matches variants and tensors; the axes are compared in diff_axes.cpp.
#include "tensorspec/diff.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "contract/diff_axes.hpp"

namespace tensorspec {
namespace {

using diffing::Answer;
using diffing::Column;
using diffing::Loss;
using diffing::Side;
using diffing::Sizes;

Change change_of(bool lost, bool gained) {
  if (lost) return gained ? Change::broken : Change::narrower;
  return gained ? Change::wider : Change::equal;
}
bool loses(Change change) { return change == Change::narrower || change == Change::broken; }
bool gains(Change change) { return change == Change::wider || change == Change::broken; }

std::string dtypes_text(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType& dtype : dtypes) names.emplace_back(dtype.name());
  return names.empty() ? "any" : join(names, "|");
}

// The first dtype that one tensor may have and the other may not; none means any.
std::optional<DType> dtype_missing(const std::vector<DType>& from, const std::vector<DType>& to) {
  if (to.empty()) return std::nullopt;
  const auto absent = [&](const DType& dtype) { return std::find(to.begin(), to.end(), dtype) == to.end(); };
  if (from.empty()) {
    using Kind = DType::Kind;
    for (const Kind kind : {Kind::float32, Kind::float16, Kind::int64, Kind::int32, Kind::boolean})
      if (absent(DType(kind))) return DType(kind);
    return DType::other("other");
  }
  const auto found = std::find_if(from.begin(), from.end(), absent);
  return found == from.end() ? std::nullopt : std::optional(*found);
}

std::string place(const std::string& tensor, std::size_t axis) { return tensor + " axis " + std::to_string(axis); }

SizeRange sizes_of(const Dim& dim, const diffing::Domains& domains) {
  SizeRange out;
  diffing::Interval interval = diffing::bounds(dim, domains);
  if (const auto image = diffing::image(dim, domains)) {
    interval = image->interval;
    if (interval.low != interval.high) {
      out.multiple_of = image->step;
      out.residue = image->step == 1 ? 0 : image->anchor % image->step;
    }
  }
  out.min = std::max<std::int64_t>(interval.low, 0);
  if (interval.high <= kMaxExtent) out.max = interval.high;
  return out;
}

// Two variants with the same tensors, or nearly so.
class VariantComparison {
 public:
  VariantComparison(const Variant& older, const Variant& newer) : older_(older), newer_(newer) {}

  VariantDifference run() {
    for (const TensorContract& tensor : older_.inputs) out_.inputs.push_back(tensor.name);
    pair_up(older_.inputs, newer_.inputs, false);
    pair_batch_size();
    if (older_.outputs.empty() == newer_.outputs.empty()) pair_up(older_.outputs, newer_.outputs, true);
    else
      out_.notes.push_back(std::string("only the ") + (older_.outputs.empty() ? "new" : "old") +
                           " contract speaks of outputs");
    collect(older_side_, older_);
    collect(newer_side_, newer_);
    comparison_ = diffing::compare_axes(columns_, older_side_, newer_side_);
    for (const Unpaired& unpaired : unpaired_) tell_presence(unpaired);
    for (const Pair& pair : pairs_) tell(pair);
    if (batch_column_) tell_column(*batch_column_, nullptr);
    std::stable_sort(out_.differences.begin(), out_.differences.end(),
                     [](const Difference& a, const Difference& b) { return a.output < b.output; });
    note_certainty();
    bool lost = false, gained = false;
    for (const Difference& difference : out_.differences) {
      lost = lost || loses(difference.change);
      gained = gained || gains(difference.change);
      out_.proved = out_.proved && difference.proved;
    }
    out_.change = change_of(lost, gained);
    return std::move(out_);
  }
  // A call of the old variant, with outputs; nullopt: it has none, as far as was found. REQUIRES: run() before.
  std::optional<Witness> some_call() const { return example(true, true, "", nullptr); }

 private:
  struct Pair {
    const TensorContract *older, *newer;
    bool output;
    std::size_t first;  // its columns, when the ranks are equal
  };
  struct Unpaired {
    const TensorContract *older, *newer;  // one of them is null
    bool output;
  };
  struct Shown {
    const TensorContract* tensor;  // of the old variant; null: the batch size
    std::size_t axis;
  };

  // By name, and first of all by name and rank: an output may be there with several ranks.
  void pair_up(const std::vector<TensorContract>& older, const std::vector<TensorContract>& newer, bool output) {
    std::vector<const TensorContract*> left;
    std::map<const TensorContract*, const TensorContract*> partner;
    for (const TensorContract& tensor : newer) left.push_back(&tensor);
    for (const bool same_rank : {true, false})
      for (const TensorContract& tensor : older) {
        if (partner.contains(&tensor)) continue;
        const auto found = std::find_if(left.begin(), left.end(), [&](const TensorContract* other) {
          return other->name == tensor.name && (!same_rank || other->shape.size() == tensor.shape.size());
        });
        if (found == left.end()) continue;
        partner[&tensor] = *found;
        left.erase(found);
      }
    for (const TensorContract& tensor : older) {
      if (const auto found = partner.find(&tensor); found != partner.end()) add_pair(tensor, *found->second, output);
      else unpaired_.push_back({&tensor, nullptr, output});
    }
    for (const TensorContract* tensor : left) unpaired_.push_back({nullptr, tensor, output});
  }

  void add_pair(const TensorContract& older, const TensorContract& newer, bool output) {
    pairs_.push_back({&older, &newer, output, columns_.size()});
    if (older.shape.size() != newer.shape.size()) return;
    const auto times = [&](const std::vector<TensorContract>& group) {
      return std::count_if(group.begin(), group.end(), [&](const auto& other) { return other.name == older.name; });
    };
    const bool apart = output && (times(older_.outputs) > 1 || times(newer_.outputs) > 1);
    for (std::size_t axis = 0; axis < older.shape.size(); ++axis) {
      columns_.push_back({output ? Column::Stage::output : Column::Stage::input, 0, apart ? pairs_.size() : 0});
      older_side_.dims.push_back(older.shape[axis]);
      newer_side_.dims.push_back(newer.shape[axis]);
      shown_.push_back({&older, axis});
    }
  }

  void pair_batch_size() {
    if (older_.batch_size.has_value() != newer_.batch_size.has_value())
      out_.notes.push_back(std::string("only the ") + (older_.batch_size ? "old" : "new") +
                           " contract speaks of the batch size given with a call");
    if (!older_.batch_size || !newer_.batch_size) return;
    batch_column_ = columns_.size();
    columns_.push_back({Column::Stage::batch, 1, 0});
    older_side_.dims.push_back(*older_.batch_size);
    newer_side_.dims.push_back(*newer_.batch_size);
    shown_.push_back({nullptr, 0});
  }

  void collect(Side& side, const Variant& variant) const {
    std::set<std::string> known;
    const auto use = [&](const Dim& dim) {
      for (std::string& name : dim.symbols())
        if (known.insert(name).second) side.symbols.push_back(std::move(name));
    };
    for (const Dim& dim : side.dims)
      if (dim.as_symbol()) use(dim);
    for (const Dim& dim : side.dims) use(dim);
    const auto add = [&](const std::vector<TensorContract>& group, std::vector<Dim>& dims) {
      for (const TensorContract& tensor : group)
        for (const Dim& dim : tensor.shape) {
          use(dim);
          if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
        }
    };
    add(variant.inputs, side.inputs);
    if (!older_.outputs.empty() && !newer_.outputs.empty()) add(variant.outputs, side.outputs);
    for (const Symbol& symbol : variant.symbols)
      if (known.contains(symbol.name)) side.domains.emplace(symbol.name, diffing::Domain::of(symbol));
  }

  // A call of one side. REQUIRES: a row about outputs has some. nullopt: the sizes are of no call.
  std::optional<Call> call_of(bool old, const Sizes& sizes, bool outputs, const TensorContract* of,
                              const TensorContract* without = nullptr) const {
    const Variant& variant = old ? older_ : newer_;
    Call call;
    const auto add = [&](const std::vector<TensorContract>& group, std::vector<TensorInfo>& tensors) {
      for (const TensorContract& tensor : group) {
        const bool other_rank = of && of != &tensor && of->name == tensor.name;
        if (&tensor == without || other_rank || named(tensors, tensor.name)) continue;
        TensorInfo info;
        info.name = tensor.name;
        info.dtype = dtype_of(tensor, old);
        for (const Dim& dim : tensor.shape) {
          const auto size = diffing::evaluate(dim, sizes);
          if (!size || *size < 0 || *size > kMaxExtent) return false;
          info.shape.push_back(*size);
        }
        tensors.push_back(std::move(info));
      }
      return true;
    };
    if (!add(variant.inputs, call.inputs) || (outputs && !add(variant.outputs, call.outputs))) return std::nullopt;
    return call;
  }
  static bool named(const std::vector<TensorInfo>& tensors, const std::string& name) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const TensorInfo& tensor) { return tensor.name == name; });
  }

  // One that both sides take, if there is one, so that it is not what makes a call a witness.
  DType dtype_of(const TensorContract& tensor, bool old) const {
    for (const Pair& pair : pairs_) {
      if ((old ? pair.older : pair.newer) != &tensor) continue;
      const auto &own = tensor.dtypes, &other = (old ? pair.newer : pair.older)->dtypes;
      for (const DType& dtype : own)
        if (other.empty() || std::find(other.begin(), other.end(), dtype) != other.end()) return dtype;
      if (own.empty() && !other.empty()) return other[0];
    }
    return tensor.dtypes.empty() ? DType() : tensor.dtypes[0];
  }

  // A call whose tensors, not sizes, are what it shows.
  std::optional<Witness> example(bool old, bool output, const std::string& text, const TensorContract* of,
                                 const TensorContract* without = nullptr) const {
    auto call = call_of(old, old ? comparison_.older_call : comparison_.newer_call, output, of, without);
    if (!call || (output && call->outputs.empty() && !text.empty())) return std::nullopt;  // a request shows nothing
    return Witness{*std::move(call), text};
  }

  void tell_presence(const Unpaired& unpaired) {
    const bool old = unpaired.older != nullptr;
    const TensorContract& tensor = old ? *unpaired.older : *unpaired.newer;
    const std::string here = tensor.optional ? "optional" : "required", with = "with " + tensor.name,
                      without = "without " + tensor.name;
    Difference row = row_of(Difference::What::presence, tensor.name, unpaired.output);
    row.older = old ? here : "absent";
    row.newer = old ? "absent" : here;
    row.change = change_of(old || !tensor.optional, !old || !tensor.optional);
    auto& own = old ? row.lost : row.gained;
    auto& other = old ? row.gained : row.lost;
    own = example(old, unpaired.output, with, &tensor);
    if (!tensor.optional) other = example(!old, unpaired.output, without, nullptr);
    out_.differences.push_back(std::move(row));
  }

  void tell(const Pair& pair) {
    const TensorContract &older = *pair.older, &newer = *pair.newer;
    if (older.optional != newer.optional) {
      Difference row = row_of(Difference::What::presence, older.name, pair.output);
      row.older = older.optional ? "optional" : "required";
      row.newer = newer.optional ? "optional" : "required";
      row.change = change_of(older.optional, newer.optional);
      auto& side = older.optional ? row.lost : row.gained;
      side = example(older.optional, pair.output, "without " + older.name, nullptr, older.optional ? &older : &newer);
      out_.differences.push_back(std::move(row));
    }
    tell_dtypes(pair);
    if (older.shape.size() != newer.shape.size()) {
      Difference row = row_of(Difference::What::rank, older.name, pair.output);
      row.older = std::to_string(older.shape.size());
      row.newer = std::to_string(newer.shape.size());
      row.change = Change::broken;
      row.lost = example(true, pair.output, "rank " + row.older, &older);
      row.gained = example(false, pair.output, "rank " + row.newer, &newer);
      out_.differences.push_back(std::move(row));
      return;
    }
    for (std::size_t axis = 0; axis < older.shape.size(); ++axis) tell_column(pair.first + axis, &pair);
  }

  void tell_dtypes(const Pair& pair) {
    const auto lost = dtype_missing(pair.older->dtypes, pair.newer->dtypes);
    const auto gained = dtype_missing(pair.newer->dtypes, pair.older->dtypes);
    if (!lost && !gained) return;
    Difference row = row_of(Difference::What::dtype, pair.older->name, pair.output);
    row.older = dtypes_text(pair.older->dtypes);
    row.newer = dtypes_text(pair.newer->dtypes);
    row.change = change_of(lost.has_value(), gained.has_value());
    const auto with = [&](const std::optional<DType>& dtype, bool old, std::optional<Witness>& witness) {
      if (!dtype) return;
      const TensorContract& tensor = old ? *pair.older : *pair.newer;
      witness = example(old, pair.output, std::string(dtype->name()), &tensor);
      if (!witness) return;
      for (TensorInfo& info : pair.output ? witness->call.outputs : witness->call.inputs)
        if (info.name == tensor.name) info.dtype = *dtype;
    };
    with(lost, true, row.lost);
    with(gained, false, row.gained);
    out_.differences.push_back(std::move(row));
  }

  // pair: null for the batch size.
  void tell_column(std::size_t column, const Pair* pair) {
    const diffing::AxisOutcome& outcome = comparison_.outcomes[column];
    Difference row = row_of(pair ? Difference::What::axis : Difference::What::batch_size,
                            pair ? pair->older->name : std::string(), pair && pair->output);
    row.axis = shown_[column].axis;
    row.older = older_side_.dims[column].to_string();
    row.newer = newer_side_.dims[column].to_string();
    row.older_sizes = sizes_of(older_side_.dims[column], older_side_.domains);
    row.newer_sizes = sizes_of(newer_side_.dims[column], newer_side_.domains);
    row.change = change_of(outcome.lost.answer == Answer::yes, outcome.gained.answer == Answer::yes);
    row.proved = outcome.lost.answer != Answer::unknown && outcome.gained.answer != Answer::unknown;
    if (outcome.lost.answer == Answer::yes) row.lost = shown_by(column, pair, outcome.lost, true);
    if (outcome.gained.answer == Answer::yes) row.gained = shown_by(column, pair, outcome.gained, false);
    out_.differences.push_back(std::move(row));
  }

  std::optional<Witness> shown_by(std::size_t column, const Pair* pair, const Loss& loss, bool old) const {
    const bool output = pair && pair->output;
    const TensorContract* tensor = !pair ? nullptr : old ? pair->older : pair->newer;
    auto call = call_of(old, loss.sizes, output, tensor);
    if (!call) return std::nullopt;
    const Side& side = old ? older_side_ : newer_side_;
    if (batch_column_ && columns_[column].stage != Column::Stage::input) {
      const auto batch = diffing::evaluate(side.dims[*batch_column_], loss.sizes);
      if (batch && *batch >= 1) call->batch_size = batch;
    }
    const auto size = [&](std::size_t at) {
      return std::to_string(diffing::evaluate(side.dims[at], loss.sizes).value_or(0));
    };
    std::vector<std::string> beside;
    for (const std::size_t other : loss.beside)
      beside.push_back((shown_[other].tensor ? place(shown_[other].tensor->name, shown_[other].axis) : "batch size") +
                       " = " + size(other));
    return Witness{*std::move(call), size(column) + (beside.empty() ? "" : " beside " + join(beside, ", "))};
  }

  static Difference row_of(Difference::What what, const std::string& tensor, bool output) {
    Difference row;
    row.what = what;
    row.tensor = tensor;
    row.output = output;
    return row;
  }

  // "y axis 1 and 2 more: weak -> believed"
  void note_certainty() {
    struct Turn {
      std::string first, words;
      std::size_t more;
    };
    std::vector<Turn> turns;
    for (const Claim& older : older_.claims)
      for (const Claim& newer : newer_.claims) {
        if (older.output != newer.output || older.axis != newer.axis || older.tensor != newer.tensor ||
            older.certainty == newer.certainty)
          continue;
        const std::string words =
            std::string(to_string(older.certainty)) + " -> " + std::string(to_string(newer.certainty));
        const auto known = std::find_if(turns.begin(), turns.end(), [&](const Turn& t) { return t.words == words; });
        if (known == turns.end()) turns.push_back({place(older.tensor, older.axis), words, 0});
        else ++known->more;
      }
    for (const Turn& turn : turns)
      out_.notes.push_back(turn.first + (turn.more == 0 ? "" : " and " + std::to_string(turn.more) + " more") + ": " +
                           turn.words);
  }

  const Variant &older_, &newer_;
  VariantDifference out_;
  std::vector<Pair> pairs_;
  std::vector<Unpaired> unpaired_;
  std::vector<Column> columns_;
  std::vector<Shown> shown_;  // per column
  std::optional<std::size_t> batch_column_;
  Side older_side_, newer_side_;
  diffing::AxisComparison comparison_;
};

// How alike the inputs of two variants are: shared with one rank, shared, and those that only one has, counted against.
struct Likeness {
  std::int64_t same_rank = 0, shared = 0, apart = 0;
  auto operator<=>(const Likeness&) const = default;
};
Likeness likeness(const Variant& a, const Variant& b) {
  Likeness out;
  for (const TensorContract& tensor : a.inputs)
    for (const TensorContract& other : b.inputs) {
      if (tensor.name != other.name) continue;
      ++out.shared;
      out.same_rank += tensor.shape.size() == other.shape.size() ? 1 : 0;
    }
  out.apart = 2 * out.shared - static_cast<std::int64_t>(a.inputs.size() + b.inputs.size());
  return out;
}
bool same_inputs(const Variant& a, const Variant& b) {
  const Likeness alike = likeness(a, b);
  return alike.apart == 0 && alike.same_rank == alike.shared;
}

// Per old variant the new one it is held against: the one with the same inputs, else the most alike of those left.
std::vector<std::optional<std::size_t>> partners(const std::vector<Variant>& older, const std::vector<Variant>& newer) {
  std::vector<std::optional<std::size_t>> out(older.size());
  std::vector<bool> taken(newer.size(), false);
  const auto join_up = [&](std::size_t i, std::size_t j) {
    out[i] = j;
    taken[j] = true;
  };
  for (std::size_t i = 0; i < older.size(); ++i)
    for (std::size_t j = 0; j < newer.size(); ++j)
      if (!out[i] && !taken[j] && same_inputs(older[i], newer[j])) join_up(i, j);
  for (;;) {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (std::size_t i = 0; i < older.size(); ++i)
      for (std::size_t j = 0; j < newer.size(); ++j) {
        if (out[i] || taken[j]) continue;
        const Likeness alike = likeness(older[i], newer[j]);
        if (alike.shared > 0 && (!best || alike > likeness(older[best->first], newer[best->second]))) best = {i, j};
      }
    if (!best) return out;
    join_up(best->first, best->second);
  }
}

VariantDifference alone(const Variant& variant, Change change) {
  VariantComparison self(variant, variant);
  VariantDifference out;
  out.inputs = self.run().inputs;
  out.change = change;
  out.witness = self.some_call();
  return out;
}

}  // namespace

ContractDifference diff(const Contract& older, const Contract& newer) {
  ContractDifference out;
  const auto partner = partners(older.variants(), newer.variants());
  std::set<std::size_t> matched;
  for (std::size_t i = 0; i < older.variants().size(); ++i) {
    const Variant& variant = older.variants()[i];
    if (partner[i]) matched.insert(*partner[i]);
    VariantDifference next =
        partner[i] ? VariantComparison(variant, newer.variants()[*partner[i]]).run() : alone(variant, Change::narrower);
    next.older = i;
    next.newer = partner[i];
    out.variants.push_back(std::move(next));
  }
  for (std::size_t j = 0; j < newer.variants().size(); ++j) {
    if (matched.contains(j)) continue;
    out.variants.push_back(alone(newer.variants()[j], Change::wider));
    out.variants.back().newer = j;
  }
  bool lost = false, gained = false;
  for (const VariantDifference& variant : out.variants) {
    lost = lost || loses(variant.change);
    gained = gained || gains(variant.change);
    out.proved = out.proved && variant.proved;
  }
  out.change = change_of(lost, gained);
  return out;
}

std::string_view to_string(Change change) noexcept {
  switch (change) {
    case Change::equal: return "equal";
    case Change::wider: return "wider";
    case Change::narrower: return "narrower";
    case Change::broken: return "broken";
  }
  return "";
}

std::string_view to_string(Difference::What what) noexcept {
  switch (what) {
    case Difference::What::axis: return "axis";
    case Difference::What::batch_size: return "batch_size";
    case Difference::What::dtype: return "dtype";
    case Difference::What::rank: return "rank";
    case Difference::What::presence: return "presence";
  }
  return "";
}

}  // namespace tensorspec
