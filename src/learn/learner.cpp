// SPDX-License-Identifier: Apache-2.0
#include "tensorspec/learner.hpp"

#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "learn/layout.hpp"

namespace tensorspec {

namespace {
// Layouts kept beside those that Columns were given of: enough for the variants of a model, few enough to look through.
constexpr std::size_t kMaxLayouts = 32;
}  // namespace

Learner::Learner(std::size_t sample_size) : evidence_(sample_size) {}
Learner::Learner(Evidence evidence) : evidence_(std::move(evidence)) {}
Learner::Learner(const Learner& other)
    : evidence_(other.evidence()), max_bytes_(other.max_bytes_), layouts_(other.layouts_), row_(other.row_) {
  for (Layout& layout : layouts_) layout.unbind();
}
Learner& Learner::operator=(const Learner& other) { return *this = Learner(other); }
// The states of a moved Evidence stay where they are, so the layouts still point to them.
Learner::Learner(Learner&&) noexcept = default;
Learner& Learner::operator=(Learner&&) noexcept = default;
Learner::~Learner() = default;

Learner::Layout* Learner::find(const Call& call) {
  if (last_ < layouts_.size() && layouts_[last_].read(call, row_.data())) return &layouts_[last_];
  for (Layout& layout : layouts_) {
    if (!layout.read(call, row_.data())) continue;
    last_ = static_cast<std::size_t>(&layout - layouts_.data());
    return &layout;
  }
  return nullptr;
}

Learner::Layout& Learner::add(const Call& call) {
  Layout layout(call);
  if (row_.size() < layout.size) row_.resize(layout.size);
  std::size_t passing = 0;
  for (const Layout& known : layouts_) passing += known.promised ? 0 : 1;
  if (passing < kMaxLayouts) {
    last_ = layouts_.size();
    layouts_.push_back(std::move(layout));
  } else {
    do last_ = (last_ + 1) % layouts_.size();
    while (layouts_[last_].promised);
    layouts_[last_].settle();
    layouts_[last_] = std::move(layout);
  }
  layouts_[last_].read(call, row_.data());
  return layouts_[last_];
}

Status Learner::observe(const Call& call) {
  Layout* layout = find(call);
  if (layout == nullptr) {
    TRY_VOID(validate(call));
    layout = &add(call);
  }
  return learn(*layout, row_.data(), call.weight);
}

Result<Learner::Columns> Learner::columns_of(const Call& like) {
  TRY_VOID(validate(like));
  Layout* layout = find(like);
  if (layout == nullptr) layout = &add(like);
  layout->promised = true;
  Columns columns;
  columns.layout_ = static_cast<std::size_t>(layout - layouts_.data());
  columns.size_ = layout->size;
  return columns;
}

Status Learner::observe(Columns columns, std::span<const std::int64_t> row, std::uint64_t weight) {
  if (columns.layout_ >= layouts_.size() || row.size() != layouts_[columns.layout_].size)
    return Error{ErrorCode::invalid_argument, "row",
                 std::to_string(row.size()) + " numbers, not " + std::to_string(columns.size_)};
  Layout& layout = layouts_[columns.layout_];
  if (layout.in_order) return learn(layout, row.data(), weight);
  layout.reorder(row, row_.data());
  return learn(layout, row_.data(), weight);
}

Status Learner::learn(Layout& layout, const std::int64_t* row, std::uint64_t weight) {
  const std::span<const std::int64_t> stored(row, layout.stored);
  // Rows that are found need no validation: those seen were valid, and so is what follows from valid sizes.
  if (layout.state != nullptr && weight != 0 &&
      (layout.state->add_known(stored, weight) || layout.state->add_related(stored, weight))) {
    layout.unsettled = saturating_add(layout.unsettled, weight);
    return {};
  }
  if (weight == 0 || !layout.is_valid(row)) return validate(layout.call_of(row, weight));
  bool grew = false;
  if (layout.accepted) {
    if (layout.state == nullptr) layout.bind(evidence_.state_of(layout.signature));
    grew = layout.state->add(stored, weight);
    layout.unsettled = saturating_add(layout.unsettled, weight);
  } else {
    grew = layout.rejected == nullptr;
    if (grew) layout.rejected = &evidence_.rejected_of(layout.signature);
    layout.rejected->add(stored, weight);
  }
  return grew ? keep_limit() : Status();
}

const Evidence& Learner::evidence() const noexcept {
  for (Layout& layout : layouts_) layout.settle();
  return evidence_;
}

Status Learner::merge(const Learner& other) {
  TRY_VOID(evidence_.merge(other.evidence()));
  return keep_limit();
}

Status Learner::limit_memory(std::uint64_t bytes) {
  max_bytes_ = bytes;
  return keep_limit();
}

Status Learner::keep_limit() {
  while (evidence_.max_bytes() > max_bytes_) {
    if (evidence_.sample_size() / 2 < kMinSampleSize)
      return Error{ErrorCode::memory_limit, "",
                   std::to_string(evidence_.max_bytes()) + " bytes are needed, " + std::to_string(max_bytes_) +
                       " are allowed; the sample is down to " + counted(evidence_.sample_size(), "call")};
    evidence_.shrink_sample(evidence_.sample_size() / 2);
  }
  return {};
}

}  // namespace tensorspec
