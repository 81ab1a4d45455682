// Runs with the client's tensors, synchronous or asynchronous.
#pragma once

#include "api/base/api_handles.h"
#include "api/execution/nn_executor.h"
#include "core/runtime/async_runner.h"

#include <vector>

namespace nnrt {

// Shares ownership of what a run reads and writes, so that a tensor destroyed too early (a client error) only
// loses its results.
struct RunTensors {
  std::vector<TensorView> inputs;
  std::vector<OutputSlot> outputs;
  std::vector<std::shared_ptr<NN_TensorDesc>> output_descs;
  std::vector<std::shared_ptr<TensorPlace>> output_places;
};

// Runs; on success updates the output descriptions' shapes and replaces reallocated memory. timeout: also if
// the run finished after the deadline.
Status run(OH_NNExecutor& executor, RunTensors& tensors, Deadline deadline);

// One call of RunAsync on the executor's thread, with its callbacks.
class AsyncRun final : public AsyncRunner::Job {
 public:
  struct Callbacks {
    NN_OnRunDone on_run_done = nullptr;
    NN_OnServiceDied on_service_died = nullptr;  // may be null
    void* user_data = nullptr;
    std::vector<void*> output_tensors;  // only passed back
  };

  AsyncRun(OH_NNExecutor& executor, RunTensors tensors, Callbacks callbacks, Deadline deadline);
  void run() noexcept override;

 private:
  OH_NNExecutor& executor_;  // outlives its runs
  RunTensors tensors_;
  Callbacks callbacks_;
  const Deadline deadline_;
};

}  // namespace nnrt
