// Runs of a compiled model. One for each executor: it keeps the memory of the edges between partitions.
#pragma once

#include "core/device/run_gate.h"
#include "core/runtime/compile.h"
#include "core/runtime/parallel_executor.h"

#include <memory>
#include <vector>

namespace nnrt {

class Execution {
 public:
  explicit Execution(std::shared_ptr<const CompiledModel> model);

  const CompiledModel& model() const { return *model_; }

  // The range of each dimension that all devices which read input `index` accept, or the error of a device.
  Result<DimRange> input_range(size_t index) const;

  // Returns whether an output may lie where an input does (PreparedModel::may_share).
  bool may_share(size_t input, size_t output) const;

  // Checks shapes, room and overlap, as far as they are known before a run. Outputs for which `may_grow` is
  // true get a larger memory where theirs is too small; an empty list is false for all.
  Status check(std::span<const TensorView> inputs, std::span<TensorView> outputs,
               const std::vector<bool>& may_grow = {}) const;

  // Checks that the devices accept each dimension which only a run knows. A device that reports no range
  // checks in the run. May ask drivers.
  Status check_ranges(std::span<const TensorView> inputs) const;

  // Checks shapes, room and overlap, then runs all steps, each in its turn on its device, and where the model
  // overlaps at the same time as others. Each output's true shape is written into outputs[i].shape, as far as
  // it is known also when the run fails. Concurrent calls run one after the other. The deadline counts also
  // while the run waits.
  Status run(std::span<const TensorView> inputs, std::span<TensorView> outputs, Deadline deadline,
             const std::vector<bool>& may_grow = {});

 private:
  bool supports_empty_inputs() const;
  size_t max_unknown_dimension(size_t index) const;
  Status check_shape(size_t input, const Shape& shape) const;
  Status check_inputs(std::span<const TensorView> inputs) const;
  Result<std::vector<Shape>> run_shapes(std::span<const TensorView> inputs) const;
  Status check_outputs(std::span<const TensorView> inputs, std::span<TensorView> outputs,
                       const std::vector<Shape>& shapes, const std::vector<bool>& may_grow) const;
  Status check_overlap(std::span<const TensorView> inputs, std::span<const TensorView> outputs,
                       std::span<const size_t> extents) const;
  Status run_partitions(std::span<const TensorView> inputs, std::span<TensorView> outputs, Deadline deadline,
                        const std::vector<bool>& may_grow);
  Status run_partition(const CompiledModel::Partition& step, std::span<const TensorView> inputs,
                       std::span<OutputSlot> outputs, Deadline deadline) const;
  Status copy_repeated(std::span<TensorView> outputs, const std::vector<bool>& may_grow) const;

  std::shared_ptr<const CompiledModel> model_;
  bool is_static_;  // all input shapes are declared, so shapes need not be inferred anew
  RunGate turn_{1};
  std::unique_ptr<ParallelExecutor> lanes_;  // null: steps run one after the other
  std::vector<TensorView> edges_;            // by TensorId: memory of tensors between partitions
};

}  // namespace nnrt
