// Implementations of MATMUL and FULL_CONNECTION.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel.h"
#include "core/base/check.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {

// Quantized operands.
enum class Int8Kernel : uint8_t { dot, amx };
inline constexpr const char* kAmxGemm = "amx_gemm";
// Selected by has_int8_dot().
#if defined(__aarch64__)
inline constexpr const char *kInt8Dot = "sdot", *kDotGemm = "sdot_gemm", *kDepthwiseDot = "depthwise_sdot";
#else
inline constexpr const char *kInt8Dot = "vnni", *kDotGemm = "vnni_gemm", *kDepthwiseDot = "depthwise_vnni";
#endif

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
Status matmul_int8_scaled(const MatMulProblem& problem, const SumScaling& scaling, Int8Kernel kernel);
Status matmul_int8(const MatMulProblem& problem, Int8Kernel kernel);
Status prepack_matmul_int8(const MatMulProblem& problem, Int8Kernel kernel);

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

// The same on tiles of BF16, where FLOAT16 is allowed.
WhyNot why_not_matmul_split(const MatMulProblem& problem);
Status matmul_split(const MatMulProblem& problem);
Status prepack_matmul_split(const MatMulProblem& problem);

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
