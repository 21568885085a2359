// SPDX-License-Identifier: Apache-2.0
//
// Where the tensors of a variant stand in the rows of its evidence.
#pragma once

#include <optional>
#include <vector>

#include "tensorspec/contract.hpp"

namespace tensorspec {

// Per input of the variant, its first column in rows of the signature; nullopt: the signature has other inputs.
std::optional<std::vector<std::size_t>> first_columns(const Variant& variant, const Signature& signature);

}  // namespace tensorspec
