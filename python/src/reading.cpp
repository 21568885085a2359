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
  if (!bad.is_none() && !PyCallable_Check(bad.ptr()))
    raise_type_error("bad: a function that takes an Error, or None, not " + type_of(bad));
  if (!format.is_none()) {
    ingest.from = nb::cast<std::string>(format);
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

// A Python exception on its way out of the reader.
struct Stopped {};

class Reading {
 public:
  Reading(ReadOptions& options, const std::function<Status(const Call&, std::string_view)>& use)
      : options_(options), use_(use) {}

  std::uint64_t run() {
    IngestHandlers handlers;
    handlers.call = [this](const Call& call, std::string_view origin) {
      if (++calls_ % 4096 == 0) listen();
      if (Status status = use_(call, origin); !status.ok() && !bad(within(std::move(status).error(), origin, ": ")))
        throw Stopped{};
    };
    handlers.bad = [this](const Error& error) { return bad(error); };
    handlers.note = [this](const std::string& note) { options_.notes.push_back(note); };
    handlers.file = [this](std::uint64_t) { listen(); };
    without_gil([&] {
      try {
        ingest(options_.paths, options_.ingest, handlers);
      } catch (const Stopped&) {
        // What stopped it is told below.
      }
    });
    if (raised_) {
      raised_->restore();
      throw nb::python_error();
    }
    if (first_) raise(*first_);
    return calls_;
  }

 private:
  void listen() {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return;
    raised_.emplace();
    throw Stopped{};
  }
  bool bad(const Error& error) {
    if (options_.bad.is_none()) {
      first_ = error;
      return false;
    }
    nb::gil_scoped_acquire held;
    try {
      options_.bad(to_exception(error));
    } catch (nb::python_error& exception) {
      raised_.emplace(std::move(exception));
      return false;
    }
    return true;
  }

  ReadOptions& options_;
  const std::function<Status(const Call&, std::string_view)>& use_;
  std::uint64_t calls_ = 0;
  std::optional<Error> first_;
  std::optional<nb::python_error> raised_;
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
  explicit TensorList(std::vector<TensorInfo>& tensors) : tensors_(tensors) {}
  void tensor(TensorInfo tensor) override { tensors_.push_back(std::move(tensor)); }
  void call(const Call& call, std::uint64_t) override {
    tensors_.insert(tensors_.end(), call.inputs.begin(), call.inputs.end());
    tensors_.insert(tensors_.end(), call.outputs.begin(), call.outputs.end());
  }
  bool bad(const Error& error) override {
    if (!first) first = error;
    return false;
  }
  std::optional<Error> first;

 private:
  std::vector<TensorInfo>& tensors_;
};

}  // namespace

std::uint64_t read_calls(ReadOptions& options, const std::function<Status(const Call&, std::string_view origin)>& use) {
  return Reading(options, use).run();
}

void bind_read(nb::module_& module) {
  module.def("_read", &read, "paths"_a, "format"_a.none(), "files"_a, "bad"_a.none());
  module.def(
      "read_tensors",
      [](const std::filesystem::path& path, const std::string& format) {
        std::vector<TensorInfo> tensors;
        TensorList sink(tensors);
        const auto id = without_gil([&] { return read_file(path, sink, format); });
        if (sink.first) raise(*sink.first);
        unwrap(id);
        return tensors;
      },
      "path"_a, "format"_a = "",
      R"doc(The tensors that one file holds, from its headers alone: .npy, .npz, safetensors, torch, ...

The array of an .npy file has the name "". Raises tensorspec.Error with file, place and reason.)doc");
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
