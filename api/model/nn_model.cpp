#include "api/base/api_enums.h"
#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/model/client_graph.h"
#include "api/model/quantization_params.h"
#include "api/tensor/nn_tensor_desc.h"
#include "backends/devices.h"
#include "core/passes/drop_weights.h"
#include "core/platform/compat.h"
#include "core/runtime/operation_refusals.h"

#include <neural_network_runtime/neural_network_runtime.h>

#include <algorithm>

namespace nnrt {
namespace {

// An empty list is {NULL, 0}; only one of them being empty is an error (api.md OH_NNModel_AddOperation).
Status check_array(std::string_view name, const OH_NN_UInt32Array* array) {
  NNRT_TRY(require({{name, array}}));
  if ((array->data == nullptr) == (array->size == 0)) return {};
  return invalid("Argument ", name, " has ", array->data == nullptr ? "no data" : "data", " and size (",
                 array->size, "); an empty list is {NULL, 0}.");
}

std::span<const uint32_t> indices(const OH_NN_UInt32Array* array) { return {array->data, array->size}; }

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NNModel* OH_NNModel_Construct() {
  return guard_new(__func__,
                   []() -> Result<std::unique_ptr<OH_NNModel>> { return std::make_unique<OH_NNModel>(); });
}

OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* desc) {
  return guard(__func__, {{"model", model}, {"tensorDesc", desc}}, [&]() -> Status {
    if (compat::ignores_late_calls() && model->shared->builder.finished()) return {};
    Tensor tensor;
    tensor.name = desc->name;
    tensor.dtype = desc->dtype;
    tensor.format = desc->format;
    tensor.shape = shape_of(*desc);
    return model->shared->builder.add_tensor(std::move(tensor));
  });
}

OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* data,
                                          size_t length) {
  return guard(__func__, {{"model", model}, {"dataBuffer", data}}, [&] {
    return model->shared->builder.set_data(index, {static_cast<const std::byte*>(data), length});
  });
}

OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index, NN_QuantParam* params) {
  return guard(__func__, {{"model", model}, {"quantParam", params}}, [&]() -> Status {
    GraphBuilder& builder = model->shared->builder;
    if (builder.finished()) return forbidden("The model is finished and cannot be changed.");
    if (params->scales.empty()) return invalid("The scales for tensor ", index, " were never set.");
    auto quant = quant_from(params->scales, params->zero_points, params->bits);
    if (!quant.ok()) return std::move(quant).error().during(cat("setting those of tensor ", index));
    return builder.set_quant(index, std::move(quant).value());
  });
}

OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType type) {
  return guard(__func__, {{"model", model}},
               [&] { return model->shared->builder.set_role(index, number_of(type)); });
}

OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* params, const OH_NN_UInt32Array* inputs,
                                         const OH_NN_UInt32Array* outputs) {
  return guard(__func__, {{"model", model}}, [&]() -> Status {
    NNRT_TRY(check_array("paramIndices", params));
    NNRT_TRY(check_array("inputIndices", inputs));
    NNRT_TRY(check_array("outputIndices", outputs));
    return model->shared->builder.add_operation(number_of(op), indices(params), indices(inputs),
                                                indices(outputs));
  });
}

OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputs,
                                                    const OH_NN_UInt32Array* outputs) {
  return guard(__func__, {{"model", model}}, [&]() -> Status {
    NNRT_TRY(check_array("inputIndices", inputs));
    NNRT_TRY(check_array("outputIndices", outputs));
    return model->shared->builder.specify(indices(inputs), indices(outputs));
  });
}

OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model) {
  return guard(__func__, {{"model", model}}, [&]() -> Status {
    const std::lock_guard lock(model->shared->mutex);
    return model->shared->builder.finish();
  });
}

void OH_NNModel_Destroy(OH_NNModel** model) {
  const bool has_graph = model != nullptr && *model != nullptr && (*model)->shared->builder.finished();
  const size_t constants = has_graph ? data_bytes(*(*model)->shared->builder.graph()) : 0;
  destroy_or_warn(__func__, model);
  trim_heap(constants);
}

OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t device_id,
                                                   const bool** is_supported, uint32_t* count) {
  return guard(__func__, {{"model", model}, {"opCount", count}}, [&]() -> Status {
    NNRT_TRY(require_empty("isSupported", is_supported));
    const GraphPtr& graph = model->shared->builder.graph();
    if (!graph) return forbidden("The model is not finished.");
    const Device* device = device_registry().find(device_id);
    if (device == nullptr) return Error{Code::failed, cat("Device (", device_id, ") does not exist.")};
    if (!device->is_plugin() && device->status() == DeviceStatus::lost) {
      return Error{Code::unavailable_device, cat("Device ", device->info().name, " is lost.")};
    }
    NNRT_ASSIGN(std::vector<bool> supported, supported_operations(graph, *device));
    if (model->shared->client) supported = supported_nodes(*model->shared->client, supported);
    model->available = std::make_unique<bool[]>(supported.size());
    std::copy(supported.begin(), supported.end(), model->available.get());
    *is_supported = model->available.get();
    *count = static_cast<uint32_t>(supported.size());
    return {};
  });
}
