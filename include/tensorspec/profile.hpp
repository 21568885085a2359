// SPDX-License-Identifier: Apache-2.0
//
// Profile: a box of sizes that an engine is built or tuned for, in symbols of one variant. A plan gives some; exporters
// write them as min / opt / max of every tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tensorspec {

// Sizes in elements, of the symbol itself: for the axis 8*h these are sizes of h. min <= opt <= max.
struct ProfileRange {
  std::int64_t min = 0, opt = 0, max = 0;

  friend bool operator==(const ProfileRange&, const ProfileRange&) = default;
};

// Symbols of the variant by name; one that is missing may have any size. The opt sizes together are one call that the
// model takes. A plain value.
struct Profile {
  std::map<std::string, ProfileRange, std::less<>> symbols;

  friend bool operator==(const Profile&, const Profile&) = default;
};

}  // namespace tensorspec
