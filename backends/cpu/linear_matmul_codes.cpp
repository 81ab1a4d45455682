// Quantized products of matrices on processors with has_code_dots().
#include "backends/cpu/linear_codes.h"
#include "backends/cpu/linear_kernels.h"
#include "core/shape.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

CodeProduct product_of(const MatMul& work, bool has_bias) {
  CodeProduct product;
  product.rows = work.rows;
  product.columns = work.columns;
  product.tap_codes = work.inner;
  product.has_bias = has_bias;
  product.columns_first = work.transpose_b;
  return product;
}

// Rows that lie one after the other; copied where they do not end on a whole step.
struct Rows {
  const int8_t* data;
  int64_t inner;

  int64_t padded() const { return divide_up(inner, kCodeStep) * kCodeStep; }
  int64_t bytes(int64_t rows) const { return padded() == inner ? 0 : rows * padded(); }
  void operator()(int64_t begin, int64_t count, const int8_t** parts, int8_t* bytes) const {
    for (int64_t r = 0; r < count; ++r) {
      const int8_t* row = data + (begin + r) * inner;
      parts[r] = row;
      if (padded() == inner) continue;
      int8_t* copy = bytes + r * padded();
      std::memcpy(copy, row, size_t(inner));
      std::memset(copy + inner, 0, size_t(padded() - inner));
      parts[r] = copy;
    }
  }
};

}  // namespace

bool takes_matmul_codes(const NodeView& node, const MatMul& work) {
  return takes_codes(node) && !work.transpose_a && (work.batch.empty() || !node.input(1).is_constant());
}

Status keep_matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias) {
  static_cast<void>(code_weights(args, product_of(work, has_bias), args.input<int8_t>(1)));
  return {};
}

Status matmul_codes(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const CodeProduct product = product_of(work, has_bias);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
    const KeptBytes kept = code_weights(args, product, args.input<int8_t>(1) + b);
    multiply_codes(args, product, kept, 0, Rows{args.input<int8_t>(0) + a, work.inner},
                   args.output<int8_t>() + batch * work.rows * work.columns, work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
