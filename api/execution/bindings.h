// Buffers bound to an executor's inputs and outputs by the API 9 functions, and the memory they allocate.
// Thread-safe.
#pragma once

#include "core/runtime/execution.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nnrt {

enum class Side : uint8_t { input, output };

class Bindings {
 public:
  explicit Bindings(const CompiledModel& model);

  // Copies the data into internal memory, which is reused if large enough. FLOAT16 inputs and outputs also
  // take FLOAT32 data of exactly twice the bytes, which MindSpore Lite has for them.
  Status set_input(size_t index, DType dtype, Shape shape, ByteView data);
  // Results go to internal memory; deliver() copies them to the client's.
  Status set_output(size_t index, std::span<std::byte> buffer);
  Status bind_input(size_t index, Shape shape, const OH_NN_Memory* memory);
  Status bind_output(size_t index, const OH_NN_Memory* memory);

  // The memory lives until destroy() or as long as the bindings; running executions share it.
  Result<OH_NN_Memory*> allocate(Side side, uint32_t index, size_t bytes);
  // Also unbinds the memory. Fails if it was not allocated here for that input or output.
  Status destroy(Side side, uint32_t index, const OH_NN_Memory* memory);

  // The tensors of one run.
  struct RunTensors {
    std::vector<TensorView> inputs;
    std::vector<OutputSlot> outputs;
    std::vector<std::span<std::byte>> clients;  // per output: copy target, or empty
  };
  Result<RunTensors> run_tensors() const;
  // Copies the results of a successful run to the client's buffers; if one does not fit, none.
  Status deliver(const RunTensors& run) const;

 private:
  struct Slot {
    TensorView view;                      // memory is null if nothing is bound
    std::shared_ptr<SharedMemory> owned;  // allocated by set_input and set_output
    std::span<std::byte> client;          // where set_output() wants the result
  };
  struct Allocation {
    OH_NN_Memory handle;
    std::shared_ptr<SharedMemory> memory;
    Side side;
    uint32_t index;
  };

  const Tensor& tensor(Side side, size_t index) const;
  Status reserve(Slot& slot, size_t bytes);
  Status check_client(size_t output, const Shape& shape, size_t length) const;
  Result<TensorView> view_of(const OH_NN_Memory* memory, size_t min_bytes) const;

  const CompiledModel& model_;
  mutable std::mutex mutex_;
  std::vector<Slot> inputs_, outputs_;
  std::vector<std::unique_ptr<Allocation>> allocations_;
};

}  // namespace nnrt
