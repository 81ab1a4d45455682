// Places tensors of an interpreter in the runtime's memory, so that runs copy nothing.
#pragma once

#include "tools/plugins/base/program.h"

#include <tensorflow/lite/core/c/common.h>

#include <map>

namespace nnrt::tflite_plugin {

// Of one interpreter's graph, shared by its kernels. The interpreter sees custom allocations.
class TensorMemory {
 public:
  // Moves the tensor to shared memory unless it is there, and counts a user of it. Null: the client owns the
  // tensor's memory, or its size is not known yet.
  Result<plugins::SharedTensor> attach(TfLiteContext* context, int32_t tensor, size_t device,
                                       const import::Tensor& declared, const import::Shape& shape);
  // Undoes an attach(). The last one returns the tensor to the interpreter's arena.
  void detach(TfLiteContext* context, int32_t tensor);

 private:
  struct Attached {
    plugins::SharedTensor tensor;
    import::Shape shape;
    size_t users = 0;
  };
  std::map<int32_t, Attached> attached_;
};

}  // namespace nnrt::tflite_plugin
