// One run at a time of a compiled group.
#pragma once

#include "tools/plugins/onnxruntime/run/compiled_group.h"
#include "tools/plugins/onnxruntime/run/shared_buffers.h"

namespace nnrt::ep {

class CompiledGroup::Runner {
 public:
  static Result<std::unique_ptr<Runner>> create(OH_NNCompilation* compilation, size_t device);

  Status run(std::span<const HostTensor> inputs, const Output& output);

 private:
  using Shape = import::Shape;

  // A tensor of the model, bound to memory of the runner or of a shared buffer.
  struct Slot {
    import::TensorDescHandle desc;  // as declared
    OH_NN_DataType type = OH_NN_UNKNOWN;
    Shape declared;
    import::TensorHandle tensor;
    Shape shape;                   // of `tensor`
    const void* shared = nullptr;  // the memory of the shared buffer, if bound to one

    bool is_dynamic() const;
  };

  static Result<Slot> read_slot(NN_TensorDesc* desc);
  Status bind_input(Slot& slot, size_t index, const HostTensor& tensor) const;
  // Binds outputs of known shape to shared buffers, and returns their memory.
  Result<void*> bind_output(Slot& slot, size_t index, const Output& output) const;
  Status bind_shared(Slot& slot, const Shape& shape, const void* data, const SharedBuffers::Place& place,
                     size_t bytes) const;
  Status make_tensor(Slot& slot, const Shape& shape, size_t bytes) const;

  size_t device_ = 0;
  import::ExecutorHandle executor_;
  std::vector<Slot> inputs_, outputs_;
};

}  // namespace nnrt::ep
