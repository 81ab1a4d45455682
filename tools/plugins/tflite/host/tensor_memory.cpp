#include "tools/plugins/tflite/host/tensor_memory.h"

namespace nnrt::tflite_plugin {
namespace {

bool is_in(const TfLiteTensor& host, const plugins::SharedTensor& tensor) {
  return tensor && host.allocation_type == kTfLiteCustom &&
         host.data.data == OH_NNTensor_GetDataBuffer(tensor.get());
}

}  // namespace

Result<plugins::SharedTensor> TensorMemory::attach(TfLiteContext* context, int32_t tensor, size_t device,
                                                   const import::Tensor& declared,
                                                   const import::Shape& shape) {
  TfLiteTensor& host = context->tensors[tensor];
  const auto found = attached_.find(tensor);
  const bool is_ours = found != attached_.end() && is_in(host, found->second.tensor);
  if (is_ours && found->second.shape == shape) {
    ++found->second.users;
    return found->second.tensor;
  }
  if (is_ours) {
    host.allocation_type = kTfLiteArenaRw;
    host.data.data = nullptr;
  }
  if (host.allocation_type != kTfLiteArenaRw || host.is_variable || host.bytes == 0)
    return plugins::SharedTensor();
  NNRT_ASSIGN(plugins::SharedTensor made, plugins::make_tensor(device, declared, shape));
  size_t size = 0;
  if (OH_NNTensor_GetSize(made.get(), &size) != OH_NN_SUCCESS || size != host.bytes)
    return plugins::SharedTensor();
  Attached& it = attached_[tensor];
  it.tensor = made;
  it.shape = shape;
  ++it.users;
  host.allocation_type = kTfLiteCustom;
  host.data.data = OH_NNTensor_GetDataBuffer(made.get());
  return made;
}

void TensorMemory::detach(TfLiteContext* context, int32_t tensor) {
  const auto found = attached_.find(tensor);
  if (found == attached_.end() || --found->second.users > 0) return;
  TfLiteTensor& host = context->tensors[tensor];
  if (is_in(host, found->second.tensor)) {
    host.allocation_type = kTfLiteArenaRw;
    host.data.data = nullptr;
  }
  attached_.erase(found);
}

}  // namespace nnrt::tflite_plugin
