// Products of float32 matrices, and convolutions as such.
#include "backends/cpu/linear_floats.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_rows.h"
#include "backends/cpu/winograd.h"
#include "core/shape.h"

namespace nnrt::cpu {
namespace {

bool has_bias(const KernelArgs& args) { return args.node.input_count() > 2; }

// Whether one matrix of weights serves all products of a batch.
bool shares_weights(const MatMul& work) {
  return std::all_of(work.batch_stride_b.begin(), work.batch_stride_b.end(),
                     [](int64_t stride) { return stride == 0; });
}

// One of many products, by one thread. `panels` are packed, with the bias behind them.
void multiply_alone(const KernelArgs& args, const TiledProduct& product, const float* left,
                    const float* panels, int64_t first) {
  const int64_t most = float_block(vector_bytes()).rows;
  const int64_t block_rows = divide_up(product.rows, divide_up(product.rows, most));
  const FloatEnd end(args);
  const FloatRows rows{nullptr, left, product.inner(), 1, product.inner(), product.rows, block_rows};
  multiply_floats(vector_bytes(), rows, panels, product.columns,
                  end.finish(panels + float_group_floats(product), first), args.output<float>() + first,
                  product.columns);
  end.apply_rest(first, product.rows, product.columns, product.columns);
}

// Whether the threads take whole products of a batch rather than parts of each.
bool takes_products_alone(const KernelArgs& args, const MatMul& work, const TiledProduct& product,
                          int64_t batches) {
  constexpr int64_t kMostPacked = 64 * 1024;  // floats, which stay in a core's cache
  return !shares_weights(work) && !work.transpose_a && !is_narrow(product) &&
         batches >= int64_t(args.pool.threads()) && float_group_floats(product) <= kMostPacked;
}

Status multiply_products(const KernelArgs& args, const MatMul& work, const TiledProduct& product,
                         int64_t batches) {
  const int64_t bias_floats = product.columns + float_block(vector_bytes()).lanes;
  const size_t floats = size_t(float_group_floats(product) + bias_floats);
  args.scratch->reserve(args.pool.threads(), floats * sizeof(float));
  args.pool.parallel_for(batches, 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const panels = reinterpret_cast<float*>(args.scratch->of_worker(worker, floats * sizeof(float)));
    float* const bias = panels + float_group_floats(product);
    std::fill_n(bias, bias_floats, 0.0f);
    if (product.has_bias) std::copy_n(args.input<float>(2), product.columns, bias);
    ThreadPool alone = args.pool.share(1, 0);
    for (int64_t batch = begin; batch < end; ++batch) {
      const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
      const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
      pack_floats(product, args.input<float>(1) + b, alone, panels);
      multiply_alone(args, product, args.input<float>(0) + a, panels, batch * work.rows * work.columns);
    }
  });
  return {};
}

}  // namespace

Status keep_convolve_floats(const KernelArgs& args, const Convolution& conv) {
  if (takes_winograd(args, conv)) return keep_winograd(args, conv);
  static_cast<void>(float_weights(args, product_of<float>(conv, has_bias(args)), args.input<float>(1)));
  return {};
}

Status convolve_floats(const KernelArgs& args, const Convolution& conv) {
  if (takes_winograd(args, conv)) return convolve_winograd(args, conv);
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
  if (takes_products_alone(args, work, product, batches))
    return multiply_products(args, work, product, batches);
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
