// GEMMs of FLOAT32 matrices, and convolutions computed as such.
#include "backends/cpu/conv/direct_conv.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/conv/stored_filters.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_conv_kernels.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "backends/cpu/simd/dot_rows.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/base/shape.h"
#include "core/passes/winograd_range.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt::cpu {
namespace {

bool has_bias(const KernelArgs& args) { return args.node.input_count() > 2; }

// One GEMM of a batch, on one thread. `panels` are packed, followed by the bias.
void multiply_alone(const KernelArgs& args, const GemmProblem& gemm, const float* left, const float* panels,
                    int64_t first) {
  const int64_t max_rows = f32_block(vector_bytes()).rows;
  const int64_t block_rows = divide_up(gemm.rows, divide_up(gemm.rows, max_rows));
  const F32OutputEpilogue end(args);
  const F32Rows rows{nullptr, left, gemm.inner(), 1, gemm.inner(), gemm.rows, block_rows};
  multiply_f32(vector_bytes(), rows, panels, gemm.columns,
               end.epilogue(panels + f32_group_floats(gemm), first), args.output<float>() + first,
               gemm.columns);
  end.apply_rest(first, gemm.rows, gemm.columns, gemm.columns);
}

int64_t batches_of(const MatMul& work) { return nnrt::product(work.batch, 0, work.batch.size()); }

bool are_finite(const PrepackedBytes& filters, const GemmProblem& gemm) {
  return std::isfinite(magnitude_of(filters, gemm));
}

// Operands and result of one GEMM of the batch.
struct Operands {
  const float *left, *right;
  int64_t first;
};
Operands operands_of(const MatMulProblem& problem, int64_t batch) {
  const MatMul& work = problem.work;
  const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
  const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
  return {problem.args.input<float>(0) + a, problem.args.input<float>(1) + b,
          batch * work.rows * work.columns};
}

// Returns a reason against dot products along K.
WhyNot why_not_dot(int64_t columns, int64_t inner) {
  constexpr int64_t kMaxColumns = 4;
  constexpr int64_t kSum = 12;  // cost of a horizontal sum, in vector products
  const int64_t lanes = f32_block(vector_bytes()).lanes;
  if (columns > kMaxColumns) return {"It supports {} columns; there are {}.", kMaxColumns, columns};
  if (columns * (divide_up(inner, lanes) + kSum) >= inner)
    return WhyNot::slower("It is slower with {} products per sum of {} columns.", inner, columns);
  return {};
}

// `columns` are [columns][taps][tap_floats].
template <typename Locate>
void multiply_dot(const KernelArgs& args, const GemmProblem& gemm, const float* columns, const float* bias,
                  const Locate& locate, int64_t first, int64_t stride) {
  const F32OutputEpilogue end(args, false);
  const F32Epilogue clamps = end.epilogue(nullptr, 0);
  float* const output = args.output<float>();
  for_tiles<float>(
      args, gemm, f32_tile_block(gemm), locate, [](const float* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const float* const* parts, const int32_t*) {
        const int64_t at = first + tile.row * stride;
        std::array<const float*, kMaxFloatRows> in_place;
        std::array<float, kMaxFloatRows> sums;
        for (int64_t row = 0; row < tile.rows; row += tile.block_rows) {
          DotRows rows{in_place.data(), tile.block_rows, gemm.taps, gemm.tap_elements,
                       std::min(tile.block_rows, tile.rows - row)};
          if (parts != nullptr) {
            rows.parts = parts + row * gemm.taps;
          } else {
            for (int64_t r = 0; r < rows.count; ++r) in_place[size_t(r)] = locate.row_at(tile.row + row + r);
          }
          for (int64_t column = 0; column < gemm.columns; ++column) {
            dot_rows(vector_bytes(), rows, columns + column * gemm.inner(), sums.data());
            float* to = output + at + row * stride + column;
            for (int64_t r = 0; r < rows.count; ++r, to += stride) {
              *to = sums[size_t(r)] + (bias == nullptr ? 0.0f : bias[column]);
              clamp_to(*to, clamps.low, clamps.high);
            }
          }
        }
        end.apply_rest(at, tile.rows, gemm.columns, stride);
      });
}

}  // namespace

GemmProblem filter_gemm(const Convolution& conv, bool has_bias) {
  constexpr int kShort = 32;
  GemmProblem gemm = gemm_problem_of<float>(conv, has_bias);
  if (const int64_t together = groups_in_vector(conv); together > 1) {
    gemm.groups /= together;
    gemm.columns *= together;
    gemm.taps = conv.spatial.kernel[0] * conv.spatial.kernel[1];
    gemm.tap_elements = conv.group_in;
  }
  if (gemm.vectors > kShort && gemm.columns <= f32_block(kShort).lanes) gemm.vectors = kShort;
  return gemm;
}

PrepackedBytes packed_filters(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm) {
  return args.prepacked_from(1, f32_weight_bytes(gemm), [&](std::byte* memory) {
    const Filters filters = float_filters(args);
    if (!filters.taps_last) return write_f32_weights(args, gemm, filters.data, reads_padding(conv), memory);
    const int64_t taps = conv.spatial.kernel[0] * conv.spatial.kernel[1];
    write_f32_weights_taps_last(args, gemm, filters.data, taps, reads_padding(conv), memory);
  });
}

Status prepack_convolve_f32(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(packed_filters(args, conv, filter_gemm(conv, has_bias(args))));
  return {};
}

bool convolves_f32_directly(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = filter_gemm(conv, has_bias(args));
  return !are_finite(packed_filters(args, conv, gemm), gemm);
}

Status convolve_f32(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = filter_gemm(conv, has_bias(args));
  const PrepackedBytes prepacked = packed_filters(args, conv, gemm);
  if (!are_finite(prepacked, gemm)) return convolve_direct(args, conv);
  if (shares_taps(conv)) return convolve_groups(args, conv, gemm, prepacked);
  for (int64_t group = 0; group < conv.groups; ++group) {
    const PixelRows<float> pixels(conv, args.input<float>(0), 0.0f, group);
    multiply_f32(args, gemm, prepacked, group, pixels, group * conv.group_out, conv.out_channels);
  }
  return {};
}

WhyNot why_not_convolve_dot(const KernelArgs& args, const Convolution& conv) {
  if (conv.transposed) return "It does not support transposed convolutions.";
  if (args.node.dtype() != DType::f32) return "It supports only FLOAT32.";
  // A part of a row is a tap of one group, which would not fill a vector.
  if (shares_taps(conv) && conv.group_in < f32_block(vector_bytes()).lanes)
    return WhyNot::slower("It is slower with {} input channels per group.", conv.group_in);
  return why_not_dot(conv.group_out, conv.inner());
}

Status convolve_dot(const KernelArgs& args, const Convolution& conv) {
  const float* const weights = args.input<float>(1);
  const float* const bias = has_bias(args) ? args.input<float>(2) : nullptr;
  if (reads_padding(conv) &&
      !std::isfinite(max_magnitude({weights, size_t(conv.out_channels * conv.inner())})))
    return convolve_direct(args, conv);
  const GemmProblem gemm = gemm_problem_of<float>(conv, bias != nullptr);
  for (int64_t group = 0; group < conv.groups; ++group) {
    const int64_t first = group * conv.group_out;
    const PixelRows<float> pixels(conv, args.input<float>(0), 0.0f, group);
    multiply_dot(args, gemm, weights + first * conv.inner(), bias == nullptr ? nullptr : bias + first, pixels,
                 first, conv.out_channels);
  }
  return {};
}

bool shares_weights(const MatMul& work) {
  return std::ranges::all_of(work.batch_stride_b, [](int64_t stride) { return stride == 0; });
}

WhyNot why_not_batched_gemm(const MatMulProblem& problem) {
  constexpr int64_t kMaxPacked = int64_t{64} * 1024;  // floats that fit in a core's cache
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (shares_weights(work)) return WhyNot::slower("One right operand serves the entire batch.");
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  if (work.transpose_b && is_narrow(gemm)) return WhyNot::slower("It is slower with {} rows.", work.rows);
  const int64_t batches = batches_of(work), threads = problem.args.pool.threads();
  if (batches < threads)
    return WhyNot::slower("It is slower with {} GEMMs for {} threads.", batches, threads);
  const int64_t packed = f32_group_floats(gemm);
  if (packed > kMaxPacked)
    return WhyNot::slower("It is slower with {} packed floats; {} stay in a cache.", packed, kMaxPacked);
  return {};
}

Status batched_gemm(const MatMulProblem& problem) {
  const KernelArgs& args = problem.args;
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  const int64_t bias_floats = gemm.columns + f32_block(vector_bytes()).lanes;
  const size_t floats = size_t(f32_group_floats(gemm) + bias_floats);
  args.scratch->reserve(args.pool.threads(), floats * sizeof(float));
  args.pool.parallel_for(batches_of(problem.work), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const panels = reinterpret_cast<float*>(args.scratch->of_worker(worker, floats * sizeof(float)));
    float* const bias = panels + f32_group_floats(gemm);
    std::fill_n(bias, bias_floats, 0.0f);
    if (gemm.has_bias) std::copy_n(args.input<float>(2), gemm.columns, bias);
    ThreadPool alone = args.pool.share(1, 0);
    for (int64_t batch = begin; batch < end; ++batch) {
      const Operands operands = operands_of(problem, batch);
      pack_f32(gemm, operands.right, alone, panels);
      multiply_alone(args, gemm, operands.left, panels, operands.first);
    }
  });
  return {};
}

WhyNot why_not_gemv(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (!work.transpose_b && batches_of(work) > 1)
    return WhyNot::slower("It is slower with a batch of {} matrices [inner, columns].", batches_of(work));
  if (!is_narrow(gemm_problem_of(work, problem.has_bias)))
    return WhyNot::slower("It is slower with {} rows.", work.rows);
  return {};
}

Status gemv(const MatMulProblem& problem) {
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  for (int64_t batch = 0; batch < batches_of(problem.work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    multiply_narrow(problem.args, gemm, operands.left, operands.right,
                    problem.args.output<float>() + operands.first);
  }
  return {};
}

WhyNot why_not_matmul_dot(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (!work.transpose_b && work.columns > 1) return {"The {} columns are not contiguous.", work.columns};
  return why_not_dot(work.columns, work.inner);
}

Status matmul_dot(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  const float* const bias = problem.has_bias ? problem.args.input<float>(2) : nullptr;
  for (int64_t batch = 0; batch < batches_of(work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    multiply_dot(problem.args, gemm, operands.right, bias,
                 MatrixRows<float>{operands.left, work.rows, work.inner, false}, operands.first,
                 work.columns);
  }
  return {};
}

Status prepack_matmul_f32(const MatMulProblem& problem) {
  if (!shares_weights(problem.work)) return {};
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  static_cast<void>(f32_weights(problem.args, gemm, problem.args.input<float>(1)));
  return {};
}

Status matmul_f32(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  KernelArgs own = problem.args;
  if (!shares_weights(work)) own.prepacked = nullptr;  // only a single matrix can be cached
  for (int64_t batch = 0; batch < batches_of(work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    const PrepackedBytes prepacked = f32_weights(own, gemm, operands.right);
    multiply_f32(own, gemm, prepacked, 0,
                 MatrixRows<float>{operands.left, work.rows, work.inner, work.transpose_a}, operands.first,
                 work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
