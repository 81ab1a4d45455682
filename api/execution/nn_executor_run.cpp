#include "api/base/api_enums.h"
#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/execution/nn_executor.h"
#include "api/tensor/nn_tensor_desc.h"
#include "core/runtime/async_runner.h"

#include <neural_network_runtime/neural_network_core.h>

#include <vector>

namespace nnrt {
namespace {

// Shares ownership of what a run reads and writes, so that a tensor destroyed too early (a client error) only
// loses its results.
struct RunTensors {
  std::vector<TensorView> inputs;
  std::vector<OutputSlot> outputs;
  std::vector<std::shared_ptr<NN_TensorDesc>> output_descs;
  std::vector<std::shared_ptr<TensorPlace>> output_places;
};

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

Status check_time(Deadline deadline) {
  if (!deadline || Clock::now() < *deadline) return {};
  return Error{Code::timeout, "The run timed out."};
}

// Runs; on success updates the output descriptions' shapes and replaces reallocated memory. timeout: also if
// the run finished after the deadline.
Status run(OH_NNExecutor& executor, RunTensors& tensors, Deadline deadline) {
  NNRT_TRY(check_time(deadline));
  NNRT_TRY(executor.run(tensors.inputs, tensors.outputs, deadline));
  NNRT_TRY(check_time(deadline));
  for (size_t i = 0; i < tensors.outputs.size(); ++i) {
    // Pointers from GetShape stay valid if the shape is unchanged.
    const TensorView& output = tensors.outputs[i].view;
    std::vector<int32_t> shape = dimensions_of(output.shape);
    if (shape != tensors.output_descs[i]->shape) tensors.output_descs[i]->shape = std::move(shape);
    const std::shared_ptr<SharedMemory>& memory = output.memory;
    TensorPlace& place = *tensors.output_places[i];
    if (place.may_grow && memory != place.memory)
      place = {memory, memory->fd(), memory->bytes(), 0, place.is_own, place.may_grow};
  }
  return {};
}

AsyncRun::AsyncRun(OH_NNExecutor& executor, RunTensors tensors, Callbacks callbacks, Deadline deadline)
    : executor_(executor),
      tensors_(std::move(tensors)),
      callbacks_(std::move(callbacks)),
      deadline_(deadline) {}

void AsyncRun::run() noexcept {
  const OH_NN_ReturnCode code =
      guard("OH_NNExecutor_RunAsync", [&] { return nnrt::run(executor_, tensors_, deadline_); });
  tensors_ = {};  // releases memory now, in case the callback destroys the tensors
  if (code == OH_NN_UNAVAILABLE_DEVICE && callbacks_.on_service_died != nullptr) {
    callbacks_.on_service_died(callbacks_.user_data);
  }
  callbacks_.on_run_done(callbacks_.user_data, code, callbacks_.output_tensors.data(),
                         static_cast<int32_t>(callbacks_.output_tensors.size()));
}

constexpr size_t kMaxTensors = 200;

using Tensors = std::span<NN_Tensor* const>;

// RunSync and RunAsync check the counts before reading the arrays (api.md OH_NNExecutor_RunSync).
Status check_counts(const OH_NNExecutor& executor, Tensors inputs, Tensors outputs) {
  const auto check = [](std::string_view what, size_t given, size_t wanted) -> Status {
    if (given == wanted && given <= kMaxTensors) return {};
    return invalid("The number of ", what, " (", given, ") is not the model's (", wanted, ").");
  };
  NNRT_TRY(check("inputs", inputs.size(), executor.graph().inputs.size()));
  return check("outputs", outputs.size(), executor.graph().outputs.size());
}

Result<TensorView> view_of(std::string_view what, size_t index, const NN_Tensor* tensor) {
  if (tensor == nullptr) return invalid("The tensor of ", what, " ", index, " is null.");
  const TensorPlace& place = *tensor->place;
  return TensorView{place.memory,      place.offset,       place.size - place.offset, shape_of(*tensor->desc),
                    tensor->residence, tensor->desc->dtype};
}

Result<RunTensors> tensors_of(const OH_NNExecutor& executor, Tensors inputs, Tensors outputs) {
  NNRT_TRY(check_counts(executor, inputs, outputs));
  RunTensors run;
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNRT_ASSIGN(run.inputs.emplace_back(), view_of("input", i, inputs[i]));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    NNRT_ASSIGN(TensorView view, view_of("output", i, outputs[i]));
    run.outputs.push_back({std::move(view), outputs[i]->place->may_grow});
    run.output_descs.push_back(outputs[i]->desc);
    run.output_places.push_back(outputs[i]->place);
  }
  return run;
}

Deadline deadline_in(int32_t milliseconds) {
  if (milliseconds <= 0) return {};
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount) {
  return guard(__func__,
               {{"executor", executor}, {"inputTensor", inputTensor}, {"outputTensor", outputTensor}},
               [&]() -> Status {
                 NNRT_TRY(executor->check_waiting());
                 NNRT_ASSIGN(RunTensors tensors,
                             tensors_of(*executor, {inputTensor, inputCount}, {outputTensor, outputCount}));
                 return run(*executor, tensors, {});
               });
}

OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                        void* userData) {
  return guard(__func__, [&]() -> Status {
    const Deadline deadline = deadline_in(timeout);
    NNRT_TRY(require({{"executor", executor},
                      {"inputTensor", inputTensor},
                      {"outputTensor", outputTensor},
                      {"userData", userData}}));
    NNRT_TRY(check_counts(*executor, {inputTensor, inputCount}, {outputTensor, outputCount}));
    NNRT_TRY(require_async_runs());
    AsyncRun::Callbacks callbacks;
    callbacks.user_data = userData;
    {
      const std::lock_guard lock(executor->mutex);
      callbacks.on_run_done = executor->on_run_done;
      callbacks.on_service_died = executor->on_service_died;
    }
    if (callbacks.on_run_done == nullptr) return forbidden("OnRunDone is not set.");
    NNRT_ASSIGN(RunTensors tensors,
                tensors_of(*executor, {inputTensor, inputCount}, {outputTensor, outputCount}));
    NNRT_TRY(executor->check(tensors.inputs, tensors.outputs));
    callbacks.output_tensors.assign(outputTensor, outputTensor + outputCount);
    return executor->runner.start(
        std::make_unique<AsyncRun>(*executor, std::move(tensors), std::move(callbacks), deadline));
  });
}
