// SPDX-License-Identifier: Apache-2.0
//
// Learner.observe_columns: calls that lie in columns, one size of every call in each.
#include <nanobind/ndarray.h>

#include "base/text.hpp"
#include "calls.hpp"
#include "learners.hpp"

namespace tensorspec::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;

// A number for every row: one for all, or a column, which is not copied.
class Column {
 public:
  Column(nb::handle value, const std::string& where) {
    // An array of one element passes for a number too.
    if (PyIndex_Check(value.ptr()) && !PyObject_HasAttrString(value.ptr(), "__len__")) {
      const auto same = to_int64(value);
      if (!same) raise({ErrorCode::overflow, where, utf8(nb::str(value))});
      same_ = *same;
      return;
    }
    nb::object plain = nb::module_::import_("tensorspec.columns").attr("to_column")(value, where);
    if (!nb::try_cast(plain, numbers_, false))
      raise_type_error(where + ": a whole number or a column of int64, not " + type_of(value));
    rows_ = numbers_.shape(0);
    data_ = numbers_.data();
    stride_ = numbers_.stride(0);
  }
  // nullopt: any number of them.
  std::optional<std::size_t> rows() const noexcept { return rows_; }
  std::int64_t operator[](std::size_t row) const noexcept {
    return data_ == nullptr ? same_ : data_[static_cast<std::int64_t>(row) * stride_];
  }

 private:
  Numbers numbers_;  // keeps the memory alive
  std::optional<std::size_t> rows_;
  const std::int64_t* data_ = nullptr;
  std::int64_t stride_ = 0, same_ = 0;
};

struct Table {
  Call like;
  std::vector<Column> columns;  // as Learner::Columns has them
  std::optional<Column> count;
  std::size_t rows = 0;

  void add(nb::handle tensors, const char* what, std::vector<TensorInfo>& group) {
    if (tensors.is_none()) return;
    if (!PyObject_HasAttrString(tensors.ptr(), "items"))
      raise_type_error(std::string(what) + ": a dict, not " + type_of(tensors));
    for (nb::handle item : nb::object(tensors.attr("items")())) {
      nb::object name = item[0], pair = item[1];
      if (!PyUnicode_Check(name.ptr()))
        raise_type_error(std::string(what) + ": names of tensors are str, not " + type_of(name));
      if (!PyTuple_Check(pair.ptr()) || nb::len(pair) != 2)
        raise_type_error(utf8(name) + ": (dtype, shape), not " + type_of(pair));
      TensorInfo info{utf8(name), to_dtype(nb::object(pair[0])), {}};
      for (nb::handle size : nb::object(pair[1])) {
        columns.emplace_back(size, info.name + " axis " + std::to_string(info.shape.size()));
        info.shape.push_back(0);
      }
      group.push_back(std::move(info));
    }
  }

  void count_rows() {
    std::optional<std::size_t> length;
    const auto agree = [&](const Column& column) {
      if (!column.rows()) return;
      if (length && *length != *column.rows())
        raise({ErrorCode::invalid_argument, "columns",
               "columns of " + std::to_string(*length) + " and " + std::to_string(*column.rows()) + " rows"});
      length = column.rows();
    };
    for (const Column& column : columns) agree(column);
    if (count) agree(*count);
    if (!length)
      raise({ErrorCode::invalid_argument, "columns", "no column, only single numbers; observe() takes one call"});
    rows = *length;
  }
};

// Learns rows `first` to `last`. REQUIRES: the interpreter's lock is not held.
Status learn(Learner& learner, Learner::Columns columns, const Table& table, std::size_t first, std::size_t last) {
  std::vector<std::int64_t> row(table.columns.size());
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.columns[k][i];
    const std::int64_t count = table.count ? (*table.count)[i] : 1;
    Status status = count < 1 ? Status(Error{ErrorCode::invalid_argument, "count", std::to_string(count)})
                              : learner.observe(columns, row, static_cast<std::uint64_t>(count));
    if (status.ok()) continue;
    Error error = std::move(status).error();
    error.where = "row " + std::to_string(i) + (error.where.empty() ? "" : ": " + error.where);
    return error;
  }
  return {};
}

}  // namespace

std::size_t observe_columns(SharedLearner& self, nb::handle inputs, nb::handle outputs, nb::handle batch_size, bool ok,
                            nb::handle count) {
  Table table;
  table.like.ok = ok;
  table.add(inputs, "inputs", table.like.inputs);
  table.add(outputs, "outputs", table.like.outputs);
  if (!batch_size.is_none()) {
    table.columns.emplace_back(batch_size, "batch_size");
    table.like.batch_size = 1;
  }
  if (!count.is_none()) table.count.emplace(count, "count");
  table.count_rows();
  // Learned apart and merged at the end: all rows or none, and no other thread waits meanwhile.
  Learner apart(self.with([](Learner& learner) { return learner.evidence().sample_size(); }));
  const Learner::Columns columns = unwrap(apart.columns_of(table.like));
  constexpr std::size_t kPiece = 1 << 18;
  for (std::size_t first = 0; first < table.rows; first += kPiece) {
    const std::size_t last = std::min(first + kPiece, table.rows);
    unwrap(without_gil([&] { return learn(apart, columns, table, first, last); }));
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  unwrap(self.with([&](Learner& learner) { return learner.merge(apart); }));
  return table.rows;
}

}  // namespace tensorspec::python
