#include "backends/vulkan/lower/common/lowering_families.h"
#include "backends/vulkan/lower/conv/lower_conv2d.h"
#include "backends/vulkan/lower/conv/lower_conv3d.h"
#include "backends/vulkan/lower/int8/int8_kernels.h"

namespace nnrt::vulkan {
namespace {

constexpr LoweringRow kConvolutionLowerings[] = {
    {Op::conv2d, {refuse_product, by_int8_or_float<lower_conv2d>}},
    {Op::conv2d_transpose, {refuse_conversion, via_f32<lower_conv2d_transpose>}},
    {Op::depthwise_conv2d_native, {refuse_conversion, via_f32<lower_depthwise>}},
    {Op::conv3d, {refuse_conversion, via_f32<lower_conv3d>}},
};

}  // namespace

std::span<const LoweringRow> convolution_lowerings() { return kConvolutionLowerings; }

}  // namespace nnrt::vulkan
