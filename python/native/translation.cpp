#include "python/native/translation.h"

#include "python/native/error.h"

#include <exception>

namespace py = pybind11;

namespace nnrt::python {
namespace {

// Raises nnrt.Error(message, code).
// NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 calls it so.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    const py::object type = py::module_::import("nnrt._error").attr("Error");
    PyErr_SetObject(
        type.ptr(),
        type(text_of(failure.what(), "backslashreplace"), static_cast<int>(failure.code())).ptr());
  }
}

}  // namespace

py::str text_of(const std::string& bytes, const char* errors) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), errors));
}

void register_errors() { py::register_exception_translator(translate); }

}  // namespace nnrt::python
