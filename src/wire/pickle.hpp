// SPDX-License-Identifier: Apache-2.0
//
// A pickle as data: what its instructions would build, laid out as values. Nothing is built, imported or run: a class
// is its two names, an object the class with the arguments it would get.
//
// Follows pickletools of Python 3.13 for the instructions of protocols 2 and 3 that Python's picklers write.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorspec/result.hpp"
#include "wire/bytes.hpp"

namespace tensorspec {

// The bytes of a file or member from its beginning, read further as they are needed.
struct PickleBytes {
  std::string held = {};
  // Appends to `held` until it has at least `size` bytes, fewer only at the end; none: all are held. Errors: its own.
  std::function<Status(std::string& held, std::size_t size)> more = {};
};

class Pickle {
 public:
  // Larger than that of any model, by far; all limits together keep the memory of the pickle below a gigabyte.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxValues = std::size_t{1} << 24;      // in tuples, lists and dicts, remembered, ..
  static constexpr std::size_t kMaxContainers = std::size_t{1} << 22;  // lists, dicts and objects

  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    huge,  // an integer outside int64
    real,
    text,  // of bytes that may not be UTF-8
    bytes,
    tuple,
    list,
    dict,
    global,      // a class or function by name
    object,      // what a class or function would give
    persistent,  // what the file's owner keeps elsewhere
  };
  // A cheap copy; what it holds is in the pickle.
  struct Value {
    Kind kind = Kind::none;
    std::uint32_t size = 0;  // of text and bytes, global, tuple
    std::int64_t data = 0;   // the integer, or where it is
  };
  struct Object {
    Value callable, arguments, state;  // callable: a global, or persistent; arguments: a tuple
    std::vector<Value> items;          // appended, or keys and values in turn
    std::size_t offset = 0;            // of the instruction that makes it
  };

  // The pickle that begins at `begin`. `bytes` must outlive it. Errors: pickle_malformed, pickle_unsupported (another
  // protocol, instructions that only such have), pickle_too_large, and those of bytes.more. O(length).
  static Result<Pickle> parse(const Place& place, PickleBytes& bytes, std::size_t begin);

  Value root() const noexcept { return root_; }
  std::size_t end() const noexcept { return end_; }  // behind its last instruction

  // REQUIRE the kind of the value. Valid while the bytes are.
  std::string_view text(Value value) const noexcept;
  std::string_view module_of(Value global) const noexcept;
  std::string_view name_of(Value global) const noexcept;
  std::span<const Value> items(Value value) const noexcept;  // of tuple and list; of dict keys and values in turn
  const Object& object(Value value) const noexcept { return objects_[static_cast<std::size_t>(value.data)]; }
  Value persistent_id(Value value) const noexcept { return persistents_[static_cast<std::size_t>(value.data)]; }

  bool is_global(Value value, std::string_view module, std::string_view name) const noexcept {
    return value.kind == Kind::global && module_of(value) == module && name_of(value) == name;
  }

 private:
  class Machine;

  const PickleBytes* bytes_ = nullptr;
  Value root_;
  std::size_t end_ = 0;
  std::vector<Value> tuples_;              // items of all tuples
  std::vector<std::vector<Value>> lists_;  // of lists and dicts
  std::vector<Object> objects_;
  std::vector<Value> persistents_;
};

}  // namespace tensorspec
