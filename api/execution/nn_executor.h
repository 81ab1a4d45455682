// The struct behind an executor's handle.
#pragma once

#include "api/execution/bindings.h"
#include "core/platform/trace.h"
#include "core/runtime/async_runner.h"
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

  // Runs, and stores the output shapes for GetOutputShape, even of a failed run if known. Returns
  // unavailable_device after the device was lost.
  nnrt::Status run(std::span<const nnrt::TensorView> inputs, std::span<nnrt::OutputSlot> outputs,
                   nnrt::Deadline deadline = {});
  // Checks for errors of run() that can be found before the device starts; updates what GetOutputShape
  // reports.
  nnrt::Status check(std::span<const nnrt::TensorView> inputs, std::span<nnrt::OutputSlot> outputs);
  // forbidden in callbacks of this executor, which would deadlock.
  nnrt::Status check_waiting() const;

  // The dimension range of input `index`, valid as long as the executor; an error if the device reports none.
  nnrt::Result<const nnrt::DimRange*> range(size_t index) const;

  const std::shared_ptr<nnrt::trace::Session> trace;  // outlives the model; null: none
  nnrt::Execution execution;
  nnrt::Bindings bindings;  // for the functions of API 9

  mutable std::mutex mutex;                         // guards the following members
  std::vector<std::vector<int32_t>> output_shapes;  // of the last run, or as declared
  NN_OnRunDone on_run_done = nullptr;
  NN_OnServiceDied on_service_died = nullptr;
  bool is_lost = false;
  mutable std::vector<std::unique_ptr<const nnrt::DimRange>> ranges;  // null: not queried yet

  nnrt::AsyncRunner runner;  // last member: its jobs use all others

 private:
  nnrt::Status check_lost();
  void keep_shapes(std::span<const nnrt::OutputSlot> outputs);
};
