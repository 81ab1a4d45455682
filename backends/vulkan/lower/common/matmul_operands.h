// Helpers for lowerings of GEMMs: their operands, and the offsets of the matrices of these.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/schema/geometry.h"
#include "core/schema/node_view.h"

namespace nnrt::vulkan {

// The matrices of the first operand that are read, with those between them.
uint64_t left_matrices(const MatMul& shape);

// The fewest rows that cooperative matrices multiply: below, what is read matters more.
inline constexpr int64_t kMinMatrixRows = 16;
// In vectors of 16 bytes. Their kernels read whole ones.
inline constexpr uint32_t kFp16PerVector = 8;

// Returns whether the device's cooperative matrices may multiply the node's input `i`, which must be stored
// in fp16 then.
bool is_for_matrices(const NodeView& node, size_t i, const DevicePlan& plan);

// The stride of an operand along a dimension of a batch, counted from the end beginning with 1; 0 where there
// is none.
uint32_t stride_at(const Collapsed& batch, size_t operand, size_t from_end);

// [matrix][rows][columns] as [matrix][columns][rows], elements of so many bytes.
Bytes transposed_matrix(ByteView data, size_t rows, size_t columns, size_t element);

// The batch dimensions before the last two, which kernels walk themselves: calls `add` for each index with
// its offset in both operands and in the result, in matrices, and the number of matrices.
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
