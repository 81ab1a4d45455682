// Quantized products of matrices on processors with has_code_dots().
#include "backends/cpu/linear_codes.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_rows.h"
#include "core/shape.h"

namespace nnrt::cpu {
bool takes_matmul_codes(const NodeView& node, const MatMul& work) {
  return takes_codes(node) && (work.batch.empty() || !node.input(1).is_constant());
}

Status keep_matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias) {
  static_cast<void>(code_weights(args, product_of(work, has_bias), args.input<int8_t>(1)));
  return {};
}

Status matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const TiledProduct product = product_of(work, has_bias);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
    const KeptBytes kept = code_weights(args, product, args.input<int8_t>(1) + b);
    multiply_codes(args, product, kept, 0,
                   MatrixRows<int8_t>{args.input<int8_t>(0) + a, work.rows, work.inner, work.transpose_a},
                   args.output<int8_t>() + batch * work.rows * work.columns, work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
