// A tensor in memory shared by host and devices.
#pragma once

#include "python/native/element_type.h"
#include "tools/import/nn_handles.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::python {

using Shape = std::vector<int32_t>;

// clang-format takes a line beginning with `import` for a module import.
using TensorDescHandle = import::TensorDescHandle;
using TensorHandle = import::TensorHandle;

// A tensor description of the C API; dimensions may be -1.
TensorDescHandle describe(const ElementType& type, const Shape& shape);

Shape shape_of(const NN_Tensor* tensor);

// Throws if a dimension is negative or the size overflows.
size_t byte_count(const ElementType& type, const Shape& shape);

class Tensor {
 public:
  // Allocates memory, filled with zeros.
  Tensor(const Shape& shape, const ElementType& type, size_t device);
  // Uses the caller's memory from `offset` on, which other processes may map too.
  Tensor(int fd, size_t offset, const Shape& shape, const ElementType& type, size_t device);

  const ElementType& type() const { return *type_; }
  // For an output, the shape of the last run.
  Shape shape() const { return shape_of(handle_.get()); }
  size_t bytes() const { return byte_count(*type_, shape()); }
  void* data() const { return OH_NNTensor_GetDataBuffer(handle_.get()); }
  int fd() const;
  size_t offset() const;
  bool read_only() const { return read_only_; }
  NN_Tensor* handle() const { return handle_.get(); }

  void keep_on_device();
  void to_host();
  void from_host();

 private:
  const ElementType* type_;
  import::TensorHandle handle_;
  bool read_only_ = false;
};

}  // namespace nnrt::python
