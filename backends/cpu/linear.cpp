#include "backends/cpu/families.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_output.h"
#include "backends/cpu/linear_product.h"
#include "core/geometry.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// A batch of right operands that all are the same, against rows that lie one after the other, is one product.
void fold_batch(MatMul& work) {
  if (work.transpose_a || work.batch.empty()) return;
  const bool same = std::all_of(work.batch_stride_b.begin(), work.batch_stride_b.end(),
                                [](int64_t stride) { return stride == 0; });
  if (!same || work.batch_stride_a != strides_of(work.batch)) return;
  work.rows *= product(work.batch, 0, work.batch.size());
  work.batch.clear();
}

// A matrix as it lies: rows x inner, or inner x rows.
template <typename T>
struct LeftMatrix {
  const T* data;
  int64_t rows, inner;
  bool transposed;
  int32_t zero_point;

  RowTile tile(int64_t begin, int64_t end, std::vector<float>& scratch) const {
    if constexpr (std::is_same_v<T, float>) {
      if (!transposed) return {data + begin * inner, inner};
    }
    scratch.resize(size_t((end - begin) * inner));
    const int64_t row_step = transposed ? 1 : inner;
    const int64_t inner_step = transposed ? rows : 1;
    for (int64_t row = begin; row < end; ++row) {
      float* to = scratch.data() + (row - begin) * inner;
      const T* from = data + row * row_step;
      for (int64_t k = 0; k < inner; ++k) to[k] = widened(from[k * inner_step], zero_point);
    }
    return {scratch.data(), inner};
  }
};

// The right operand of one product of the batch.
template <typename T>
RightOperand right_of(const KernelArgs& args, const MatMul& work, int64_t batch) {
  const Tensor& tensor = args.node.input(1);
  const T* data =
      args.input<T>(1) + offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
  if (work.transpose_b)
    return contiguous_columns(data, work.inner, work.columns, work.inner, tensor.quant.zero_points);
  return contiguous_rows(data, work.columns, work.columns, work.inner, zero_point_of(tensor));
}

// Of a product that is no batch, and wants them.
KeptBytes panels_of(const KernelArgs& args, const MatMul& work, const RightOperand& right) {
  if (!work.batch.empty() || !wants_panels(work.rows, right)) return {};
  return args.kept_from(1, packed_floats(work.columns, work.inner) * sizeof(float), [&](std::byte* to) {
    pack(right, work.columns, work.inner, args.pool, reinterpret_cast<float*>(to));
  });
}

template <typename T>
void multiply_batch(const KernelArgs& args, const MatMul& work, const LinearOutput& output, int64_t batch) {
  const T* data =
      args.input<T>(0) + offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
  const LeftMatrix<T> left{data, work.rows, work.inner, work.transpose_a, zero_point_of(args.node.input(0))};
  Product<SumOf<T>> product{work.rows, work.columns, work.inner};
  product.left = [&left](int64_t begin, int64_t end, std::vector<float>& scratch) {
    return left.tile(begin, end, scratch);
  };
  product.right = right_of<T>(args, work, batch);
  const KeptBytes panels = panels_of(args, work, product.right);
  product.panels = panels.as<float>();
  product.store = [&](const Sums<SumOf<T>>& sums) {
    for (int64_t r = 0; r < sums.rows; ++r) {
      const int64_t at = (batch * work.rows + sums.row + r) * work.columns + sums.column;
      output.store(std::span(sums.data + r * sums.stride, size_t(sums.columns)), sums.column, at);
    }
  };
  multiply(product, args.pool);
}

template <typename T>
Status matmul_typed(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const LinearOutput output(args, has_bias, work.columns);
  const int64_t batches = product(work.batch, 0, work.batch.size());
  args.pool.parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) multiply_batch<T>(args, work, output, batch);
  });
  return {};
}

Status matmul_any(const KernelArgs& args, const MatMul& work, bool has_bias) {
  if (takes_matmul_codes(args.node, work)) return matmul_codes(args, work, has_bias);
  if (args.node.dtype() == DType::f32) return matmul_floats(args, work, has_bias);
  return dispatch_linear(args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    return matmul_typed<T>(args, work, has_bias);
  });
}

Status matmul(const KernelArgs& args) {
  NNRT_ASSIGN(MatMul work, matmul_of(args.node));
  fold_batch(work);
  return matmul_any(args, work, false);
}

bool has_bias(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  return node.input_count() == 3 && (!attrs.has(Attr::has_bias) || attrs.flag(Attr::has_bias));
}

Status full_connection(const KernelArgs& args) {
  NNRT_ASSIGN(const MatMul work, matmul_of(args.node));
  return matmul_any(args, work, has_bias(args.node));
}

constexpr KernelRow kRows[] = {
    {Op::conv2d, conv2d},
    {Op::conv2d_transpose, conv2d_transpose},
    {Op::depthwise_conv2d_native, depthwise_conv2d},
    {Op::full_connection, full_connection},
    {Op::matmul, matmul},
    {Op::lstm, lstm},
};

Status keep_product(const KernelArgs& args, const MatMul& work, bool has_bias) {
  if (takes_matmul_codes(args.node, work)) return keep_matmul_codes(args, work, has_bias);
  if (args.node.dtype() == DType::f32) return keep_matmul_floats(args, work, has_bias);
  return dispatch_linear(args.node.dtype(), [&]<typename T>(std::type_identity<T>) -> Status {
    static_cast<void>(panels_of(args, work, right_of<T>(args, work, 0)));
    return {};
  });
}

}  // namespace

Status keep_matmul(const KernelArgs& args) {
  NNRT_ASSIGN(MatMul work, matmul_of(args.node));
  fold_batch(work);
  return keep_product(args, work, false);
}

Status keep_full_connection(const KernelArgs& args) {
  NNRT_ASSIGN(const MatMul work, matmul_of(args.node));
  return keep_product(args, work, has_bias(args.node));
}

std::span<const KernelRow> linear_kernels() { return kRows; }

}  // namespace nnrt::cpu
