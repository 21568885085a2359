// SPDX-License-Identifier: Apache-2.0
//
// The families of forms, one function each; see fit.hpp.
#pragma once

#include <optional>
#include <vector>

#include "explain/classes.hpp"

namespace tensorspec::fit {

// t = (times * x + constant) / divisor at every point, in lowest terms.
struct Line {
  std::int64_t times = 1, constant = 0, divisor = 1;
};
// nullopt when no line fits, or x is the same everywhere.
std::optional<Line> line(const std::vector<std::int64_t>& target, const std::vector<std::int64_t>& x);

// Keeps a form that the points could refute: with fewer of them than it has integers, anything fits.
void keep(const Points& points, Form form, std::vector<Form>& out);

// Sums: mask = past+seq; windows and stacked batches give the small multiples, special tokens the constants. quotients:
// those that are a fraction instead.
void sums(const Points& points, bool quotients, std::vector<Form>& out);
// Flattened axes: batch*seq, batch*heads with the heads as k; a class token adds the constant. quotients: as above, for
// anchors of several grids, 21*h*w/1024.
void products(const Points& points, bool quotients, std::vector<Form>& out);
// Convolution and pooling: floor or ceil of (k*s+c)/d. Of the offsets that fit: the shortest, and both ends.
void rounds(const Points& points, std::vector<Form>& out);
// Patches and grids of two sizes: k * round(s1/d1) * round(s2/d2) + c.
void grids(const Points& points, std::vector<Form>& out);
// A form of several roundings with the least and the most offset that fit, where those are not its own; roundings that
// are spelled alike move together. A window of 7 over patches of 4 is floor((h+24)/28), not ceil(h/28), and no size
// that is a multiple of 4 tells them apart.
void offsets(const Points& points, const Form& form, std::vector<Form>& out);

}  // namespace tensorspec::fit
