// Runs of a compiled model. One per executor: it owns the memory of the edges between partitions.
#pragma once

#include "core/device/run_gate.h"
#include "core/runtime/compile.h"
#include "core/runtime/parallel_executor.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nnrt {

class Execution {
 public:
  explicit Execution(std::shared_ptr<const CompiledModel> model);

  const CompiledModel& model() const { return *model_; }

  // The dimension ranges accepted by all devices that read input `index`, or the error of a device.
  Result<DimRange> input_range(size_t index) const;

  // Returns whether an output may share memory with an input (PreparedModel::may_share).
  bool may_share(size_t input, size_t output) const;

  // Checks dtypes, shapes, sizes and overlap as far as known before a run, and makes room in outputs that may
  // grow.
  Status check(std::span<const TensorView> inputs, std::span<OutputSlot> outputs) const;

  // Checks that the devices accept the dimensions only known at run time. Devices that report no range check
  // in the run. May query drivers.
  Status check_ranges(std::span<const TensorView> inputs) const;

  // Checks as check(), then runs all partitions in order, or in parallel if the model overlaps. Sets the
  // outputs' shapes to the actual ones, as far as known even if the run fails. Concurrent calls are
  // serialized; time spent waiting counts toward the deadline.
  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline);

 private:
  struct RunShapes {
    std::vector<Shape> inputs, outputs;
  };

  bool supports_empty_inputs() const;
  size_t max_unknown_dimension(size_t index) const;
  Status check_described(std::span<OutputSlot> outputs) const;
  Status check_shape(size_t input, const Shape& shape) const;
  Status check_inputs(std::span<const TensorView> inputs) const;
  Result<std::shared_ptr<const RunShapes>> run_shapes(std::span<const TensorView> inputs) const;
  Status check_outputs(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                       std::span<const Shape> shapes) const;
  Status check_overlap(std::span<const TensorView> inputs, std::span<const OutputSlot> outputs,
                       std::span<const size_t> extents) const;
  Status check_bound(std::span<const TensorView> inputs, std::span<OutputSlot> outputs) const;
  Status run_partitions(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline);
  Status run_partition(const CompiledModel::Partition& step, std::span<const TensorView> inputs,
                       std::span<OutputSlot> outputs, Deadline deadline) const;
  Status copy_repeated(std::span<OutputSlot> outputs) const;

  std::shared_ptr<const CompiledModel> model_;
  bool is_static_;  // all input shapes are declared
  mutable std::mutex shapes_mutex_;
  mutable std::shared_ptr<const RunShapes> last_shapes_;  // null before the first run of open shapes
  RunGate turn_{1};
  std::unique_ptr<ParallelExecutor> lanes_;  // null: partitions run in sequence
  std::vector<OutputSlot> edges_;            // by TensorId: tensors between partitions
};

}  // namespace nnrt
