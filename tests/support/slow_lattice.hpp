// SPDX-License-Identifier: Apache-2.0
//
// The slow oracle for lattices: textbook elimination on whole matrices, naive on purpose and sharing nothing with
// src/lattice but the integer type. Matrices are lists of columns.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tensorspec/lattice.hpp"

namespace tensorspec::testing {

using Whole = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
using Column = std::vector<Whole>;
using Matrix = std::vector<Column>;
using Point = std::vector<std::int64_t>;

inline bool is_zero(const Column& v) {
  for (const Whole& value : v)
    if (value != 0) return false;
  return true;
}

inline Column minus(const Column& a, const Column& b) {
  Column c = a;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= b[i];
  return c;
}

inline Column column_of(const Point& x) { return Column(x.begin(), x.end()); }
inline Column column_of(const std::vector<std::string>& texts) {
  Column c;
  for (const std::string& text : texts) c.emplace_back(text);
  return c;
}
inline Matrix generators_of(const AffineLattice& lattice) {
  Matrix h;
  for (const auto& texts : lattice.canonical().generators) h.push_back(column_of(texts));
  return h;
}

// M * U, both by columns.
inline Matrix product(const Matrix& m, const Matrix& u) {
  Matrix result;
  for (const Column& factors : u) {
    Column sum(m.empty() ? 0 : m[0].size());
    for (std::size_t k = 0; k < m.size(); ++k)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += m[k][i] * factors[k];
    result.push_back(sum);
  }
  return result;
}

inline Matrix identity(std::size_t n) {
  Matrix u(n, Column(n));
  for (std::size_t i = 0; i < n; ++i) u[i][i] = 1;
  return u;
}

// E = M * U in column echelon form, the zero columns last; U by elementary column operations only.
struct Echelon {
  Matrix e, u;
  std::size_t rank = 0;
};
inline Echelon echelon(const Matrix& m) {
  Echelon r{m, identity(m.size()), 0};
  const std::size_t rows = m.empty() ? 0 : m[0].size();
  for (std::size_t row = 0; row < rows; ++row) {
    for (;;) {
      std::size_t best = m.size(), nonzero = 0;
      for (std::size_t k = r.rank; k < m.size(); ++k)
        if (r.e[k][row] != 0) {
          ++nonzero;
          if (best == m.size() || abs(r.e[k][row]) < abs(r.e[best][row])) best = k;
        }
      if (nonzero == 0) break;
      std::swap(r.e[r.rank], r.e[best]);
      std::swap(r.u[r.rank], r.u[best]);
      if (nonzero == 1) {
        ++r.rank;
        break;
      }
      for (std::size_t k = r.rank + 1; k < m.size(); ++k) {
        const Whole q = r.e[k][row] / r.e[r.rank][row];
        for (std::size_t i = 0; i < rows; ++i) r.e[k][i] -= q * r.e[r.rank][i];
        for (std::size_t i = 0; i < m.size(); ++i) r.u[k][i] -= q * r.u[r.rank][i];
      }
    }
  }
  return r;
}

// The integer y with E y = v, where E is in column echelon form; nullopt when there is none.
inline std::optional<Column> solve(const Matrix& e, std::size_t rank, Column v) {
  Column y;
  for (std::size_t k = 0; k < rank; ++k) {
    std::size_t row = 0;
    while (e[k][row] == 0) ++row;
    if (v[row] % e[k][row] != 0) return std::nullopt;
    y.push_back(v[row] / e[k][row]);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] -= y.back() * e[k][i];
  }
  if (!is_zero(v)) return std::nullopt;
  return y;
}

// By fraction-free elimination (Bareiss).
inline Whole determinant(Matrix m) {
  const std::size_t n = m.size();
  Whole sign = 1, previous = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    std::size_t swap = k;
    while (swap < n && m[swap][k] == 0) ++swap;
    if (swap == n) return 0;
    if (swap != k) {
      std::swap(m[swap], m[k]);
      sign = -sign;
    }
    for (std::size_t c = k + 1; c < n; ++c)
      for (std::size_t r = k + 1; r < n; ++r) m[c][r] = (m[c][r] * m[k][k] - m[c][k] * m[k][r]) / previous;
    previous = m[k][k];
  }
  return n == 0 ? Whole(1) : Whole(sign * m[n - 1][n - 1]);
}

// The whole set from its points, by the oracle alone.
struct SlowLattice {
  Column origin;
  Matrix differences;
  Echelon form;

  explicit SlowLattice(const std::vector<Point>& points) : origin(column_of(points[0])) {
    for (const Point& x : points) differences.push_back(minus(column_of(x), origin));
    form = echelon(differences);
  }
  bool contains(const Column& x) const { return solve(form.e, form.rank, minus(x, origin)).has_value(); }
};

inline AffineLattice lattice_of(std::size_t dimension, const std::vector<Point>& points) {
  AffineLattice lattice(dimension);
  for (const Point& x : points) lattice.insert(x);
  return lattice;
}

inline std::int64_t uniform(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Points as models make them: a few latent sizes, every column a small multiple of one or two of them plus a constant,
// a constant, or a copy; or (one time in four) columns that have nothing to do with one another.
inline std::vector<Point> random_points(std::mt19937_64& random, std::size_t dimension, std::size_t count,
                                        std::int64_t largest) {
  const std::size_t latents = static_cast<std::size_t>(uniform(random, 1, 4));
  const bool unrelated = uniform(random, 0, 3) == 0;
  std::vector<Point> factors(dimension, Point(latents + 1));
  for (Point& column : factors) {
    for (std::size_t j = 0; j < latents; ++j)
      if (uniform(random, 0, 2) == 0) column[j] = uniform(random, -3, 8);
    column[latents] = uniform(random, 0, 9);
  }
  for (std::size_t i = 1; i < dimension; ++i)
    if (uniform(random, 0, 3) == 0) factors[i] = factors[static_cast<std::size_t>(uniform(random, 0, 1000)) % i];
  std::vector<Point> points;
  for (std::size_t k = 0; k < count; ++k) {
    Point latent(latents), x(dimension);
    for (std::int64_t& value : latent) value = uniform(random, 0, largest / 64);
    for (std::size_t i = 0; i < dimension; ++i) {
      x[i] = factors[i][latents];
      for (std::size_t j = 0; j < latents; ++j) x[i] += factors[i][j] * latent[j];
      if (unrelated) x[i] = uniform(random, 0, largest);
    }
    points.push_back(x);
  }
  return points;
}

}  // namespace tensorspec::testing
