#include "python/native/tensor.h"

#include "python/native/error.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace nnrt::python {
namespace {

bool can_be_written(int fd) {
  const int mode = fcntl(fd, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) != O_RDWR) return false;
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals < 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0;
}

}  // namespace

TensorDescHandle describe(const ElementType& type, const Shape& shape) {
  auto desc = own<import::TensorDescHandle>(OH_NNTensorDesc_Create());
  check(OH_NNTensorDesc_SetDataType(desc.get(), type.type));
  if (!shape.empty()) check(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size()));
  return desc;
}

Shape shape_of(const NN_Tensor* tensor) {
  int32_t* dimensions = nullptr;
  size_t rank = 0;
  check(OH_NNTensorDesc_GetShape(OH_NNTensor_GetTensorDesc(tensor), &dimensions, &rank));
  return {dimensions, dimensions + rank};
}

size_t byte_count(const ElementType& type, const Shape& shape) {
  size_t bytes = type.size;
  for (const int32_t dimension : shape) {
    if (dimension < 0) refuse("A dimension (" + std::to_string(dimension) + ") is negative.");
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(dimension), &bytes))
      refuse("The tensor is too large.");
  }
  return bytes;
}

Tensor::Tensor(const Shape& shape, const ElementType& type, size_t device) : type_(&type) {
  const size_t bytes = std::max<size_t>(byte_count(type, shape), 1);
  handle_ = own<import::TensorHandle>(OH_NNTensor_CreateWithSize(device, describe(type, shape).get(), bytes));
}

Tensor::Tensor(int fd, size_t offset, const Shape& shape, const ElementType& type, size_t device)
    : type_(&type), read_only_(!can_be_written(fd)) {
  const size_t size = offset + std::max<size_t>(byte_count(type, shape), 1);
  handle_ = own<import::TensorHandle>(
      OH_NNTensor_CreateWithFd(device, describe(type, shape).get(), fd, size, offset));
}

int Tensor::fd() const {
  int fd = -1;
  check(OH_NNTensor_GetFd(handle_.get(), &fd));
  return fd;
}

size_t Tensor::offset() const {
  size_t offset = 0;
  check(OH_NNTensor_GetOffset(handle_.get(), &offset));
  return offset;
}

void Tensor::keep_on_device() { check(OH_NNRt_KeepOnDevice(handle_.get())); }
void Tensor::to_host() { check(OH_NNRt_SyncTensor(handle_.get(), OH_NNRT_SYNC_TO_HOST)); }
void Tensor::from_host() { check(OH_NNRt_SyncTensor(handle_.get(), OH_NNRT_SYNC_FROM_HOST)); }

}  // namespace nnrt::python
