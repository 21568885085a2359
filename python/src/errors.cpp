// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "bindings.hpp"

namespace tensorspec::python {
namespace {

nb::object text_or_none(std::string_view text) {
  return text.empty() ? nb::none()
                      : nb::object(nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                                                  "surrogateescape")));
}

// Where the name of a file ends in a place such as "calls.jsonl:line 3"; 0: there is none.
std::size_t file_length(const std::string& where) {
  for (std::size_t end = where.size(); end != std::string::npos && end > 0; end = where.rfind(':', end - 1)) {
    std::error_code ignored;
    if (std::filesystem::exists(where.substr(0, end), ignored)) return end;
  }
  return 0;
}

}  // namespace

nb::object to_exception(const Error& error) {
  const bool of_file = static_cast<int>(error.code) >= 100;
  std::size_t file = of_file ? file_length(error.where) : 0;
  // A file that is not there is its whole place.
  if (error.code == ErrorCode::file_open || error.code == ErrorCode::file_write) file = error.where.size();
  std::string_view place = std::string_view(error.where).substr(file);
  while (file > 0 && !place.empty() && (place.front() == ':' || place.front() == ' ')) place.remove_prefix(1);
  const std::string reason = std::string(error_text(error.code)) + (error.detail.empty() ? "" : ": " + error.detail);
  nb::object type = nb::module_::import_("tensorspec.errors").attr("Error");
  return type(error_name(error.code), text_or_none(error.message()), text_or_none(error.where.substr(0, file)),
              text_or_none(place), text_or_none(printable(reason)));
}

void raise(const Error& error) {
  nb::object exception = to_exception(error);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void raise_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

std::string repr_of(std::string_view text) {
  return nb::cast<std::string>(nb::steal<nb::str>(PyObject_Repr(
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")).ptr())));
}

}  // namespace tensorspec::python
