// SPDX-License-Identifier: Apache-2.0
//
// What readers of a JSON document with a list of calls share: a call that is none costs itself alone, what is no JSON
// ends the reading.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "read/json_walk.hpp"
#include "read/reader.hpp"

namespace tensorspec {

class JsonCalls {
 protected:
  JsonCalls(ByteSource& source, ReadSink& sink) : source_(source), sink_(sink) {}

  // Gives the whole document to `walk`.
  template <class Walk>
  Status read_whole(Walk walk) {
    constexpr std::size_t kMaxDocument = std::size_t{256} << 20;
    TRY(const std::string text, read_document(source_, kMaxDocument));
    if (auto status = walk(text); !status.ok()) return at(std::move(status).error(), {});
    return {};
  }
  Error at(Error error, const std::string& place) const {
    return within(std::move(error), source_.name() + (place.empty() ? "" : ":" + place), ": ");
  }
  // The call number `number` (from 1), unless there is a fault, or it is none, or it has no inputs.
  void give(const Call& call, std::optional<Error> fault, Error no_inputs, const std::string& place,
            std::uint64_t number) {
    if (!fault && call.inputs.empty()) fault = std::move(no_inputs);
    if (!fault)
      if (auto valid = validate(call); !valid.ok()) fault = std::move(valid).error();
    if (fault) stopped_ = !sink_.bad(at(*std::move(fault), place));
    else sink_.call(call, number);
  }

  ByteSource& source_;
  ReadSink& sink_;
  KeptParser<ondemand::parser> parser_;
  bool stopped_ = false;
};

}  // namespace tensorspec
