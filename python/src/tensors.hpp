// SPDX-License-Identifier: Apache-2.0
//
// Tensors of any Python library, read by name, dtype and shape alone. Their storage is never touched, so tensors that
// are meta, fake, lazy, copy-on-write or inside vmap stay as they are.
#pragma once

#include <array>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>
#include <vector>

#include "attributes.hpp"
#include "bindings.hpp"
#include "tensorspec/call.hpp"

namespace tensorspec::python {

// The tensors of one call, as read: inputs, then outputs.
class Tensors {
 public:
  struct Tensor {
    PyObject* name;      // a str of exactly that type
    const DType* dtype;  // one object per dtype of a library, so that the same are mostly told by address
    std::uint32_t rank;
  };

  Tensors() = default;
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  ~Tensors();

  // Appends what a mapping of names to tensors, or a sequence of TensorInfo, holds; None: nothing. A tensor is what has
  // `shape` and `dtype`, a TensorInfo, or a pair (dtype, shape). Raises TypeError, tensorspec.Error, and what the
  // tensors' attributes raise.
  void read(nb::handle tensors, const char* what);
  // One tensor of it.
  void add(nb::handle name, nb::handle tensor, const char* what);
  void end_inputs() noexcept { inputs_ = count_; }

  std::size_t inputs() const noexcept { return inputs_; }
  std::span<const Tensor> all() const noexcept {
    return {count_ <= inline_.size() ? inline_.data() : heap_.data(), count_};
  }
  // The extents of all tensors, one after the other.
  Extents& extents() noexcept { return extents_; }
  const Extents& extents() const noexcept { return extents_; }

  // Without batch size, accepted, once.
  Call to_call() const;

 private:
  const DType* read_fast(PyObject* tensor);
  const DType* read_any(nb::handle tensor, const std::string& name, std::size_t first);
  void push(PyObject* name, const DType* dtype, std::size_t rank);
  const DType* keep(DType dtype) { return &own_.emplace_front(std::move(dtype)); }

  std::array<Tensor, 64> inline_;
  std::vector<Tensor> heap_;
  std::size_t count_ = 0, inputs_ = 0;
  Extents extents_;
  Lately lately_;
  std::forward_list<DType> own_;  // of dtypes that have no object for ever
};

// The extents of an object's `shape`, or the object itself when it is a sequence of sizes. `name` is for messages.
void read_shape(nb::handle shape, std::string_view name, Extents& out);
// One tensor, called `name`.
TensorInfo to_tensor_info(nb::handle tensor, std::string name);
// None, or a whole number: int, NumPy integer, a float such as 2.0, or a NaN, which is not known. Raises
// tensorspec.Error (invalid_batch_size) for other numbers, TypeError for what is none; `unknown` is how that message
// calls a size that is not known.
std::optional<std::int64_t> to_batch_size(nb::handle value, const char* unknown = "None");
// A whole number of any kind of integer object; nullopt when it is none, or does not fit.
std::optional<std::int64_t> to_int64(nb::handle value);

std::string utf8(nb::handle text);
std::string type_of(nb::handle object);

// Calls use(name, value) for the entries of a mapping from text; None has none. Raises TypeError for what is no such
// mapping, called `what`.
template <class Use>
void each_named(nb::handle mapping, const char* what, Use use) {
  if (mapping.is_none()) return;
  if (!PyObject_HasAttrString(mapping.ptr(), "items"))
    raise_type_error(std::string(what) + ": a dict, not " + type_of(mapping));
  for (nb::handle item : nb::object(mapping.attr("items")())) {
    nb::object key = item[0], value = item[1];
    if (!PyUnicode_Check(key.ptr())) raise_type_error(std::string(what) + ": names are str, not " + type_of(key));
    use(utf8(key), value);
  }
}

// What calls of one kind have in common: names, dtypes, ranks.
class Kind {
 public:
  Kind(const Tensors& tensors, bool has_batch_size, bool ok);
  bool fits(const Tensors& tensors, bool has_batch_size, bool ok) const noexcept;

 private:
  struct Slot {
    nb::object name;
    const DType* dtype;  // as it was read, or a copy of our own
    std::size_t rank;
  };
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<DType>> own_;
  std::size_t inputs_;
  bool has_batch_size_, ok_;
};

}  // namespace tensorspec::python
