#include "api/boundary.h"
#include "api/enums.h"
#include "api/executor.h"
#include "api/handles.h"
#include "api/tensor_desc.h"

#include <neural_network_runtime/neural_network_core.h>

namespace nnrt {
namespace {

constexpr size_t kMostTensors = 200;

using Tensors = std::span<NN_Tensor* const>;

// What RunSync and RunAsync are given: counts are checked before any element is read (api.md, RunSync).
Status check_counts(const OH_NNExecutor& executor, Tensors inputs, Tensors outputs) {
  const auto check = [](std::string_view what, size_t given, size_t wanted) -> Status {
    if (given == wanted && given <= kMostTensors) return {};
    return invalid("The number of ", what, " (", given, ") is not ", wanted, ", as the model has.");
  };
  NNRT_TRY(check("inputs", inputs.size(), executor.graph().inputs.size()));
  return check("outputs", outputs.size(), executor.graph().outputs.size());
}

Result<TensorView> view_of(std::string_view what, size_t index, const NN_Tensor* tensor,
                           const Tensor& model) {
  if (tensor == nullptr) return invalid("The tensor of ", what, " ", index, " is null.");
  if (tensor->desc.dtype != model.dtype) {
    return invalid("The tensor of ", what, " ", index, " has type ", name(tensor->desc.dtype), ", not ",
                   name(model.dtype), " as in the model.");
  }
  Shape shape = shape_of(tensor->desc);
  if (!compatible(model.shape, shape)) {
    return invalid("Shape ", to_string(shape), " of ", what, " ", index, " is not one of ",
                   to_string(model.shape), ", as in the model.");
  }
  return TensorView{tensor->memory, tensor->offset, tensor->size - tensor->offset, std::move(shape)};
}

struct Views {
  std::vector<TensorView> inputs, outputs;
};

Result<Views> views_of(const OH_NNExecutor& executor, Tensors inputs, Tensors outputs) {
  NNRT_TRY(check_counts(executor, inputs, outputs));
  Views views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNRT_ASSIGN(TensorView view, view_of("input", i, inputs[i], executor.input(i)));
    views.inputs.push_back(std::move(view));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    NNRT_ASSIGN(TensorView view, view_of("output", i, outputs[i], executor.output(i)));
    views.outputs.push_back(std::move(view));
  }
  return views;
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"executor", executor}, {"inputTensor", inputTensor}, {"outputTensor", outputTensor}}));
    NNRT_ASSIGN(Views views, views_of(*executor, {inputTensor, inputCount}, {outputTensor, outputCount}));
    NNRT_TRY(executor->run(views.inputs, views.outputs));
    for (size_t i = 0; i < outputCount; ++i) {
      // A pointer that the client has got stays good where the shape is what it was.
      std::vector<int32_t> shape = dimensions_of(views.outputs[i].shape);
      if (shape != outputTensor[i]->desc.shape) outputTensor[i]->desc.shape = std::move(shape);
    }
    return {};
  });
}

OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t /*timeout*/,
                                        void* userData) {
  return guard(__func__, [&]() -> Status {
    NNRT_TRY(require({{"executor", executor},
                      {"inputTensor", inputTensor},
                      {"outputTensor", outputTensor},
                      {"userData", userData}}));
    {
      const std::lock_guard lock(executor->mutex);
      if (executor->on_run_done == nullptr) return forbidden("OnRunDone is not set.");
    }
    NNRT_TRY(views_of(*executor, {inputTensor, inputCount}, {outputTensor, outputCount}));
    return unsupported("This version has no asynchronous runs.");
  });
}
