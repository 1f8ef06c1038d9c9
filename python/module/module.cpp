// neuopt._core: the module's name, its errors and its parts.
#include "module.h"

namespace neuopt::python {
namespace {

/// The library's errors with their texts: the caller's fault is a ValueError, a failed device a RuntimeError.
void translate_errors(std::exception_ptr failure) {
  const auto raise = [](PyObject* type, const char* text) { PyErr_SetObject(type, to_text(text).ptr()); };
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const InputError& error) {
    raise(PyExc_ValueError, error.what());
  } catch (const Error& error) {
    raise(PyExc_RuntimeError, error.what());
  }
}

}  // namespace
}  // namespace neuopt::python

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.doc() = "The compiled part of neuopt.";
  module.attr("__version__") = NEUOPT_VERSION;
  py::register_exception_translator(neuopt::python::translate_errors);
  neuopt::python::add_instances(module);
  neuopt::python::add_solver(module);
  module.def(
      "devices", [] { return neuopt::python::without_gil(neuopt::devices); },
      "The devices of this build that work here, the best first.");
}
