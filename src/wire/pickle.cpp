// SPDX-License-Identifier: Apache-2.0
#include "wire/pickle.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "base/try.hpp"

namespace tensorspec {
namespace {

// Names of modules and classes.
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kFirstBytes = 4096;
// Picklers number what they remember in order; a little room for those that leave numbers out.
constexpr std::size_t kMemoRoom = 1024;

// The instructions that are read, by their letters in pickletools.
enum Op : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersid = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kEmptyDict = '}',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
};
// Those of protocols 0 and 1 and of extensions that are known and not read, and the first of protocol 4.
constexpr std::string_view kOtherOps = "2FIPLSVdgilop\x82\x83\x84";
constexpr unsigned char kFirstOfProtocol4 = 0x8c, kLastOfProtocol5 = 0x98;

}  // namespace

class Pickle::Machine {
 public:
  Machine(const Place& place, PickleBytes& bytes, std::size_t begin)
      : place_(place), bytes_(bytes), begin_(begin), at_(begin) {
    out_.bytes_ = &bytes;
  }

  Result<Pickle> run() {
    for (;;) {
      here_ = at_;
      TRY_VOID(need(1));
      const auto op = static_cast<unsigned char>(bytes_.held[at_++]);
      if (op == kStop) break;
      TRY_VOID(step(op));
      if (out_.tuples_.size() + in_lists_ + stack_.size() + memo_.size() + out_.persistents_.size() > kMaxValues)
        return fail(ErrorCode::pickle_too_large, "more than " + std::to_string(kMaxValues) + " values");
      if (out_.lists_.size() + out_.objects_.size() > kMaxContainers)
        return fail(ErrorCode::pickle_too_large, "more than " + std::to_string(kMaxContainers) + " containers");
    }
    TRY(out_.root_, pop());
    out_.end_ = at_;
    return std::move(out_);
  }

 private:
  Error fail(ErrorCode code, std::string detail) const {
    return Error{.code = code, .where = place_.at(here_), .detail = std::move(detail)};
  }
  Error malformed(std::string detail) const { return fail(ErrorCode::pickle_malformed, std::move(detail)); }

  // `count` bytes from here on are held, or it is an error.
  Status need(std::size_t count) {
    const std::size_t size = bytes_.held.size();
    if (size - at_ >= count) return {};
    if (at_ - begin_ + count > kMaxBytes)
      return fail(ErrorCode::pickle_too_large, "more than " + std::to_string(kMaxBytes) + " bytes");
    // Twice as much each time: the whole costs no more than two times what is needed.
    if (bytes_.more) TRY_VOID(bytes_.more(bytes_.held, std::max({at_ + count, 2 * size, kFirstBytes})));
    if (bytes_.held.size() - at_ < count) return malformed("it ends within an instruction");
    return {};
  }

  template <std::unsigned_integral T>
  Result<T> number() {
    TRY_VOID(need(sizeof(T)));
    const T value = load_le<T>(bytes_.held, at_);
    at_ += sizeof(T);
    return value;
  }

  Result<Value> pop() {
    if (stack_.size() <= floor()) return malformed("nothing is left to take");
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Result<Value*> top() {
    if (stack_.size() <= floor()) return malformed("nothing is left to look at");
    return &stack_.back();
  }
  // Values below the last mark are not for taking.
  std::size_t floor() const noexcept { return marks_.empty() ? 0 : marks_.back(); }
  Result<std::size_t> pop_mark() {
    if (marks_.empty()) return malformed("there is no mark");
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }

  void push(Kind kind, std::int64_t data = 0, std::size_t size = 0) {
    stack_.push_back({kind, static_cast<std::uint32_t>(size), data});
  }

  Status step(unsigned char op) {
    switch (op) {
      case kMark: marks_.push_back(stack_.size()); return count_marks();
      case kNone: push(Kind::none); return {};
      case kNewTrue:
      case kNewFalse: push(Kind::boolean, op == kNewTrue); return {};
      case kBinInt1: return push_integer<std::uint8_t>();
      case kBinInt2: return push_integer<std::uint16_t>();
      case kBinInt: return push_signed();
      case kLong1: return push_long<std::uint8_t>();
      case kLong4: return push_long<std::uint32_t>();
      case kBinFloat: return push_real();
      case kShortBinString: return push_text<std::uint8_t>(Kind::text);
      case kBinString:
      case kBinUnicode: return push_text<std::uint32_t>(Kind::text);
      case kShortBinBytes: return push_text<std::uint8_t>(Kind::bytes);
      case kBinBytes: return push_text<std::uint32_t>(Kind::bytes);
      case kEmptyList: return push_container(Kind::list);
      case kEmptyDict: return push_container(Kind::dict);
      case kEmptyTuple: return push_tuple(0);
      case kTuple1:
      case kTuple2:
      case kTuple3: return push_tuple(op - kTuple1 + std::size_t{1});
      case kBinGet: return recall<std::uint8_t>();
      case kLongBinGet: return recall<std::uint32_t>();
      case kBinPut: return remember<std::uint8_t>();
      case kLongBinPut: return remember<std::uint32_t>();
      default: return step_on_marks_and_objects(op);
    }
  }

  Status step_on_marks_and_objects(unsigned char op) {
    switch (op) {
      case kTuple: {
        TRY(const std::size_t mark, pop_mark());
        return push_tuple(stack_.size() - mark);
      }
      case kAppend: return add_items(stack_.size() - 1, false);
      case kSetItem: return add_items(stack_.size() - 2, true);
      case kAppends:
      case kSetItems: {
        TRY(const std::size_t mark, pop_mark());
        return add_items(mark, op == kSetItems);
      }
      case kPop: return drop();
      case kPopMark: {
        TRY(const std::size_t mark, pop_mark());
        stack_.resize(mark);
        return {};
      }
      case kGlobal: return push_global();
      case kReduce:
      case kNewObj: return make_object();
      case kBuild: return set_state();
      case kBinPersid: return make_persistent();
      case kProto: return check_protocol();
      default: return refuse(op);
    }
  }

  Error refuse(unsigned char op) const {
    if (op >= kFirstOfProtocol4 && op <= kLastOfProtocol5)
      return fail(ErrorCode::pickle_unsupported, "an instruction of protocol 4 or 5");
    if (kOtherOps.find(static_cast<char>(op)) != std::string_view::npos)
      return fail(ErrorCode::pickle_unsupported, "instruction " + hex(op) + ", of protocol 0 or an extension");
    return malformed("no instruction is " + hex(op));
  }

  Status check_protocol() {
    TRY(const std::uint8_t protocol, number<std::uint8_t>());
    if (protocol == 2 || protocol == 3) return {};
    return fail(ErrorCode::pickle_unsupported,
                "protocol " + std::to_string(protocol) + ", where torch.save writes 2 unless told otherwise");
  }

  Status count_marks() const {
    if (marks_.size() <= kMaxContainers) return {};
    return fail(ErrorCode::pickle_too_large, "more than " + std::to_string(kMaxContainers) + " marks");
  }

  template <std::unsigned_integral T>
  Status push_integer() {
    TRY(const T value, number<T>());
    push(Kind::integer, static_cast<std::int64_t>(value));
    return {};
  }
  Status push_signed() {
    TRY(const auto value, number<std::uint32_t>());
    push(Kind::integer, static_cast<std::int32_t>(value));
    return {};
  }
  Status push_real() {
    TRY(const auto value, number<std::uint64_t>());
    push(Kind::real, static_cast<std::int64_t>(value));
    return {};
  }
  // Two's complement of any length, lowest byte first.
  template <std::unsigned_integral T>
  Status push_long() {
    TRY(const T size, number<T>());
    TRY_VOID(need(size));
    std::uint64_t value = 0;
    if (size > sizeof value) {
      push(Kind::huge);
    } else {
      for (std::size_t i = 0; i < size; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes_.held[at_ + i])} << (8 * i);
      const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
      push(Kind::integer, size == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused);
    }
    at_ += size;
    return {};
  }
  template <std::unsigned_integral T>
  Status push_text(Kind kind) {
    TRY(const T size, number<T>());
    TRY_VOID(need(size));
    push(kind, static_cast<std::int64_t>(at_), size);
    at_ += size;
    return {};
  }

  Status push_container(Kind kind) {
    push(kind, static_cast<std::int64_t>(out_.lists_.size()));
    out_.lists_.emplace_back();
    return {};
  }
  Status push_tuple(std::size_t count) {
    if (stack_.size() - floor() < count) return malformed("a tuple of more than there is");
    const auto first = static_cast<std::int64_t>(out_.tuples_.size());
    out_.tuples_.insert(out_.tuples_.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    push(Kind::tuple, first, count);
    return {};
  }

  // What stands on the stack from `first` on goes into the container below it.
  Status add_items(std::size_t first, bool pairs) {
    if (first > stack_.size() || first <= floor()) return malformed("there is no container to add to");
    const Value target = stack_[first - 1];
    const std::size_t count = stack_.size() - first;
    if (pairs && count % 2 != 0) return malformed("a key without a value");
    if (target.kind != Kind::object && target.kind != (pairs ? Kind::dict : Kind::list))
      return malformed("items for what is no container");
    auto& items = target.kind == Kind::object ? out_.objects_[static_cast<std::size_t>(target.data)].items
                                              : out_.lists_[static_cast<std::size_t>(target.data)];
    items.insert(items.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    in_lists_ += count;
    stack_.resize(first);
    return {};
  }

  Status drop() {
    if (!marks_.empty() && marks_.back() == stack_.size()) {
      marks_.pop_back();
      return {};
    }
    return pop().ok() ? Status() : Status(malformed("nothing is left to drop"));
  }

  Status push_global() {
    const std::size_t begin = at_;
    for (int line = 0; line < 2; ++line) TRY_VOID(skip_line());
    push(Kind::global, static_cast<std::int64_t>(begin), at_ - begin);
    return {};
  }
  Status skip_line() {
    for (std::size_t begin = at_;;) {
      const std::size_t end = bytes_.held.find('\n', at_);
      if (end != std::string::npos && end - begin <= kMaxLine) {
        at_ = end + 1;
        return {};
      }
      at_ = bytes_.held.size();
      if (at_ - begin > kMaxLine) return malformed("a name of more than " + std::to_string(kMaxLine) + " bytes");
      TRY_VOID(need(1));
    }
  }

  Status make_object() {
    TRY(const Value arguments, pop());
    TRY(const Value callable, pop());
    if ((callable.kind != Kind::global && callable.kind != Kind::persistent) || arguments.kind != Kind::tuple)
      return malformed("an object of what is no class, or without arguments");
    push(Kind::object, static_cast<std::int64_t>(out_.objects_.size()));
    out_.objects_.push_back({callable, arguments, {}, {}, here_});
    return {};
  }
  Status set_state() {
    TRY(const Value state, pop());
    TRY(const Value* target, top());
    if (target->kind != Kind::object) return malformed("a state for what is no object");
    out_.objects_[static_cast<std::size_t>(target->data)].state = state;
    return {};
  }
  Status make_persistent() {
    TRY(const Value id, pop());
    push(Kind::persistent, static_cast<std::int64_t>(out_.persistents_.size()));
    out_.persistents_.push_back(id);
    return {};
  }

  template <std::unsigned_integral T>
  Status remember() {
    TRY(const T index, number<T>());
    TRY(const Value* value, top());
    if (index > 2 * remembered_++ + kMemoRoom) return malformed("it remembers under number " + std::to_string(index));
    if (index >= memo_.size()) memo_.resize(std::size_t{index} + 1);
    memo_[index] = *value;
    return {};
  }
  template <std::unsigned_integral T>
  Status recall() {
    TRY(const T index, number<T>());
    if (index >= memo_.size() || !memo_[index])
      return malformed("it recalls number " + std::to_string(index) + ", which it does not have");
    stack_.push_back(*memo_[index]);
    return {};
  }

  Place place_;
  PickleBytes& bytes_;
  std::size_t begin_, at_, here_ = 0;
  Pickle out_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::optional<Value>> memo_;
  std::size_t in_lists_ = 0, remembered_ = 0;
};

Result<Pickle> Pickle::parse(const Place& place, PickleBytes& bytes, std::size_t begin) {
  return Machine(place, bytes, begin).run();
}

std::string_view Pickle::text(Value value) const noexcept {
  return std::string_view(bytes_->held).substr(static_cast<std::size_t>(value.data), value.size);
}

std::string_view Pickle::module_of(Value global) const noexcept {
  const std::string_view lines = text(global);
  return lines.substr(0, lines.find('\n'));
}

std::string_view Pickle::name_of(Value global) const noexcept {
  std::string_view lines = text(global);
  lines.remove_prefix(lines.find('\n') + 1);
  return lines.substr(0, lines.size() - 1);
}

std::span<const Pickle::Value> Pickle::items(Value value) const noexcept {
  if (value.kind != Kind::tuple) return lists_[static_cast<std::size_t>(value.data)];
  return std::span(tuples_).subspan(static_cast<std::size_t>(value.data), value.size);
}

}  // namespace tensorspec
