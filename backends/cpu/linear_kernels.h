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
Status keep_lstm(const KernelArgs& args);
Status keep_matmul(const KernelArgs& args);

// A convolution with one input channel for each group, channel by channel; `takes_depthwise` says whether it
// would be exact.
bool takes_depthwise(const NodeView& node, const Window& window);
Status depthwise(const KernelArgs& args, const Window& window);
KeptBytes depthwise_weight(const KernelArgs& args);

// Of quantized operands with the instructions for them: whether the node takes this way, and the way.
struct Convolution;
bool takes_codes(const NodeView& node);
Status convolve_codes(const KernelArgs& args, const Convolution& conv);
Status keep_convolve_codes(const KernelArgs& args, const Convolution& conv);
bool takes_depthwise_codes(const NodeView& node);
Status depthwise_codes(const KernelArgs& args, const Window& window);
Status keep_depthwise_codes(const KernelArgs& args);
bool takes_matmul_codes(const NodeView& node, const MatMul& work);
Status matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias);
Status keep_matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias);

// Of float32 operands.
Status convolve_floats(const KernelArgs& args, const Convolution& conv);
Status keep_convolve_floats(const KernelArgs& args, const Convolution& conv);
Status matmul_floats(const KernelArgs& args, const MatMul& work, bool has_bias);
Status keep_matmul_floats(const KernelArgs& args, const MatMul& work, bool has_bias);

// Where the index-th of `shape` lies, in steps of `strides`.
inline int64_t offset_of(int64_t index, const Shape& shape, const Strides& strides) {
  int64_t offset = 0;
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    offset += index % shape[axis] * strides[axis];
  return offset;
}

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
