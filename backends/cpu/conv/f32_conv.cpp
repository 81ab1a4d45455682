// Convolutions computed as GEMMs of FLOAT32 matrices.
#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/direct_conv.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/conv/stored_filters.h"
#include "backends/cpu/gemm/f32_dot.h"
#include "backends/cpu/gemm/split_gemm.h"
#include "core/base/shape.h"
#include "core/passes/winograd_range.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

bool has_bias(const KernelArgs& args) { return args.node.input_count() > 2; }

bool are_finite(const PrepackedBytes& filters, const GemmProblem& gemm) {
  return std::isfinite(magnitude_of(filters, gemm));
}

}  // namespace

GemmProblem filter_gemm(const Convolution& conv, bool has_bias) {
  constexpr int kShort = 32;
  GemmProblem gemm = gemm_problem_of<float>(conv, has_bias);
  if (const int64_t together = groups_in_vector(conv); together > 1) {
    gemm.groups = divide_up(gemm.groups, together);
    gemm.columns *= together;
    gemm.missing = gemm.groups * gemm.columns - conv.out_channels;
    gemm.taps = conv.spatial.kernel[0] * conv.spatial.kernel[1];
    gemm.tap_elements = conv.group_in;
  } else if (gemm.vectors > kShort && gemm.columns <= f32_block(kShort).lanes) {
    gemm.vectors = kShort;
  }
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

WhyNot why_not_convolve_split(const KernelArgs& args, const Convolution& conv) {
  if (conv.transposed) return "It does not support transposed convolutions.";
  return why_not_split(args, gemm_problem_of<float>(conv, has_bias(args)));
}

Status prepack_convolve_split(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(SplitWeights(args, gemm_problem_of<float>(conv, has_bias(args))));
  return {};
}

bool convolves_split_directly(const KernelArgs& args, const Convolution& conv) {
  return reads_padding(conv) &&
         !SplitWeights(args, gemm_problem_of<float>(conv, has_bias(args))).are_finite();
}

Status convolve_split(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = gemm_problem_of<float>(conv, has_bias(args));
  const SplitWeights weights(args, gemm);
  if (reads_padding(conv) && !weights.are_finite()) return convolve_direct(args, conv);
  for (int64_t group = 0; group < conv.groups; ++group) {
    const PixelRows<float> pixels(conv, args.input<float>(0), 0.0f, group);
    multiply_split(args, gemm, weights, group, pixels, group * conv.group_out, conv.out_channels);
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

}  // namespace nnrt::cpu
