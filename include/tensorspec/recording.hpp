// SPDX-License-Identifier: Apache-2.0
//
// Recordings: calls as JSON Lines, one object a line:
//   {"batch_size": 2, "inputs": {"ids": {"dtype": "int64", "shape": [2, 10]}}, "outputs": {}, "ok": true, "count": 1}
// Only "inputs" is required. batch_size null or absent: unknown. Empty or absent outputs: not recorded. Other keys are
// passed over. Blank lines are passed over; a byte-order mark at the start too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tensorspec/call.hpp"

namespace tensorspec {

// Takes a recording in pieces of any size and gives its calls one at a time, so memory is that of the longest line.
// Not thread-safe; one parser per stream.
class RecordingParser {
 public:
  struct Handlers {
    // The reference is valid during the call only; lines count from 1.
    std::function<void(const Call&, std::uint64_t line)> call;
    // A bad line: where is "line N" (from 1) or "line N, byte B". Return false to stop.
    std::function<bool(const Error&)> bad;
  };
  explicit RecordingParser(Handlers handlers);
  ~RecordingParser();
  RecordingParser(RecordingParser&&) noexcept;
  RecordingParser& operator=(RecordingParser&&) noexcept;

  // Errors reported per line: json_syntax, json_type, json_duplicate_key, recording_call, recording_line_too_long
  // (64 MiB), and those of validate(Call). Returns false once a handler asked to stop.
  bool feed(std::string_view bytes);
  // The last line may lack its newline. REQUIRES: nothing is fed afterwards.
  bool finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One line, without the newline. Reading it back gives an equal call.
std::string to_recording_line(const Call& call);

}  // namespace tensorspec
