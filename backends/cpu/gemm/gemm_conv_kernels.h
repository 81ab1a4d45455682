// Kernels of the gemm_conv family that are implemented in separate files.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {

Status lstm(const KernelArgs& args);
Status prepack_lstm(const KernelArgs& args);

struct Convolution;
struct GemmProblem;

// Convolution with one input channel per group.
Status depthwise(const KernelArgs& args, const SpatialParams& spatial);
Status prepack_depthwise(const KernelArgs& args);

// Quantized operands. Both kernels use the same packed weights.
enum class Int8Kernel : uint8_t { dot, amx };
// Selected by has_int8_dot().
#if defined(__aarch64__)
inline constexpr const char *kInt8Dot = "sdot", *kDotGemm = "sdot_gemm", *kDepthwiseDot = "depthwise_sdot";
#else
inline constexpr const char *kInt8Dot = "vnni", *kDotGemm = "vnni_gemm", *kDepthwiseDot = "depthwise_vnni";
#endif
Status convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel);
Status prepack_convolve_int8(const KernelArgs& args, const Convolution& conv);
struct Int8Residual;
// CONV2D fused with the ADD that follows. `args` are the CONV2D's, except that its output is the ADD's.
Status convolve_int8_and_add(const KernelArgs& args, const Int8Residual& residual);
WhyNot why_not_int8_winograd(const KernelArgs& args, const Convolution& conv);
Status convolve_int8_winograd(const KernelArgs& args, const Convolution& conv);
Status prepack_int8_winograd(const KernelArgs& args, const Convolution& conv);
// Returns whether a run uses the raw weights, because sums may be too large.
bool runs_int8_winograd_directly(const KernelArgs& args, const Convolution& conv);
WhyNot why_not_int8_groups(const KernelArgs& args, const Convolution& conv);
Status convolve_int8_groups(const KernelArgs& args, const Convolution& conv);
Status prepack_int8_groups(const KernelArgs& args, const Convolution& conv);
Status depthwise_int8(const KernelArgs& args, const SpatialParams& spatial);
Status prepack_depthwise_int8(const KernelArgs& args, const SpatialParams& spatial);

// For FLOAT32 operands.
Status convolve_f32(const KernelArgs& args, const Convolution& conv);
Status prepack_convolve_f32(const KernelArgs& args, const Convolution& conv);
// Returns whether a run uses the raw weights, because non-finite ones would be multiplied by padding.
bool convolves_f32_directly(const KernelArgs& args, const Convolution& conv);

// How many groups share a vector of output channels and are one group of filter_gemm()'s; 1 if none do.
int64_t groups_in_vector(const Convolution& conv);
// A part of convolve_f32(): all groups of a tile of pixels, whose taps are located once. `filters` are
// f32_weights().
bool shares_taps(const Convolution& conv);
Status convolve_groups(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm,
                       const PrepackedBytes& filters);

// Convolutions to few channels.
WhyNot why_not_convolve_dot(const KernelArgs& args, const Convolution& conv);
Status convolve_dot(const KernelArgs& args, const Convolution& conv);

// For any operands, by im2col in float.
Status convolve_im2col(const KernelArgs& args, const Convolution& conv);
Status prepack_convolve_im2col(const KernelArgs& args, const Convolution& conv);
bool convolves_im2col_directly(const KernelArgs& args, const Convolution& conv);  // for the same reason

struct MatMulProblem {
  const KernelArgs& args;
  MatMul work;
  bool has_bias = false;

  DType dtype() const { return args.node.dtype(); }
};

// Returns whether one weight matrix serves all GEMMs of a batch.
bool shares_weights(const MatMul& work);

// `args` are those of a MATMUL or FULL_CONNECTION.
Result<MatMulProblem> matmul_problem(const KernelArgs& args);

struct SumScaling;
// INT32 sums, scaled to FLOAT32 results.
Status matmul_int8_scaled(const MatMulProblem& problem, const SumScaling& scaling);
Status matmul_int8(const MatMulProblem& problem, Int8Kernel kernel);
Status prepack_matmul_int8(const MatMulProblem& problem);

// For FLOAT32 operands. Each thread computes entire GEMMs of the batch.
WhyNot why_not_batched_gemm(const MatMulProblem& problem);
Status batched_gemm(const MatMulProblem& problem);
// Few rows; the weights are read in place.
WhyNot why_not_gemv(const MatMulProblem& problem);
Status gemv(const MatMulProblem& problem);
// Few columns; they are read in place.
WhyNot why_not_matmul_dot(const MatMulProblem& problem);
Status matmul_dot(const MatMulProblem& problem);
Status matmul_f32(const MatMulProblem& problem);
Status prepack_matmul_f32(const MatMulProblem& problem);

// For any operands, converted to float first.
Status generic_gemm(const MatMulProblem& problem);
Status prepack_generic_gemm(const MatMulProblem& problem);

// The offset of the index-th element of `shape` with these strides.
inline int64_t offset_of(int64_t index, const Shape& shape, const Strides& strides) {
  int64_t offset = 0;
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    offset += index % shape[axis] * strides[axis];
  return offset;
}

// Calls f with the element type: FLOAT32, FLOAT16 or quantized INT8.
template <typename F>
decltype(auto) dispatch_gemm_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f16: return f(std::type_identity<Half>{});
    case DType::i8: return f(std::type_identity<int8_t>{});
    default: break;
  }
  NNRT_CHECK(dtype == DType::f32, "GEMMs support only FLOAT16, FLOAT32 and INT8.");
  return f(std::type_identity<float>{});
}

}  // namespace nnrt::cpu
