#include "api/execution/async_run.h"

#include "api/base/boundary.h"
#include "api/tensor/nn_tensor_desc.h"

namespace nnrt {
namespace {

Status check_time(Deadline deadline) {
  if (!deadline || Clock::now() < *deadline) return {};
  return Error{Code::timeout, "The run timed out."};
}

}  // namespace

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

}  // namespace nnrt
