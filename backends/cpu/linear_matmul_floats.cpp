// Products of float32 matrices, and convolutions as such.
#include "backends/cpu/linear_floats.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_rows.h"
#include "core/shape.h"

namespace nnrt::cpu {
namespace {

bool has_bias(const KernelArgs& args) { return args.node.input_count() > 2; }

// Whether one matrix of weights serves all products of a batch.
bool shares_weights(const MatMul& work) {
  return std::all_of(work.batch_stride_b.begin(), work.batch_stride_b.end(),
                     [](int64_t stride) { return stride == 0; });
}

}  // namespace

Status keep_convolve_floats(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(float_weights(args, product_of<float>(conv, has_bias(args)), args.input<float>(1)));
  return {};
}

Status convolve_floats(const KernelArgs& args, const Convolution& conv) {
  const TiledProduct product = product_of<float>(conv, has_bias(args));
  const KeptBytes kept = float_weights(args, product, args.input<float>(1));
  for (int64_t group = 0; group < conv.groups; ++group) {
    const Pixels<float> pixels(conv, args.input<float>(0), 0.0f, group);
    multiply_floats(args, product, kept, group, pixels, group * conv.group_out, conv.out_channels);
  }
  return {};
}

Status keep_matmul_floats(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const TiledProduct product = product_of(work, has_bias);
  if (!shares_weights(work) || (is_narrow(product) && !work.transpose_a)) return {};
  static_cast<void>(float_weights(args, product, args.input<float>(1)));
  return {};
}

Status matmul_floats(const KernelArgs& args, const MatMul& work, bool has_bias) {
  const TiledProduct product = product_of(work, has_bias);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  // Only one matrix can be kept.
  KernelArgs own = args;
  if (!shares_weights(work)) own.kept = nullptr;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
    const int64_t first = batch * work.rows * work.columns;
    const float* const left = args.input<float>(0) + a;
    const float* const right = args.input<float>(1) + b;
    if (is_narrow(product) && !work.transpose_a) {
      multiply_narrow(args, product, left, right, args.output<float>() + first);
      continue;
    }
    const KeptBytes kept = float_weights(own, product, right);
    multiply_floats(own, product, kept, 0, MatrixRows<float>{left, work.rows, work.inner, work.transpose_a},
                    first, work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
