// SPDX-License-Identifier: Apache-2.0
//
// Evidence as JSON, version 1, and back. A file is believed only after its parts were held against each other, so that
// no file can lead to a crash; that its counts are true is the business of whoever wrote it.
#include "evidence/evidence_json.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

constexpr std::size_t kMaxColumns = 16384;

Error malformed(std::string detail) { return Error{ErrorCode::evidence_format, "", std::move(detail)}; }

Result<const Json*> member(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (!value) return malformed("no \"" + std::string(key) + "\"");
  return value;
}

Result<std::uint64_t> count_of(const Json& object, std::string_view key) {
  TRY(const Json* value, member(object, key));
  const auto count = value->uint64();
  if (!count) return malformed("\"" + std::string(key) + "\" is not a count");
  return *count;
}

Result<bool> flag_of(const Json& object, std::string_view key) {
  TRY(const Json* value, member(object, key));
  const auto flag = value->boolean();
  if (!flag) return malformed("\"" + std::string(key) + "\" is not true or false");
  return *flag;
}

Result<const Json::Array*> array_of(const Json& object, std::string_view key) {
  TRY(const Json* value, member(object, key));
  if (!value->array()) return malformed("\"" + std::string(key) + "\" is not an array");
  return value->array();
}

Result<Shape> row_of(const Json& value, std::size_t columns) {
  if (!value.array() || value.array()->size() != columns) return malformed("a row has another number of columns");
  Shape row;
  row.reserve(columns);
  for (const Json& entry : *value.array()) {
    const auto extent = entry.int64();
    if (!extent || *extent < 0 || *extent > kMaxExtent) return malformed("a row holds what is no extent");
    row.push_back(*extent);
  }
  return row;
}

// Numbers of a lattice may exceed 64 bits; those are written as text.
Json exact_number(const std::string& digits) {
  if (const auto value = parse_int64(digits)) return *value;
  return digits;
}
Json exact_numbers(const std::vector<std::string>& numbers) {
  Json::Array out;
  for (const std::string& digits : numbers) out.push_back(exact_number(digits));
  return out;
}
Result<std::vector<std::string>> exact_numbers(const Json& value) {
  if (!value.array()) return malformed("a vector of the lattice is not an array");
  std::vector<std::string> out;
  for (const Json& entry : *value.array()) {
    if (entry.string()) out.push_back(*entry.string());
    else if (const auto number = entry.int64()) out.push_back(std::to_string(*number));
    else return malformed("a number of the lattice is not whole");
  }
  return out;
}

Json lattice_json(const AffineLattice& lattice) {
  const AffineLattice::Canonical form = lattice.canonical();
  Json::Array generators;
  for (const auto& generator : form.generators) generators.push_back(exact_numbers(generator));
  return Json().add("point", exact_numbers(form.point)).add("generators", std::move(generators));
}

Result<AffineLattice> read_lattice(const Json& object, std::size_t columns) {
  AffineLattice::Canonical form;
  TRY(const Json* point, member(object, "point"));
  TRY(form.point, exact_numbers(*point));
  TRY(const Json::Array* generators, array_of(object, "generators"));
  if (generators->size() > columns) return malformed("more generators than columns");
  for (const Json& generator : *generators) {
    TRY(auto numbers, exact_numbers(generator));
    form.generators.push_back(std::move(numbers));
  }
  return AffineLattice::from_canonical(columns, form);
}

Json sample_json(const BottomKSample& sample) {
  Json::Array rows, counts;
  for (const auto& [key, count] : sample.entries()) {
    rows.push_back(Json::Array(key.extents.begin(), key.extents.end()));
    counts.push_back(count);
  }
  return Json().add("saturated", sample.saturated()).add("counts", std::move(counts)).add("rows", std::move(rows));
}

Result<BottomKSample> read_sample(const Json& object, std::size_t columns, std::size_t capacity) {
  BottomKSample sample(capacity);
  TRY(const Json::Array* rows, array_of(object, "rows"));
  TRY(const Json::Array* counts, array_of(object, "counts"));
  TRY(const bool saturated, flag_of(object, "saturated"));
  if (rows->size() != counts->size() || rows->size() > capacity || (saturated && rows->size() != capacity))
    return malformed("the sample has another size than it says");
  // In the order of the sample, whatever that of the file: each is then added behind the last one.
  std::vector<std::tuple<std::uint64_t, Shape, std::uint64_t>> known;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    TRY(Shape row, row_of((*rows)[i], columns));
    const auto count = (*counts)[i].uint64();
    if (!count || *count == 0) return malformed("a count of the sample is not a count");
    const std::uint64_t hash = sample_hash(row);
    known.emplace_back(hash, std::move(row), *count);
  }
  std::sort(known.begin(), known.end());
  for (const auto& [hash, row, count] : known) sample.add(row, count);
  if (sample.entries().size() != rows->size()) return malformed("the sample holds a row twice");
  if (saturated) sample.mark_saturated();
  return sample;
}

Json histogram_json(const SizeHistogram& histogram) {
  Json::Array sizes, counts;
  for (const auto& [size, count] : histogram.counts()) {
    sizes.push_back(size);
    counts.push_back(count);
  }
  return Json().add("exact", histogram.exact()).add("sizes", std::move(sizes)).add("counts", std::move(counts));
}

Result<SizeHistogram> read_histogram(const Json& object) {
  TRY(const bool exact, flag_of(object, "exact"));
  TRY(const Json::Array* sizes, array_of(object, "sizes"));
  TRY(const Json::Array* counts, array_of(object, "counts"));
  if (sizes->size() != counts->size()) return malformed("a histogram has sizes without counts");
  std::map<std::int64_t, std::uint64_t> known;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const auto size = (*sizes)[i].int64();
    const auto count = (*counts)[i].uint64();
    if (!size || *size < 0 || *size > kMaxExtent || !count) return malformed("a histogram holds what is no size");
    if (!exact && SizeHistogram::bin(*size) != *size) return malformed("a histogram names a bin by another bound");
    if (!known.emplace(*size, *count).second) return malformed("a histogram holds a size twice");
  }
  return SizeHistogram::restore(exact, std::move(known));
}

Json names_json(const std::vector<std::string>& names) { return Json::Array(names.begin(), names.end()); }

Result<std::vector<TensorSlot>> read_slots(const Json& object, std::string_view key) {
  TRY(const Json::Array* tensors, array_of(object, key));
  std::vector<TensorSlot> slots;
  for (const Json& tensor : *tensors) {
    const Json* name = tensor.find("name");
    TRY(const std::uint64_t rank, count_of(tensor, "rank"));
    if (!name || !name->string() || rank > kMaxRank) return malformed("a tensor without a name or rank");
    slots.push_back({*name->string(), static_cast<std::size_t>(rank)});
    if (slots.size() > 1 && !(slots[slots.size() - 2] < slots.back())) return malformed("tensors are out of order");
  }
  return slots;
}

Result<Signature> read_signature(const Json& object, bool with_outputs) {
  Signature signature;
  TRY(signature.inputs, read_slots(object, "inputs"));
  if (with_outputs) { TRY(signature.outputs, read_slots(object, "outputs")); }
  TRY(signature.has_batch_size, flag_of(object, "batch_size"));
  if (signature.columns() > kMaxColumns) return malformed("more than 16384 columns");
  return signature;
}

// Names of one group in the order they were seen: a permutation of the slots.
Result<std::vector<std::string>> read_order(const Json& object, std::string_view key,
                                            const std::vector<TensorSlot>& slots) {
  TRY(const Json::Array* names, array_of(object, key));
  std::vector<std::string> order, wanted;
  for (const Json& name : *names) {
    if (!name.string()) return malformed("the order of tensors holds what is no name");
    order.push_back(*name.string());
  }
  for (const TensorSlot& slot : slots) wanted.push_back(slot.name);
  std::vector<std::string> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::sort(wanted.begin(), wanted.end());
  if (sorted != wanted) return malformed("the order of tensors has other names than the tensors");
  return order;
}

}  // namespace

// The bridge to the private parts of State and Evidence.
struct EvidenceJson {
  static Json slots(const std::vector<TensorSlot>& slots, const State* state, std::size_t first) {
    Json::Array out;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      Json entry = Json().add("name", slots[i].name).add("rank", static_cast<std::uint64_t>(slots[i].rank));
      if (state) {
        Json dtypes = Json::Object();
        for (const auto& [dtype, count] : state->dtypes_[first + i]) dtypes.add(std::string(dtype.name()), count);
        entry.add("dtypes", std::move(dtypes));
      }
      out.push_back(std::move(entry));
    }
    return out;
  }

  static Json write(const Signature& signature, const State& state) {
    Json out;
    out.add("inputs", slots(signature.inputs, &state, 0));
    out.add("outputs", slots(signature.outputs, &state, signature.inputs.size()));
    out.add("batch_size", signature.has_batch_size).add("calls", state.calls_).add("weight", state.weight_);
    out.add("input_order", names_json(state.input_order_)).add("output_order", names_json(state.output_order_));
    out.add("minimum", Json::Array(state.minimum_.begin(), state.minimum_.end()));
    out.add("maximum", Json::Array(state.maximum_.begin(), state.maximum_.end()));
    out.add("lattice", lattice_json(state.lattice_)).add("sample", sample_json(state.sample_));
    Json::Array tails;
    if (state.tail_weight_ > 0)
      for (const SizeHistogram& tail : state.tails_) tails.push_back(histogram_json(tail));
    out.add("tail_weight", state.tail_weight_).add("tails", std::move(tails));
    return out;
  }

  static Status read_dtypes(const Json& object, std::string_view key, std::size_t first, State& state) {
    TRY(const Json::Array* tensors, array_of(object, key));
    for (std::size_t i = 0; i < tensors->size(); ++i) {
      const Json* dtypes = (*tensors)[i].find("dtypes");
      if (!dtypes || !dtypes->is_object()) return malformed("a tensor without dtypes");
      for (const auto& [name, count] : *dtypes->object()) {
        const auto seen = count.uint64();
        if (!seen) return malformed("a dtype without a count");
        state.add_dtypes(first + i, DType::from_text(name), *seen);
      }
    }
    return {};
  }

  static Status read_tails(const Json& object, State& state) {
    TRY(state.tail_weight_, count_of(object, "tail_weight"));
    TRY(const Json::Array* tails, array_of(object, "tails"));
    if (state.tail_weight_ == 0) return tails->empty() ? Status() : malformed("histograms of no call");
    if (tails->size() != state.tails_.size()) return malformed("another number of histograms than varying classes");
    for (std::size_t i = 0; i < tails->size(); ++i) { TRY(state.tails_[i], read_histogram((*tails)[i])); }
    return {};
  }

  static Result<State> read(const Json& object, const Signature& signature, std::size_t sample_size) {
    State state(signature, sample_size);
    const std::size_t columns = signature.columns();
    TRY(state.calls_, count_of(object, "calls"));
    TRY(state.weight_, count_of(object, "weight"));
    if (state.calls_ == 0 || state.weight_ < state.calls_) return malformed("a state of no call");
    TRY(state.input_order_, read_order(object, "input_order", signature.inputs));
    TRY(state.output_order_, read_order(object, "output_order", signature.outputs));
    TRY(const Json* minimum, member(object, "minimum"));
    TRY(const Json* maximum, member(object, "maximum"));
    TRY(state.minimum_, row_of(*minimum, columns));
    TRY(state.maximum_, row_of(*maximum, columns));
    TRY(const Json* lattice, member(object, "lattice"));
    TRY(state.lattice_, read_lattice(*lattice, columns));
    if (columns == 0) state.lattice_.insert({});  // scalars alone: the one point has no coordinates to write
    if (state.lattice_.empty()) return malformed("a lattice without a point");
    state.split_classes();
    TRY(const Json* sample, member(object, "sample"));
    TRY(state.sample_, read_sample(*sample, columns, sample_size));
    state.find_rows_by_pivots();
    if (state.sample_.entries().empty()) return malformed("a state without a sample");
    for (const auto& [key, count] : state.sample_.entries()) {
      if (!state.lattice_.contains(key.extents)) return malformed("the lattice does not hold a row of the sample");
      for (std::size_t i = 0; i < columns; ++i)
        if (key.extents[i] < state.minimum_[i] || key.extents[i] > state.maximum_[i])
          return malformed("a row of the sample lies outside the bounds");
    }
    TRY_VOID(read_dtypes(object, "inputs", 0, state));
    TRY_VOID(read_dtypes(object, "outputs", signature.inputs.size(), state));
    TRY_VOID(read_tails(object, state));
    return state;
  }

  static Status read_all(const Json& root, Evidence& evidence) {
    TRY(const Json::Array* states, array_of(root, "states"));
    for (const Json& object : *states) {
      TRY(Signature signature, read_signature(object, true));
      TRY(State state, read(object, signature, evidence.sample_size_));
      if (!evidence.states_.emplace(std::move(signature), std::move(state)).second) return malformed("a state twice");
    }
    TRY(const Json::Array* rejected, array_of(root, "rejected"));
    for (const Json& object : *rejected) {
      TRY(Signature signature, read_signature(object, false));
      RejectedCalls calls;
      TRY(calls.calls, count_of(object, "calls"));
      TRY(calls.weight, count_of(object, "weight"));
      TRY(const Json* sample, member(object, "sample"));
      TRY(calls.sample, read_sample(*sample, signature.columns(), evidence.sample_size_));
      if (!evidence.rejected_.emplace(std::move(signature), std::move(calls)).second) return malformed("a state twice");
    }
    return {};
  }
};

Json evidence_to_json(const Evidence& evidence) {
  Json::Array states, rejected;
  for (const auto& [signature, state] : evidence.states()) states.push_back(EvidenceJson::write(signature, state));
  for (const auto& [signature, calls] : evidence.rejected()) {
    Json out;
    out.add("inputs", EvidenceJson::slots(signature.inputs, nullptr, 0)).add("batch_size", signature.has_batch_size);
    out.add("calls", calls.calls).add("weight", calls.weight).add("sample", sample_json(calls.sample));
    rejected.push_back(std::move(out));
  }
  Json root;
  root.add("version", 1).add("sample_size", static_cast<std::uint64_t>(evidence.sample_size()));
  root.add("states", std::move(states)).add("rejected", std::move(rejected));
  return root;
}

Result<Evidence> evidence_from_json(const Json& root) {
  TRY(const std::uint64_t version, count_of(root, "version"));
  if (version != 1) return malformed("version " + std::to_string(version));
  TRY(const std::uint64_t sample_size, count_of(root, "sample_size"));
  if (sample_size < 1 || sample_size > (std::uint64_t{1} << 24)) return malformed("a sample size outside 1..2^24");
  Evidence evidence(static_cast<std::size_t>(sample_size));
  TRY_VOID(EvidenceJson::read_all(root, evidence));
  return evidence;
}

std::string Evidence::to_json() const { return evidence_to_json(*this).dump(); }

Result<Evidence> Evidence::from_json(std::string_view text) {
  TRY(const Json root, Json::parse(text));
  return evidence_from_json(root);
}

}  // namespace tensorspec
