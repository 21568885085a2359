// SPDX-License-Identifier: Apache-2.0
#include "reading.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "base/try.hpp"
#include "tensors.hpp"
#include "tensorspec/read.hpp"

namespace tensorspec::python {

ReadOptions::ReadOptions(nb::handle from, nb::handle format, const std::string& files, nb::handle on_bad)
    : bad(nb::borrow(on_bad)) {
  const auto add = [&](nb::handle path) {
    nb::object bytes = nb::steal(PyOS_FSPath(path.ptr()));
    if (!bytes.is_valid()) throw nb::python_error();
    if (PyUnicode_Check(bytes.ptr())) bytes = nb::steal(PyUnicode_EncodeFSDefault(bytes.ptr()));
    if (!bytes.is_valid()) throw nb::python_error();
    paths.emplace_back(PyBytes_AsString(bytes.ptr()));
  };
  if (PyList_Check(from.ptr()) || PyTuple_Check(from.ptr()))
    for (nb::handle path : from) add(path);
  else add(from);
  if (!format.is_none()) {
    if (!PyUnicode_Check(format.ptr())) raise_type_error("format: a str or None, not " + type_of(format));
    ingest.from = utf8(format);
    bool known = false;
    for (const FormatInfo& info : formats()) known = known || info.id == ingest.from;
    if (!known)
      raise(
          {ErrorCode::invalid_argument, "format", "\"" + ingest.from + "\"; tensorspec.formats() lists what is read"});
  }
  if (files == "tensors") ingest.files = IngestOptions::Files::tensors;
  else if (files == "calls") ingest.files = IngestOptions::Files::calls;
  else if (files != "auto")
    raise({ErrorCode::invalid_argument, "files", "\"" + files + "\", not auto, tensors or calls"});
}

namespace {

// What is bad goes to the caller's function, or, without one, the first is raised when reading has ended.
class Complaints {
 public:
  explicit Complaints(nb::handle bad) : bad_(nb::borrow(bad)) {
    if (!bad_.is_none() && !PyCallable_Check(bad_.ptr()))
      raise_type_error("bad: a function that takes an Error, or None, not " + type_of(bad_));
  }
  // Whether to go on. REQUIRES: the interpreter's lock is not held.
  bool hear(const Error& error) {
    if (bad_.is_none()) {
      if (!first_) first_ = error;
      return false;
    }
    nb::gil_scoped_acquire held;
    try {
      bad_(to_exception(error));
    } catch (nb::python_error& exception) {
      raised_.emplace(std::move(exception));
      return false;
    }
    return true;
  }
  // Keeps the Python error that is set. REQUIRES: the interpreter's lock is held.
  void interrupt() { raised_.emplace(); }
  bool stopped() const noexcept { return first_ || raised_; }
  void raise_first() {
    if (raised_) {
      raised_->restore();
      throw nb::python_error();
    }
    if (first_) raise(*first_);
  }

 private:
  nb::object bad_;
  std::optional<Error> first_;
  std::optional<nb::python_error> raised_;
};

// A Python exception on its way out of the reader.
struct Stopped {};

class Reading {
 public:
  Reading(ReadOptions& options, const std::function<Status(const Call&, std::string_view)>& use)
      : options_(options), use_(use), complaints_(options.bad) {}

  std::uint64_t run() {
    IngestHandlers handlers;
    handlers.call = [this](const Call& call, std::string_view origin) {
      if (++calls_ % 4096 == 0) listen();
      if (Status status = use_(call, origin);
          !status.ok() && !complaints_.hear(within(std::move(status).error(), origin, ": ")))
        throw Stopped{};
    };
    handlers.bad = [this](const Error& error) { return complaints_.hear(error); };
    handlers.note = [this](const std::string& note) { options_.notes.push_back(note); };
    handlers.file = [this](std::uint64_t) { listen(); };
    without_gil([&] {
      try {
        ingest(options_.paths, options_.ingest, handlers);
      } catch (const Stopped&) {
        // What stopped it is told below.
      }
    });
    complaints_.raise_first();
    return calls_;
  }

 private:
  void listen() {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return;
    complaints_.interrupt();
    throw Stopped{};
  }

  ReadOptions& options_;
  const std::function<Status(const Call&, std::string_view)>& use_;
  Complaints complaints_;
  std::uint64_t calls_ = 0;
};

nb::tuple read(nb::handle paths, nb::handle format, const std::string& files, nb::handle bad) {
  ReadOptions options(paths, format, files, bad);
  std::vector<Call> calls;
  std::vector<std::string> origins;
  read_calls(options, [&](const Call& call, std::string_view origin) -> Status {
    calls.push_back(call);
    origins.emplace_back(origin);
    return {};
  });
  return nb::make_tuple(std::move(calls), std::move(origins), std::move(options.notes));
}

class TensorList final : public ReadSink {
 public:
  explicit TensorList(Complaints& complaints) : complaints_(complaints) {}
  void tensor(TensorInfo tensor) override { tensors.push_back(std::move(tensor)); }
  void call(const Call& call, std::uint64_t) override {
    tensors.insert(tensors.end(), call.inputs.begin(), call.inputs.end());
    tensors.insert(tensors.end(), call.outputs.begin(), call.outputs.end());
  }
  bool bad(const Error& error) override { return complaints_.hear(error); }
  std::vector<TensorInfo> tensors;

 private:
  Complaints& complaints_;
};

std::vector<TensorInfo> read_tensors(const std::filesystem::path& path, const std::string& format, nb::handle bad) {
  Complaints complaints(bad);
  TensorList sink(complaints);
  without_gil([&] {
    const auto id = read_file(path, sink, format);
    if (!id.ok() && !complaints.stopped()) complaints.hear(id.error());
  });
  complaints.raise_first();
  return std::move(sink.tensors);
}

}  // namespace

std::uint64_t read_calls(ReadOptions& options, const std::function<Status(const Call&, std::string_view origin)>& use) {
  return Reading(options, use).run();
}

void bind_read(nb::module_& module) {
  module.def("_read", &read, "paths"_a, "format"_a.none(), "files"_a, "bad"_a.none());
  module.def("read_tensors", &read_tensors, "path"_a, "format"_a = "", nb::kw_only(), "bad"_a = nb::none(),
             nb::sig("def read_tensors(path: str | os.PathLike[str], format: str = '', *, bad: "
                     "collections.abc.Callable[[Error], object] | None = None) -> list[TensorInfo]"),
             R"doc(The tensors that one file holds, from its headers alone: .npy, .npz, safetensors, torch, ...

The array of an .npy file has the name "". Raises tensorspec.Error with file, place and reason, unless `bad` is given:
it gets each, and what can be read is returned.)doc");
  module.def(
      "formats",
      [] {
        nb::list out;
        for (const FormatInfo& info : formats()) out.append(nb::make_tuple(info.id, info.title, info.extensions));
        return out;
      },
      nb::sig("def formats() -> list[tuple[str, str, str]]"),
      "What is read: the word for `format`, a title, usual extensions.");
}

}  // namespace tensorspec::python
