#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/tensor/nn_tensor_desc.h"
#include "backends/devices.h"

#include <neural_network_runtime/neural_network_core.h>

namespace nnrt {
namespace {

using NewTensor = Result<std::unique_ptr<NN_Tensor>>;

constexpr size_t kMaxBytes = size_t{1} << 30;

Result<Device*> find_device(size_t id) {
  Device* device = device_registry().find(id);
  if (device == nullptr) return invalid("Device (", id, ") does not exist.");
  return device;
}

// Minimum size for a description; 0 if dimensions are unknown.
Result<size_t> min_bytes(const NN_TensorDesc& desc) {
  auto bytes = byte_size(desc);
  if (!bytes.ok() && bytes.error().code == Code::dynamic_shape) return size_t{0};
  return bytes;
}

NewTensor make_tensor(size_t device_id, const NN_TensorDesc& desc, size_t bytes) {
  NNRT_ASSIGN(Device * device, find_device(device_id));
  if (bytes == 0 || bytes > kMaxBytes) {
    return invalid("The size of the tensor (", bytes, ") is outside [1, ", kMaxBytes, "].");
  }
  NNRT_ASSIGN(auto memory, device->allocate(bytes));
  const int fd = memory->fd();
  auto place = std::make_shared<TensorPlace>(TensorPlace{std::move(memory), fd, bytes, 0, true});
  return std::make_unique<NN_Tensor>(NN_Tensor{std::make_shared<NN_TensorDesc>(desc), std::move(place)});
}

NewTensor adopt_tensor(size_t device_id, const NN_TensorDesc& desc, int fd, size_t size, size_t offset) {
  NNRT_ASSIGN(const size_t bytes, min_bytes(desc));
  NNRT_TRY(find_device(device_id));
  if (fd < 0) return invalid("The file descriptor (", fd, ") is negative.");
  if (size == 0) return invalid("The size of the memory is 0.");
  if (offset > size)
    return invalid("The offset (", offset, ") is beyond the end of the memory (", size, ").");
  if (size - offset < bytes) {
    return invalid("The tensor takes ", bytes, " bytes; the memory has ", size - offset,
                   " after the offset.");
  }
  NNRT_ASSIGN(auto memory, SharedMemory::adopt(fd, size));
  auto place = std::make_shared<TensorPlace>(TensorPlace{std::move(memory), fd, size, offset});
  return std::make_unique<NN_Tensor>(NN_Tensor{std::make_shared<NN_TensorDesc>(desc), std::move(place)});
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc) {
  return guard_new(__func__, [&]() -> NewTensor {
    NNRT_TRY(require({{"tensorDesc", tensorDesc}}));
    NNRT_ASSIGN(const size_t bytes, byte_size(*tensorDesc));
    return make_tensor(deviceID, *tensorDesc, bytes);
  });
}

NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size) {
  return guard_new(__func__, [&]() -> NewTensor {
    NNRT_TRY(require({{"tensorDesc", tensorDesc}}));
    NNRT_ASSIGN(const size_t bytes, min_bytes(*tensorDesc));
    if (size < bytes) return invalid("The tensor takes ", bytes, " bytes; its size (", size, ") is smaller.");
    return make_tensor(deviceID, *tensorDesc, size);
  });
}

NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                    size_t offset) {
  return guard_new(__func__, [&]() -> NewTensor {
    NNRT_TRY(require({{"tensorDesc", tensorDesc}}));
    return adopt_tensor(deviceID, *tensorDesc, fd, size, offset);
  });
}

OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor) {
  return guard(__func__, [&] { return destroy("tensor", tensor); });
}

NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor) {
  return guard_pointer(__func__, [&]() -> Result<NN_TensorDesc*> {
    NNRT_TRY(require({{"tensor", tensor}}));
    return tensor->desc.get();
  });
}

void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor) {
  return guard_pointer(__func__, [&]() -> Result<void*> {
    NNRT_TRY(require({{"tensor", tensor}}));
    return tensor->place->memory->data() + tensor->place->offset;
  });
}

OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd) {
  return guard(__func__, {{"tensor", tensor}, {"fd", fd}}, [&] { *fd = tensor->place->fd; });
}

OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size) {
  return guard(__func__, {{"tensor", tensor}, {"size", size}}, [&] { *size = tensor->place->size; });
}

OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset) {
  return guard(__func__, {{"tensor", tensor}, {"offset", offset}}, [&] { *offset = tensor->place->offset; });
}
