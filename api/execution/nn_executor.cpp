#include "api/execution/nn_executor.h"

#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/tensor/nn_tensor_desc.h"
#include "core/platform/compat.h"
#include "core/platform/trace_run.h"

#include <neural_network_runtime/neural_network_core.h>

namespace nnrt {

Status require_async_runs() {
  if (compat::has_async_runs()) return {};
  return forbidden("Asynchronous runs are not available in upstream mode.");
}

namespace {

Result<std::unique_ptr<NN_TensorDesc>> describe(const Tensor& tensor) {
  auto desc = std::make_unique<NN_TensorDesc>();
  desc->name = tensor.name;
  desc->dtype = tensor.dtype;
  desc->format = tensor.format;
  desc->shape = dimensions_of(tensor.shape);
  return desc;
}

// Called from a callback of the executor itself; its thread destroys it after the pending runs.
void destroy_deferred(std::unique_ptr<OH_NNExecutor> executor) {
  AsyncRunner& runner = executor->runner;
  runner.finish({executor.release(), [](void* owned) {
                   const std::unique_ptr<OH_NNExecutor> last(static_cast<OH_NNExecutor*>(owned));
                 }});
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NNExecutor::OH_NNExecutor(std::shared_ptr<const CompiledModel> compiled,
                             std::shared_ptr<trace::Session> session)
    : trace(std::move(session)),
      execution(std::move(compiled)),
      bindings(model()),
      ranges(graph().inputs.size()) {
  for (const TensorId id : graph().outputs) output_shapes.push_back(dimensions_of(graph().tensors[id].shape));
}

Status OH_NNExecutor::run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                          Deadline deadline) {
  NNRT_TRY(check_lost());
  const trace::Run traced(trace.get());
  Status status = execution.run(inputs, outputs, deadline);
  keep_shapes(outputs);
  if (!status.ok() && status.error().code == Code::unavailable_device) {
    const std::lock_guard lock(mutex);
    is_lost = true;
  }
  return status;
}

Status OH_NNExecutor::check(std::span<const TensorView> inputs, std::span<OutputSlot> outputs) {
  NNRT_TRY(check_lost());
  Status status = execution.check(inputs, outputs);
  if (!status.ok()) keep_shapes(outputs);
  NNRT_TRY(std::move(status));
  return execution.check_ranges(inputs);
}

Status OH_NNExecutor::check_waiting() const {
  if (runner.on_thread()) return forbidden("A callback cannot wait for a run of its own executor.");
  return {};
}

Status OH_NNExecutor::check_lost() {
  const std::lock_guard lock(mutex);
  if (is_lost) return Error{Code::unavailable_device, "The device was lost; the model must be built again."};
  return {};
}

void OH_NNExecutor::keep_shapes(std::span<const OutputSlot> outputs) {
  const std::lock_guard lock(mutex);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].view.shape;
    if (is_static(shape)) output_shapes[i] = dimensions_of(shape);
  }
}

Result<const DimRange*> OH_NNExecutor::range(size_t index) const {
  NNRT_TRY(require_index("input", index, graph().inputs.size()));
  const std::lock_guard lock(mutex);
  std::unique_ptr<const DimRange>& known = ranges[index];
  if (known == nullptr) {
    NNRT_ASSIGN(DimRange asked, execution.input_range(index));
    known = std::make_unique<const DimRange>(std::move(asked));
  }
  return known.get();
}

OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation) {
  return guard_new(__func__, [&]() -> Result<std::unique_ptr<OH_NNExecutor>> {
    NNRT_TRY(require({{"compilation", compilation}}));
    if (compilation->state != BuildState::built) return invalid("The compilation is not built.");
    return std::make_unique<OH_NNExecutor>(compilation->for_runs, compilation->trace);
  });
}

OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                              uint32_t* shapeLength) {
  return guard(__func__, {{"executor", executor}, {"shapeLength", shapeLength}}, [&]() -> Status {
    NNRT_TRY(require_empty("shape", shape));
    const std::lock_guard lock(executor->mutex);
    NNRT_TRY(require_index("output", outputIndex, executor->output_shapes.size()));
    std::vector<int32_t>& dimensions = executor->output_shapes[outputIndex];
    if (dimensions.empty()) dimensions.reserve(1);  // data() must not be null for a scalar
    *shape = dimensions.data();
    *shapeLength = static_cast<uint32_t>(dimensions.size());
    return {};
  });
}

void OH_NNExecutor_Destroy(OH_NNExecutor** executor) {
  const bool is_live = executor != nullptr && *executor != nullptr;
  if (is_forked()) return destroy_or_warn(__func__, executor);
  if (is_live && (*executor)->runner.on_thread()) {
    return destroy_deferred(std::unique_ptr<OH_NNExecutor>(std::exchange(*executor, nullptr)));
  }
  if (is_live) (*executor)->runner.finish();
  destroy_or_warn(__func__, executor);
  if (trace::on()) trace::flush();
}

OH_NN_ReturnCode OH_NNExecutor_GetInputCount(const OH_NNExecutor* executor, size_t* inputCount) {
  return guard(__func__, {{"executor", executor}, {"inputCount", inputCount}},
               [&] { *inputCount = executor->graph().inputs.size(); });
}

OH_NN_ReturnCode OH_NNExecutor_GetOutputCount(const OH_NNExecutor* executor, size_t* outputCount) {
  return guard(__func__, {{"executor", executor}, {"outputCount", outputCount}},
               [&] { *outputCount = executor->graph().outputs.size(); });
}

NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index) {
  return guard_new(__func__, [&]() -> Result<std::unique_ptr<NN_TensorDesc>> {
    NNRT_TRY(require({{"executor", executor}}));
    NNRT_TRY(require_index("input", index, executor->graph().inputs.size()));
    return describe(executor->input(index));
  });
}

NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index) {
  return guard_new(__func__, [&]() -> Result<std::unique_ptr<NN_TensorDesc>> {
    NNRT_TRY(require({{"executor", executor}}));
    NNRT_TRY(require_index("output", index, executor->graph().outputs.size()));
    return describe(executor->output(index));
  });
}

OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index,
                                                size_t** minInputDims, size_t** maxInputDims,
                                                size_t* shapeLength) {
  return guard(__func__,
               {{"executor", executor},
                {"minInputDims", minInputDims},
                {"maxInputDims", maxInputDims},
                {"shapeLength", shapeLength}},
               [&]() -> Status {
                 NNRT_ASSIGN(const DimRange* range, executor->range(index));
                 static size_t none = 0;  // a scalar has a range without dimensions
                 // The C API lacks const here.
                 const auto begin = [](const std::vector<size_t>& dims) {
                   return dims.empty() ? &none : const_cast<size_t*>(dims.data());
                 };
                 *minInputDims = begin(range->smallest);
                 *maxInputDims = begin(range->largest);
                 *shapeLength = range->smallest.size();
                 return {};
               });
}

OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone) {
  return guard(__func__, {{"executor", executor}}, [&]() -> Status {
    if (onRunDone == nullptr) return invalid("Argument onRunDone is null.");
    NNRT_TRY(require_async_runs());
    const std::lock_guard lock(executor->mutex);
    executor->on_run_done = onRunDone;
    return {};
  });
}

OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor, NN_OnServiceDied onServiceDied) {
  return guard(__func__, {{"executor", executor}}, [&]() -> Status {
    if (onServiceDied == nullptr) return invalid("Argument onServiceDied is null.");
    NNRT_TRY(require_async_runs());
    const std::lock_guard lock(executor->mutex);
    executor->on_service_died = onServiceDied;
    return {};
  });
}
