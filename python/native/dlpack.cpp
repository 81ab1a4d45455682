#include "python/native/dlpack.h"

#include "python/native/dlpack_abi.h"
#include "python/native/error.h"
#include "python/native/tensor.h"

#include <memory>
#include <vector>

namespace py = pybind11;

namespace nnrt::python {
namespace {

template <typename Managed>
struct Export {
  Managed managed;
  std::vector<int64_t> shape, strides;
  PyObject* owner;
};

// May be called by any thread, and after the interpreter has ended.
template <typename Managed>
void destroy(Managed* managed) {
  const std::unique_ptr<Export<Managed>> all(static_cast<Export<Managed>*>(managed->context));
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire acquired;
  Py_DECREF(all->owner);
}

template <typename Managed>
void destroy_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Managed::kName) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kName));
  managed->deleter(managed);
}

std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

template <typename Managed>
std::unique_ptr<Export<Managed>> make_export(const py::object& object) {
  const Tensor& tensor = object.cast<const Tensor&>();
  auto all = std::make_unique<Export<Managed>>();
  const Shape shape = tensor.shape();
  all->shape.assign(shape.begin(), shape.end());
  all->strides = contiguous_strides(all->shape);
  all->owner = object.ptr();
  const ElementType& type = tensor.type();
  const DlDataType element{type.dlpack_code, static_cast<uint8_t>(8 * type.size), 1};
  all->managed.tensor = {tensor.data(),
                         {kDlCpu, 0},
                         static_cast<int32_t>(shape.size()),
                         element,
                         all->shape.data(),
                         all->strides.data(),
                         0};
  all->managed.context = all.get();
  all->managed.deleter = destroy<Managed>;
  return all;
}

template <typename Managed>
py::capsule capsule_of(std::unique_ptr<Export<Managed>> all) {
  py::capsule capsule(&all->managed, Managed::kName, destroy_unused<Managed>);
  Py_INCREF(all->owner);
  static_cast<void>(all.release());  // freed by its deleter
  return capsule;
}

}  // namespace

py::capsule to_dlpack(const py::object& object, bool versioned, bool is_copy) {
  const bool read_only = object.cast<const Tensor&>().read_only();
  if (!versioned) {
    if (read_only) refuse("DLPack before version 1 has no read-only tensors.");
    return capsule_of(make_export<DlManagedTensor>(object));
  }
  auto all = make_export<DlManagedTensorVersioned>(object);
  all->managed.major = kDlMajor;
  all->managed.minor = 0;
  all->managed.flags = (read_only ? kDlReadOnly : 0) | (is_copy ? kDlIsCopied : 0);
  return capsule_of(std::move(all));
}

}  // namespace nnrt::python
