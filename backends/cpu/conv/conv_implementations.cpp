// The implementations of CONV2D, DEPTHWISE_CONV2D_NATIVE and CONV2D_TRANSPOSE.
#include "backends/cpu/base/implementation_list.h"
#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/stored_filters.h"
#include "backends/cpu/conv/transposed_conv.h"
#include "backends/cpu/conv/winograd_conv.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/split_gemm.h"
#include "backends/cpu/simd/simd.h"

namespace nnrt::cpu {
namespace {

struct Problem {
  const KernelArgs& args;
  Convolution conv;

  const NodeView& node() const { return args.node; }
  DType dtype() const { return node().dtype(); }
  int64_t taps() const { return conv.spatial.kernel[0] * conv.spatial.kernel[1]; }
};

Result<Problem> convolution(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(args.node));
  return Problem{args, convolution_of(args.node, spatial, false)};
}

Result<Problem> transposed_convolution(const KernelArgs& args) {
  NNRT_ASSIGN(const SpatialParams spatial, transposed_spatial_params(args.node));
  return Problem{args, convolution_of(args.node, spatial, true)};
}

WhyNot why_not_by_channel(const Problem& problem) {
  if (problem.conv.transposed) return "It does not support transposed convolutions.";
  if (problem.conv.group_in != 1)
    return {"A group has {} input channels; it supports one.", problem.conv.group_in};
  // It would read the only input channel once per output channel.
  if (problem.conv.groups == 1 && problem.conv.out_channels > 1)
    return WhyNot::slower("It is slower than a GEMM for {} output channels of one input channel.",
                          problem.conv.out_channels);
  // Up to this many products of zero-centered quantized values sum exactly in float.
  constexpr int64_t kMaxTaps = 256;
  if (problem.dtype() == DType::i8 && problem.taps() > kMaxTaps)
    return {"The kernel has {} taps; sums of quantized values are exact up to {}.", problem.taps(), kMaxTaps};
  return {};
}

WhyNot why_not_depthwise_int8(const Problem& problem) {
  if (const WhyNot why = why_not_int8_dot(problem.node())) return why;
  if (const WhyNot why = why_not_by_channel(problem)) return why;
  if (problem.node().output(0).dtype == DType::i32) return "It does not store INT32 sums.";
  if (problem.conv.in_channels != problem.conv.out_channels)
    return {"{} input channels become {} output channels; it supports one of each.", problem.conv.in_channels,
            problem.conv.out_channels};
  return {};
}

WhyNot why_not_fp32(const Problem& problem) {
  return problem.dtype() == DType::f32 ? WhyNot() : "It supports only FLOAT32.";
}

template <Int8Kernel kKernel>
Status convolve_int8(const Problem& problem) {
  return convolve_int8(problem.args, problem.conv, kKernel);
}
template <Int8Kernel kKernel>
Status prepack_int8(const Problem& problem) {
  return prepack_convolve_int8(problem.args, problem.conv, kKernel);
}

constexpr std::string_view kWinograd = "winograd4", kFloatGemm = "fp32_gemm";

constexpr Implementation<Problem> kConvolutions[] = {
    {kDepthwiseDot, why_not_depthwise_int8,
     [](const Problem& problem) { return depthwise_int8(problem.args, problem.conv.spatial); },
     [](const Problem& problem) { return prepack_depthwise_int8(problem.args, problem.conv.spatial); }},
    {"depthwise", why_not_by_channel,
     [](const Problem& problem) { return depthwise(problem.args, problem.conv.spatial); },
     [](const Problem& problem) { return prepack_depthwise(problem.args); }},
    {kWinograd, [](const Problem& problem) { return why_not_winograd(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_winograd(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_winograd(problem.args, problem.conv); },
     [](const Problem&) { return true; }},
    {"winograd4_int8",
     [](const Problem& problem) { return why_not_int8_winograd(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_int8_winograd(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_int8_winograd(problem.args, problem.conv); },
     [](const Problem& problem) { return runs_int8_winograd_directly(problem.args, problem.conv); }},
    {"grouped_int8", [](const Problem& problem) { return why_not_int8_groups(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_int8_groups(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_int8_groups(problem.args, problem.conv); }},
    {kAmxGemm, [](const Problem& problem) { return why_not_convolve_amx(problem.args, problem.conv); },
     convolve_int8<Int8Kernel::amx>, prepack_int8<Int8Kernel::amx>},
    {kDotGemm, [](const Problem& problem) { return why_not_int8_dot(problem.node()); },
     convolve_int8<Int8Kernel::dot>, prepack_int8<Int8Kernel::dot>},
    {"gemm_col2im", [](const Problem& problem) { return why_not_col2im(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_col2im(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_col2im(problem.args, problem.conv); }},
    {"subpixel_gemm", [](const Problem& problem) { return why_not_subpixel(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_subpixel(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_subpixel(problem.args, problem.conv); },
     [](const Problem& problem) { return runs_subpixel_directly(problem.args, problem.conv); }},
    {"fp32_dot", [](const Problem& problem) { return why_not_convolve_dot(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_dot(problem.args, problem.conv); }},
    {kSplitGemm, [](const Problem& problem) { return why_not_convolve_split(problem.args, problem.conv); },
     [](const Problem& problem) { return convolve_split(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_convolve_split(problem.args, problem.conv); },
     [](const Problem& problem) { return convolves_split_directly(problem.args, problem.conv); }},
    {kFloatGemm, why_not_fp32,
     [](const Problem& problem) { return convolve_f32(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_convolve_f32(problem.args, problem.conv); },
     [](const Problem& problem) { return convolves_f32_directly(problem.args, problem.conv); }},
    {"im2col_gemm", nullptr,
     [](const Problem& problem) { return convolve_im2col(problem.args, problem.conv); },
     [](const Problem& problem) { return prepack_convolve_im2col(problem.args, problem.conv); },
     [](const Problem& problem) { return convolves_im2col_directly(problem.args, problem.conv); }},
};

constexpr KernelRow kConvolutionKernels[] = {
    Choices<kConvolutions, convolution>::row(Op::conv2d),
    Choices<kConvolutions, convolution>::row(Op::depthwise_conv2d_native),
    Choices<kConvolutions, transposed_convolution>::row(Op::conv2d_transpose),
};

}  // namespace

bool packs_stored_order(const KernelArgs& args) {
  if (args.node.op() != Op::conv2d || args.chosen == kNotChosen) return false;
  const std::string_view name = kConvolutions[args.chosen].name;
  return name == kWinograd || name == kFloatGemm;
}

std::span<const KernelRow> convolution_kernels() { return kConvolutionKernels; }

}  // namespace nnrt::cpu
