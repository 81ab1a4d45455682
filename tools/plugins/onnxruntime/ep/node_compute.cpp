#include "tools/plugins/onnxruntime/ep/node_compute.h"

namespace nnrt::ep {
namespace {

Result<HostTensor> tensor_of(const OrtKernelContext* context, size_t index) {
  const OrtValue* value = nullptr;
  NNRT_TRY(taken(ort().KernelContext_GetInput(context, index, &value)));
  if (value == nullptr)
    return Error{Code::invalid_parameter, "Input " + std::to_string(index) + " is absent."};
  HostTensor tensor;
  NNRT_TRY(taken(ort().GetTensorData(value, &tensor.data)));
  OrtTensorTypeAndShapeInfo* info = nullptr;
  NNRT_TRY(taken(ort().GetTensorTypeAndShape(value, &info)));
  const Released<OrtTensorTypeAndShapeInfo> owned(info, ort().ReleaseTensorTypeAndShapeInfo);
  size_t rank = 0;
  NNRT_TRY(taken(ort().GetDimensionsCount(info, &rank)));
  tensor.shape.resize(rank);
  NNRT_TRY(taken(ort().GetDimensions(info, tensor.shape.data(), rank)));
  return tensor;
}

}  // namespace

NodeCompute::NodeCompute(std::shared_ptr<CompiledGroup> group)
    : OrtNodeComputeInfo{}, group_(std::move(group)) {
  ort_version_supported = ORT_API_VERSION;
  CreateState = create_state;
  Compute = compute;
  ReleaseState = release_state;
}

OrtStatus* NodeCompute::create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) {
  *state = self;
  return nullptr;
}

OrtStatus* NodeCompute::compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context) {
  return guarded([&] { return static_cast<NodeCompute*>(self)->run(context); });
}

Status NodeCompute::run(OrtKernelContext* context) const {
  size_t count = 0;
  NNRT_TRY(taken(ort().KernelContext_GetInputCount(context, &count)));
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(inputs.emplace_back(), tensor_of(context, i));
  }
  return group_->run(inputs, [&](size_t index, const Dimensions& shape) -> Result<void*> {
    OrtValue* value = nullptr;
    void* data = nullptr;
    NNRT_TRY(taken(ort().KernelContext_GetOutput(context, index, shape.data(), shape.size(), &value)));
    if (value == nullptr) return Error{Code::failed, "Output " + std::to_string(index) + " has no memory."};
    NNRT_TRY(taken(ort().GetTensorMutableData(value, &data)));
    return data;
  });
}

}  // namespace nnrt::ep
