// SPDX-License-Identifier: Apache-2.0
//
// Trial: something that no call seen did and that the model may refuse: another batch size, a size off the step, axes
// apart that were always equal. Calls that the model refused tell which of them it minds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain/fresh.hpp"

namespace tensorspec {

struct Trial {
  enum class Kind : std::uint8_t {
    batch,         // the batch was one size always
    vary,          // every call was of one size: another size on axes that were equal
    split_tensor,  // two axes of one tensor apart
    split,         // tensors apart that have nothing else in common
    off_step,      // a size off the step seen
    untie,         // a symbol, or axes, apart from a form that tied them on few calls
  };
  enum class State : std::uint8_t {
    untried,
    suspect,   // in a refused call together with other trials
    refused,   // alone in a refused call
    proposed,  // in a suggestion already
  };
  Kind kind;
  std::string text;  // what it decides
  State state = State::untried;
  std::vector<std::pair<std::size_t, std::int64_t>> sizes{};  // of axes, by index, whatever the symbols are
  std::optional<std::int64_t> batch_size{};
  std::string symbol{};                      // of split, off_step and untie
  std::int64_t size = 0;                     // of off_step
  std::optional<Dim> tie{};                  // of untie
  std::size_t axis = 0;                      // of untie without a symbol: one that is tied
  std::shared_ptr<const Variant> without{};  // and what the same calls teach when it is not
  std::vector<std::size_t> watched{};        // of batch: every axis that may follow it
};

std::vector<Trial> trials_of(const Contract& contract, std::size_t variant, const std::vector<InputAxis>& axes,
                             const SeenCalls& seen, const std::map<std::string, SymbolSizes>& symbols);

}  // namespace tensorspec
