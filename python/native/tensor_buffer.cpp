#include "python/native/tensor_buffer.h"

namespace py = pybind11;

namespace nnrt::python {
namespace {

py::buffer_info view(Tensor& tensor) {
  const Shape shape = tensor.shape();
  const auto size = static_cast<py::ssize_t>(tensor.type().size);
  std::vector<py::ssize_t> dimensions(shape.begin(), shape.end()), strides(shape.size());
  py::ssize_t stride = size;
  for (size_t i = shape.size(); i-- > 0; stride *= dimensions[i]) strides[i] = stride;
  return {tensor.data(),
          size,
          std::string(tensor.type().format),
          static_cast<py::ssize_t>(shape.size()),
          std::move(dimensions),
          std::move(strides),
          tensor.read_only()};
}

getbufferproc get_unguarded = nullptr;

// pybind11 before 2.13 lets exceptions escape into Python, which ends the process.
int get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
  std::string reason = "The tensor could not be created.";
  try {
    if (py::isinstance<Tensor>(object) && py::detail::make_caster<Tensor>().load(object, false))
      return get_unguarded(object, buffer, flags);
  } catch (const std::exception& failure) {
    reason = failure.what();
  }
  if (buffer != nullptr) buffer->obj = nullptr;
  PyErr_SetString(PyExc_BufferError, reason.c_str());
  return -1;
}

}  // namespace

void add_buffer_protocol(TensorClass& type) {
  type.def_buffer(view);
  PyBufferProcs* const procs = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_as_buffer;
  get_unguarded = std::exchange(procs->bf_getbuffer, get_buffer);
}

}  // namespace nnrt::python
