#include "python/native/dlpack.h"
#include "python/native/dlpack_abi.h"
#include "python/native/element_type.h"
#include "python/native/error.h"

#include <string>
#include <vector>

namespace py = pybind11;

namespace nnrt::python {
namespace {

void check_host(const DlDevice& device) {
  if (device.type == kDlCpu) return;
  refuse("The memory is that of device (" + std::to_string(device.type) + ", " + std::to_string(device.id) +
         "), not the host's.");
}

const ElementType& type_of(const DlDataType& type) {
  const ElementType* const found = type.lanes == 1 ? find_dlpack_type(type.code, type.bits) : nullptr;
  if (found != nullptr) return *found;
  refuse("Tensors have no elements of DLPack's type " + std::to_string(type.code) + " with " +
         std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) + " lanes.");
}

py::array array_of(const DlTensor& tensor, const ElementType& type, const py::capsule& owner) {
  const std::vector<py::ssize_t> shape(tensor.shape, tensor.shape + tensor.rank);
  std::vector<py::ssize_t> strides;  // in bytes; empty: contiguous
  if (tensor.strides != nullptr) {
    for (int32_t i = 0; i < tensor.rank; ++i)
      strides.push_back(tensor.strides[i] * static_cast<py::ssize_t>(type.size));
  }
  const auto* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  return {py::dtype(std::string(type.name)), shape, strides, data, owner};
}

template <typename Managed>
py::array take(PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kName));
  if constexpr (requires { managed->major; }) {
    if (managed->major > kDlMajor)
      refuse("DLPack " + std::to_string(managed->major) + " is newer than version 1.");
  }
  check_host(managed->tensor.device);
  const ElementType& type = type_of(managed->tensor.type);
  const py::capsule owner(managed, [](void* taken) {
    auto* const all = static_cast<Managed*>(taken);
    if (all->deleter != nullptr) all->deleter(all);
  });
  PyCapsule_SetName(capsule, Managed::kUsedName);  // the owner frees it from here on
  return array_of(managed->tensor, type, owner);
}

}  // namespace

py::array from_dlpack(const py::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), DlManagedTensorVersioned::kName) != 0)
    return take<DlManagedTensorVersioned>(capsule.ptr());
  if (PyCapsule_IsValid(capsule.ptr(), DlManagedTensor::kName) != 0)
    return take<DlManagedTensor>(capsule.ptr());
  refuse("__dlpack__ does not return an unused DLPack capsule.");
}

}  // namespace nnrt::python
