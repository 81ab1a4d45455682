// The struct behind an executor's handle.
#pragma once

#include "api/execution/bindings.h"
#include "core/platform/async_runner.h"
#include "core/platform/trace.h"
#include "core/runtime/execution.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nnrt {

// forbidden in upstream mode.
Status require_async_runs();

}  // namespace nnrt

struct OH_NNExecutor {
  OH_NNExecutor(std::shared_ptr<const nnrt::CompiledModel> compiled,
                std::shared_ptr<nnrt::trace::Session> session);

  const nnrt::CompiledModel& model() const { return execution.model(); }
  const nnrt::Graph& graph() const { return *model().graph; }
  const nnrt::Tensor& input(size_t index) const { return graph().tensors[graph().inputs[index]]; }
  const nnrt::Tensor& output(size_t index) const { return graph().tensors[graph().outputs[index]]; }

  // Runs, and keeps the outputs' shapes for GetOutputShape, also those that a failed run found out.
  // After the device was lost: unavailable_device, once and for all.
  nnrt::Status run(std::span<const nnrt::TensorView> inputs, std::span<nnrt::TensorView> outputs,
                   nnrt::Deadline deadline = {}, const std::vector<bool>& may_grow = {});
  // The errors of run() that are known before the device starts, with what GetOutputShape reports then.
  nnrt::Status check(std::span<const nnrt::TensorView> inputs, std::span<nnrt::TensorView> outputs,
                     const std::vector<bool>& may_grow);
  // forbidden in callbacks of this executor, where nobody may wait for it.
  nnrt::Status check_waiting() const;

  // Returns the range of input `index`, which lives as long as the executor; an error if a device reports
  // none.
  nnrt::Result<const nnrt::DimRange*> range(size_t index) const;

  const std::shared_ptr<nnrt::trace::Session> trace;  // outlives the model; null: none
  nnrt::Execution execution;
  nnrt::Bindings bindings;  // for the functions of API 9

  mutable std::mutex mutex;                         // guards what follows
  std::vector<std::vector<int32_t>> output_shapes;  // those of the last run, or as declared
  NN_OnRunDone on_run_done = nullptr;
  NN_OnServiceDied on_service_died = nullptr;
  bool is_lost = false;
  mutable std::vector<std::unique_ptr<const nnrt::DimRange>> ranges;  // null: not asked yet

  nnrt::AsyncRunner runner;  // the last member: its jobs use all others

 private:
  nnrt::Status check_lost();
  void keep_shapes(std::span<const nnrt::TensorView> outputs);
};
