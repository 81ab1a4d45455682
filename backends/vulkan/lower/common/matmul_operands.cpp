#include "backends/vulkan/lower/common/matmul_operands.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

// Number of operands that are multiplied as matrices.
size_t multiplied_operands(const NodeView& node) {
  switch (node.op()) {
    case Op::matmul:
    case Op::full_connection: {
      const Shape shape = with_dimension(node.output_shape());  // the product of two vectors is a scalar
      return product(shape, 0, shape.size() - 1) >= kMinMatrixRows ? 2 : 0;
    }
    case Op::conv2d:
    case Op::conv2d_transpose: return 2;
    case Op::attention: return 3;
    default: return 0;
  }
}

}  // namespace

bool is_for_matrices(const NodeView& node, size_t i, const DevicePlan& plan) {
  const size_t operands = multiplied_operands(node);
  for (size_t operand = 0; operand < operands; ++operand) {
    const Shape& shape = node.shape(operand);
    if (shape.empty() || shape.back() % kFp16PerVector != 0) return false;
  }
  return plan.matrices.fp16.rows > 0 && i < operands;
}

bool multiplies_in_fp16(const NodeView& node, const DevicePlan& plan) {
  const auto is_fp16 = [&](size_t i) { return node.input(i).name.ends_with(kFp16FormSuffix); };
  return plan.fp16_arithmetic && plan.matrices.fp16.rows == 0 && is_fp16(0) && is_fp16(1);
}

uint64_t left_matrices(const MatMul& shape) {
  int64_t last = 0;
  for (size_t i = 0; i < shape.batch.size(); ++i) last += (shape.batch[i] - 1) * shape.batch_stride_a[i];
  return uint64_t(last) + 1;
}

uint32_t stride_at(const Collapsed& batch, size_t operand, size_t from_end) {
  const Strides& strides = batch.strides[operand];
  return from_end > strides.size() ? 0 : uint32_t(strides[strides.size() - from_end]);
}

Packing transposed_matrix(ByteView data, size_t rows, size_t columns, size_t element) {
  const size_t line = rows * element;
  return {data.size(), line, [=](uint64_t offset, std::span<std::byte> to) {
            for (size_t i = offset / line; !to.empty(); ++i, to = to.subspan(line)) {
              const std::byte* from = data.data() + (i / columns * rows * columns + i % columns) * element;
              for (size_t row = 0; row < rows; ++row, from += columns * element)
                std::memcpy(to.data() + row * element, from, element);
            }
          }};
}

}  // namespace nnrt::vulkan
