// GEMM operands and the batch offsets of their matrices.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/memory/packing.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/schema/geometry.h"
#include "core/schema/node_view.h"

#include <string_view>

namespace nnrt::vulkan {

// Matrices that the first operand spans, from the first to the last one read.
uint64_t left_matrices(const MatMul& shape);

// Fewest rows for cooperative matrices: with less, reading the weights dominates.
inline constexpr int64_t kMinMatrixRows = 16;
// Values per 16-byte vector; the kernels read whole vectors.
inline constexpr uint32_t kFp16PerVector = 8;

// Returns whether the device's cooperative matrices can use the node's input `i`, which must then be stored
// as fp16.
bool is_for_matrices(const NodeView& node, size_t i, const DevicePlan& plan);

// Suffix of the tensors that the pass for EnableFloat16 made (passes/fp16_pass.h): computing with them may
// round as well. The client's FLOAT16 tensors do not permit that.
inline constexpr std::string_view kFp16FormSuffix = " as fp16";
// Returns whether inputs 0 and 1 may be multiplied in fp16 (variant HALF of the shaders): they are fp16
// because of EnableFloat16. Cooperative matrices multiply fp16 faster.
bool multiplies_in_fp16(const NodeView& node, const DevicePlan& plan);

// The operand's stride along a batch dimension counted from the end (1: the last); 0 if there is no such
// dimension.
uint32_t stride_at(const Collapsed& batch, size_t operand, size_t from_end);

// Transposes [matrix][rows][columns] to [matrix][columns][rows]; `element` is in bytes. `data` must outlive
// the result.
Packing transposed_matrix(ByteView data, size_t rows, size_t columns, size_t element);

// Iterates over the batch dimensions before the last two, which kernels walk themselves. Calls `add` with the
// offsets of both operands and of the result, in matrices, and the number of matrices.
template <typename Add>
Status for_each_outer(const Collapsed& batch, Add add) {
  const size_t rank = batch.shape.size();
  const size_t outer = rank > 2 ? rank - 2 : 0;
  const int64_t matrices = product(batch.shape, outer, rank);
  const int64_t count = product(batch.shape, 0, outer);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, a = 0, b = 0;
    for (size_t d = outer; d-- > 0; rest /= batch.shape[d]) {
      a += rest % batch.shape[d] * batch.strides[0][d];
      b += rest % batch.shape[d] * batch.strides[1][d];
    }
    NNRT_TRY(add(uint32_t(a), uint32_t(b), uint32_t(i * matrices), uint32_t(matrices)));
  }
  return {};
}

}  // namespace nnrt::vulkan
