// Graphs of one operator of linear algebra with the results that Eigen computes for them.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace nnrt::test {

struct LinearAlgebraCase {
  std::string name;
  Op op{};
  DType dtype{};
  GraphPtr graph;
  std::vector<Bytes> inputs;
  // INT8: quantized values before rounding. INT32 and INT64: empty, `exact` has the result's bytes.
  std::vector<double> want, bound;  // |got - want| <= bound
  Bytes exact;
};

// MATMUL with all transposes and broadcast batches, FULL_CONNECTION.
std::vector<LinearAlgebraCase> gemm_cases();
// CONV2D, DEPTHWISE_CONV2D_NATIVE and CONV2D_TRANSPOSE.
std::vector<LinearAlgebraCase> convolution_cases();
// Shapes and sizes for which the CPU device has kernels of its own.
std::vector<LinearAlgebraCase> cpu_gemm_cases();
std::vector<LinearAlgebraCase> cpu_convolution_cases();
// Norms, and reductions of floats and integers.
std::vector<LinearAlgebraCase> norm_cases();

// Describes the first element out of bounds, if any.
std::optional<std::string> mismatch(const LinearAlgebraCase& one, ByteView got);

}  // namespace nnrt::test
