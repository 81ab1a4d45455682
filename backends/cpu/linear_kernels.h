// The kernels of family linear that have files of their own.
#pragma once

#include "backends/cpu/element.h"
#include "backends/cpu/kernel.h"
#include "core/geometry.h"

namespace nnrt::cpu {

Status conv2d(const KernelArgs& args);
Status conv2d_transpose(const KernelArgs& args);
Status depthwise_conv2d(const KernelArgs& args);
Status lstm(const KernelArgs& args);

Status keep_conv2d(const KernelArgs& args);
Status keep_conv2d_transpose(const KernelArgs& args);
Status keep_depthwise_conv2d(const KernelArgs& args);
Status keep_full_connection(const KernelArgs& args);
Status keep_matmul(const KernelArgs& args);

// A convolution with one input channel for each group, channel by channel; `takes_depthwise` says whether it
// would be exact.
bool takes_depthwise(const NodeView& node, const Window& window);
Status depthwise(const KernelArgs& args, const Window& window);
KeptFloats depthwise_weight(const KernelArgs& args);

// Calls f with the type of the elements: float32, float16 or quantized INT8.
template <typename F>
decltype(auto) dispatch_linear(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f16: return f(std::type_identity<Half>{});
    case DType::i8: return f(std::type_identity<int8_t>{});
    default: break;
  }
  assert(dtype == DType::f32);
  return f(std::type_identity<float>{});
}

}  // namespace nnrt::cpu
