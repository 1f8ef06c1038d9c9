// The GIL given up and taken again, and Python's functions called, so that the interpreter may end meanwhile. A thread
// that asks for the GIL is then ended by unwinding its stack (from Python 3.14 on it waits forever). So no destructor
// may ask for it, as py::gil_scoped_release does: unwinding that begins in a destructor ends the process. Destructors
// also run without the GIL, so that none may let go of an object that nobody else holds.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace neuopt::python {

namespace py = pybind11;

/// Runs work that touches nothing of Python, without the GIL; returns or throws what it does, with the GIL.
template <typename Work>
std::invoke_result_t<const Work&> without_gil(const Work& work) {
  std::optional<std::invoke_result_t<const Work&>> result;
  std::exception_ptr failure;
  PyThreadState* const thread = PyEval_SaveThread();
  try {
    result = work();
  } catch (...) {
    failure = std::current_exception();
  }
  PyEval_RestoreThread(thread);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

/// Calls a Python function for what it does. Throws error_already_set when it raises.
template <typename... Arguments>
void call_python(py::handle function, Arguments&&... arguments) {
  PyObject* const given = py::make_tuple(std::forward<Arguments>(arguments)...).release().ptr();
  PyObject* const answer = PyObject_CallObject(function.ptr(), given);  // where the thread ends, `given` stays
  Py_DECREF(given);
  if (answer == nullptr) throw py::error_already_set();
  Py_DECREF(answer);
}

}  // namespace neuopt::python
