// The weights of a FLOAT32 convolution, in either of two orders.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "core/memory/deferred_bytes.h"

namespace nnrt::cpu {

// [output channels][taps][group_in]; or [output channels][group_in][taps], the order of ONNX files, if
// `taps_last` is set.
struct Filters {
  const float* data;
  bool taps_last = false;
  std::shared_ptr<const StoredOrder> owner = nullptr;
};

inline Filters float_filters(const KernelArgs& args) {
  if (auto stored = stored_order(args.node.input(1).data))
    return {reinterpret_cast<const float*>(stored->data->data()), true, stored};
  return {args.input<float>(1)};
}

// Transposes filters whose taps are last first. Throws UnreadableBytes and std::bad_alloc.
inline const float* filters_in_tap_order(const KernelArgs& args) {
  require_read(args.node.input(1).data);
  return args.input<float>(1);
}

// The GEMM of "fp32_gemm". With few output channels, shorter vectors leave fewer lanes empty.
GemmProblem filter_gemm(const Convolution& conv, bool has_bias);
// Its packed filters (f32_weights()), with their largest magnitude if padding zeros multiply them.
PrepackedBytes packed_filters(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm);

// Whether the node's kernel, which has been chosen, reads its weights only by these functions.
bool packs_stored_order(const KernelArgs& args);

}  // namespace nnrt::cpu
