#include "python/native/dlpack.h"

#include "python/native/error.h"
#include "python/native/tensor.h"

#include <memory>
#include <vector>

namespace py = pybind11;

namespace nnrt::python {
namespace {

constexpr const char* kName = "dltensor";  // consumers rename the capsule
constexpr int32_t kCpu = 1;                // kDLCPU

// DLPack's ABI before version 1.
struct DlDevice {
  int32_t type, id;
};
struct DlDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlDataType type;
  int64_t *shape, *strides;  // in elements; strides may be null if contiguous
  uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);
};

struct Managed {
  DlManagedTensor managed;
  std::vector<int64_t> shape;
  PyObject* owner;
};

// May be called by any thread, and after the interpreter has ended.
void destroy(DlManagedTensor* managed) {
  const std::unique_ptr<Managed> all(static_cast<Managed*>(managed->context));
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire acquired;
  Py_DECREF(all->owner);
}

void destroy_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName) == 0) return;
  auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  managed->deleter(managed);
}

}  // namespace

py::capsule to_dlpack(const py::object& object) {
  const Tensor& tensor = object.cast<const Tensor&>();
  if (tensor.read_only()) refuse("DLPack has no read-only tensors.");
  const Shape shape = tensor.shape();
  auto all = std::make_unique<Managed>();
  all->shape.assign(shape.begin(), shape.end());
  all->owner = object.ptr();
  const ElementType& type = tensor.type();
  const DlDataType element{type.dlpack_code, static_cast<uint8_t>(8 * type.size), 1};
  all->managed = {
      {tensor.data(), {kCpu, 0}, static_cast<int32_t>(shape.size()), element, all->shape.data(), nullptr, 0},
      all.get(),
      destroy};
  py::capsule capsule(&all->managed, kName, destroy_unused);
  Py_INCREF(all->owner);
  static_cast<void>(all.release());  // freed by its deleter
  return capsule;
}

}  // namespace nnrt::python
