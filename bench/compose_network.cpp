#include "compose_network.h"

namespace bench {

using conformance::check;

namespace {

OH_NN_UInt32Array as_array(const std::vector<uint32_t>& indices) {
  return {indices.empty() ? nullptr : const_cast<uint32_t*>(indices.data()),
          static_cast<uint32_t>(indices.size())};
}

void set_quant(OH_NNModel* model, uint32_t index, const conformance::QuantParams& quant) {
  const auto params = conformance::own(OH_NNQuantParam_Create(), "OH_NNQuantParam_Create");
  const size_t count = quant.scales.size();
  check(OH_NNQuantParam_SetScales(params.get(), quant.scales.data(), count), "OH_NNQuantParam_SetScales");
  check(OH_NNQuantParam_SetZeroPoints(params.get(), quant.zeroPoints.data(), count),
        "OH_NNQuantParam_SetZeroPoints");
  check(OH_NNQuantParam_SetNumBits(params.get(), quant.bits.data(), count), "OH_NNQuantParam_SetNumBits");
  check(OH_NNModel_SetTensorQuantParams(model, index, params.get()), "OH_NNModel_SetTensorQuantParams");
}

void add_tensor(OH_NNModel* model, uint32_t index, const conformance::Tensor& tensor) {
  const TensorDesc desc(OH_NNTensorDesc_Create());
  check(OH_NNTensorDesc_SetDataType(desc.get(), tensor.dataType), "OH_NNTensorDesc_SetDataType");
  check(OH_NNTensorDesc_SetFormat(desc.get(), tensor.format), "OH_NNTensorDesc_SetFormat");
  if (!tensor.shape.empty()) {
    check(OH_NNTensorDesc_SetShape(desc.get(), tensor.shape.data(), tensor.shape.size()),
          "OH_NNTensorDesc_SetShape");
  }
  check(OH_NNModel_AddTensorToModel(model, desc.get()), "OH_NNModel_AddTensorToModel");
  check(OH_NNModel_SetTensorType(model, index, tensor.type), "OH_NNModel_SetTensorType");
  if (tensor.quant) set_quant(model, index, *tensor.quant);
  if (!tensor.data) return;
  check(OH_NNModel_SetTensorData(model, index, tensor.data->data(), tensor.data->size()),
        "OH_NNModel_SetTensorData");
}

}  // namespace

Model compose(const conformance::Case& network) {
  Model model(OH_NNModel_Construct());
  for (uint32_t i = 0; i < network.tensors.size(); ++i) add_tensor(model.get(), i, network.tensors[i]);
  for (const conformance::Operation& operation : network.operations) {
    const auto params = as_array(operation.params), inputs = as_array(operation.inputs),
               outputs = as_array(operation.outputs);
    check(OH_NNModel_AddOperation(model.get(), operation.type, &params, &inputs, &outputs),
          "OH_NNModel_AddOperation");
  }
  const auto inputs = as_array(network.inputs), outputs = as_array(network.outputs);
  check(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs),
        "OH_NNModel_SpecifyInputsAndOutputs");
  check(OH_NNModel_Finish(model.get()), "OH_NNModel_Finish");
  return model;
}

std::vector<Device> devices() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID");
  std::vector<Device> found;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(OH_NNDevice_GetName(ids[i], &name), "OH_NNDevice_GetName");
    OH_NN_DeviceType type = OH_NN_OTHERS;
    check(OH_NNDevice_GetType(ids[i], &type), "OH_NNDevice_GetType");
    found.push_back({ids[i], name, type});
  }
  return found;
}

size_t find_device(std::string_view kind) {
  const OH_NN_DeviceType type = kind == "cpu" ? OH_NN_CPU : OH_NN_GPU;
  for (const Device& device : devices()) {
    if (device.type == type) return device.id;
  }
  throw std::invalid_argument(std::string("There is no device of the kind ").append(kind));
}

}  // namespace bench
