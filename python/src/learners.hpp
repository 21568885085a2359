// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "tensors.hpp"
#include "tensorspec/learner.hpp"

namespace tensorspec::python {

// Holds a mutex that is never waited for with the interpreter's lock in hand, so that whoever has it may take that
// lock.
class Lock {
 public:
  explicit Lock(std::mutex& mutex) : mutex_(mutex) {
    if (mutex_.try_lock()) return;
    nb::gil_scoped_release released;
    mutex_.lock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { mutex_.unlock(); }

 private:
  std::mutex& mutex_;
};

// A Learner that any number of threads may use.
class SharedLearner {
 public:
  explicit SharedLearner(Learner learner) : learner_(std::move(learner)) {}

  void observe(nb::handle inputs, nb::handle outputs, nb::handle batch_size, std::optional<bool> ok,
               std::optional<std::uint64_t> count);
  // Runs `use(Learner&)` alone. REQUIRES: the interpreter's lock is not held.
  template <class Use>
  auto alone(Use&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<Use>(use)(learner_);
  }
  // The same, from Python.
  template <class Use>
  auto with(Use&& use) {
    return without_gil([&] { return alone(std::forward<Use>(use)); });
  }
  Learner copy() {
    return with([](Learner& learner) { return learner; });
  }
  Evidence evidence() {
    return with([](Learner& learner) { return learner.evidence(); });
  }

 private:
  struct Layout {
    Kind kind;
    Learner::Columns columns;
  };
  Status learn(Tensors& tensors, std::optional<std::int64_t> batch_size, bool ok, std::uint64_t count);

  std::mutex mutex_;
  Learner learner_;
  std::vector<Layout> layouts_;
  std::size_t last_ = 0;
};

// Learner.observe_columns; returns the number of rows.
std::size_t observe_columns(SharedLearner& self, nb::handle inputs, nb::handle outputs, nb::handle batch_size, bool ok,
                            nb::handle count);

}  // namespace tensorspec::python
