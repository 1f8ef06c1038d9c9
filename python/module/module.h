// What the files of the Python module share. The module is thin: it turns Python's values into the library's and back.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "gil.h"
#include "neuopt.h"

namespace neuopt::python {

/// Adds Instance, and what reads, makes, draws and verifies instances.
void add_instances(py::module_& module);

/// Adds Solver and what it is told.
void add_solver(py::module_& module);

/// Text from files, which may hold any bytes: what is not UTF-8 is replaced.
inline py::str to_text(const std::string& bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

/// Refuses to read an object of a class whose __init__ was never called, as __new__ alone makes it. pybind11 would give
/// it memory where nothing was constructed.
inline void refuse_unmade(const py::handle& type) {
  py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr()))->operator_new = [](std::size_t) -> void* {
    throw py::type_error("this object was never made: its __init__ was not called");
  };
}

/// Collects warnings while the GIL is released, for Python to take afterwards.
struct Notes {
  std::vector<std::string> texts;

  WarningSink sink() {
    return [this](const std::string& text) { texts.push_back(text); };
  }
  /// Hands each to a Python function.
  void deliver(py::handle note) {
    for (const std::string& text : texts) call_python(note, to_text(text));
    texts.clear();
  }
};

}  // namespace neuopt::python
