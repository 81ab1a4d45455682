// GEMM of any dtype, computed in float.
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_gemm.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {
namespace {

// An unpacked matrix: rows x inner, or inner x rows.
template <typename T>
struct LeftMatrix {
  const T* data;
  int64_t rows, inner;
  bool transposed;
  int32_t zero_point;

  RowBlock tile(int64_t begin, int64_t end, std::vector<float>& scratch) const {
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

// The right operand of one GEMM of the batch.
template <typename T>
RightOperand right_of(const KernelArgs& args, const MatMul& work, int64_t batch) {
  const Tensor& tensor = args.node.input(1);
  const T* data =
      args.input<T>(1) + offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
  if (work.transpose_b)
    return contiguous_columns(data, work.inner, work.columns, work.inner, tensor.quant.zero_points);
  return contiguous_rows(data, work.columns, work.columns, work.inner, zero_point_of(tensor));
}

// The panels of an unbatched GEMM, if it uses them.
PrepackedBytes panels_of(const KernelArgs& args, const MatMul& work, const RightOperand& right) {
  if (!work.batch.empty() || !wants_panels(work.rows, right)) return {};
  return args.prepacked_from(1, packed_floats(work.columns, work.inner) * sizeof(float), [&](std::byte* to) {
    pack(right, work.columns, work.inner, args.pool, reinterpret_cast<float*>(to));
  });
}

template <typename T>
void multiply_batch(const KernelArgs& args, const MatMul& work, const GemmOutput& output, int64_t batch) {
  const T* data =
      args.input<T>(0) + offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
  const LeftMatrix<T> left{data, work.rows, work.inner, work.transpose_a, zero_point_of(args.node.input(0))};
  GenericGemm<SumOf<T>> gemm{work.rows, work.columns, work.inner};
  gemm.left = [&left](int64_t begin, int64_t end, std::vector<float>& scratch) {
    return left.tile(begin, end, scratch);
  };
  gemm.right = right_of<T>(args, work, batch);
  const PrepackedBytes panels = panels_of(args, work, gemm.right);
  gemm.panels = panels.as<float>();
  gemm.store = [&](const Sums<SumOf<T>>& sums) {
    Sums<SumOf<T>> of_all = sums;
    of_all.row += batch * work.rows;
    output.store_block(of_all, 0, work.columns);
  };
  multiply(gemm, args.pool);
}

template <typename T>
Status matmul_typed(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const GemmOutput output(args, has_bias, work.columns);
  const int64_t batches = product(work.batch, 0, work.batch.size());
  args.pool.parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) multiply_batch<T>(args, work, output, batch);
  });
  return {};
}

}  // namespace

Status generic_gemm(const MatMulProblem& problem) {
  return dispatch_gemm_dtype(problem.dtype(), [&]<typename T>(std::type_identity<T>) {
    return matmul_typed<T>(problem.args, problem.work, problem.has_bias);
  });
}

Status prepack_generic_gemm(const MatMulProblem& problem) {
  return dispatch_gemm_dtype(problem.dtype(), [&]<typename T>(std::type_identity<T>) -> Status {
    static_cast<void>(panels_of(problem.args, problem.work, right_of<T>(problem.args, problem.work, 0)));
    return {};
  });
}

}  // namespace nnrt::cpu
