#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/conv/conv2d_tiles.h"
#include "backends/vulkan/lower/conv/lower_convolutions.h"
#include "backends/vulkan/lower/conv/lower_depthwise.h"
#include "backends/vulkan/lower/conv/lower_fast_compile.h"
#include "backends/vulkan/lower/conv/lower_winograd.h"
#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {
namespace {

struct ConvolutionWork {
  Convolution shape;
  bool transposed = false;
};

Result<Convolution> convolution_of(const NodeView& node, const SpatialParams& spatial) {
  NNRT_TRY(check_spatial(spatial));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  Convolution work;
  work.spatial = spatial;
  work.in = size2(spatial.in);
  work.out = size2(spatial.out);
  work.images = uint32_t(node.shape(0)[0]);
  work.in_channels = uint32_t(node.shape(0)[3]);
  work.out_channels = uint32_t(node.shape(1)[0]);
  work.groups = groups_of(node);
  return work;
}

bool is_depthwise(const ConvolutionWork& work) {
  return !work.transposed && work.shape.groups == work.shape.in_channels && work.shape.groups > 1;
}

WhyNot why_not_fast_compile(const LoweringContext& context, const ConvolutionWork& work) {
  if (is_depthwise(work)) return "It is depthwise.";
  return why_not_fast_compile_shaders(context.plan);
}

Status add_fast_compile(const LoweringContext& context, const ConvolutionWork& work) {
  const SpatialParams& spatial = work.shape.spatial;
  return work.transposed ? add_fast_compile_transpose(context, spatial)
                         : add_fast_compile_convolution(context, spatial);
}

WhyNot why_not_gemm(const LoweringContext&, const ConvolutionWork& work) {
  if (work.transposed) return "It is transposed.";
  const SpatialParams& spatial = work.shape.spatial;
  if (work.shape.groups != 1) return {"It has {} groups.", work.shape.groups};
  const bool is_pointwise = work.shape.cells() == 1 && spatial.stride == std::array<int64_t, 2>{1, 1} &&
                            spatial.before == std::array<int64_t, 2>{} &&
                            spatial.after == std::array<int64_t, 2>{};
  return is_pointwise ? WhyNot() : "Its kernel is not 1x1 with stride 1.";
}

Status add_gemm(const LoweringContext& context, const ConvolutionWork& work) {
  MatMul shape;
  shape.rows = int64_t(work.shape.pixels());
  shape.columns = int64_t(work.shape.out_channels);
  shape.inner = int64_t(work.shape.in_channels);
  shape.transpose_b = true;
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(context.node));
  return add_gemm(context, {shape, context.output(), context.input(2), epilogue});
}

WhyNot why_not_depthwise(const LoweringContext&, const ConvolutionWork& work) {
  if (is_depthwise(work)) return {};
  return {"It has {} groups of {} channels.", work.shape.groups, work.shape.group_in()};
}

// Of kernels that read each element of the image once, or pad it before.
constexpr View::Takes kImage = View::planes | View::floats | View::rounded | View::slice;

template <MatrixSource source>
constexpr Kernel<ConvolutionWork> matrix_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return why_not_cooperative_matrix(context, work.shape.spatial, source);
          },
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return add_cooperative_matrix(context, work.shape.spatial);
          },
          View::fp16 | View::slice};
}

template <uint32_t side>
constexpr Kernel<ConvolutionWork> winograd_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return why_not_winograd(context, work.shape.spatial, side);
          },
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return add_winograd(context, work.shape.spatial, side);
          },
          View::slice};
}

template <TileKind kind>
constexpr Kernel<ConvolutionWork> tile_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return ConvolutionTiles(context, work.shape, work.transposed).why_not(kind);
          },
          [](const LoweringContext& context, const ConvolutionWork& work) {
            return ConvolutionTiles(context, work.shape, work.transposed).add(kind);
          },
          kImage};
}

constexpr Kernel<ConvolutionWork> kConvolutions[] = {
    {"fast_compile", why_not_fast_compile, add_fast_compile, kImage},
    {"gemm", why_not_gemm, add_gemm},
    {"depthwise", why_not_depthwise,
     [](const LoweringContext& context, const ConvolutionWork& work) {
       return add_depthwise(context, work.shape.spatial);
     }},
    matrix_kernel<MatrixSource::native>("cooperative_matrix"),
    matrix_kernel<MatrixSource::emulated>("cooperative_matrix_emulated"),
    {"cooperative_matrix_im2col",
     [](const LoweringContext& context, const ConvolutionWork&) { return why_not_im2col_matrices(context); },
     [](const LoweringContext& context, const ConvolutionWork& work) {
       return add_im2col_matrix(context, work.shape.spatial);
     },
     kImage},
    winograd_kernel<4>("winograd4"),
    winograd_kernel<2>("winograd2"),
    tile_kernel<TileKind::subgroup>("subgroup_tile"),
    tile_kernel<TileKind::texel_buffer>("texel_buffer"),
    tile_kernel<TileKind::shared_memory>("shared_memory_tile"),
    tile_kernel<TileKind::small_registers>("small_register_tile"),
    tile_kernel<TileKind::registers>("register_tile"),
};

constexpr std::span<const Kernel<ConvolutionWork>> kList(kConvolutions);

}  // namespace

std::vector<std::string_view> convolution_kernels() { return names_of(kList); }

bool is_depthwise(const NodeView& node) {
  if (node.op() == Op::depthwise_conv2d_native) return true;
  return node.op() == Op::conv2d && node.attrs().has(Attr::group) && node.attrs().integer(Attr::group) > 1 &&
         node.attrs().integer(Attr::group) == node.shape(0)[3];
}

Status lower_conv2d(const LoweringContext& context) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(context.node));
  NNRT_ASSIGN(const Convolution shape, convolution_of(context.node, spatial));
  return lower_by_list(kList, context, ConvolutionWork{shape, false});
}

Status lower_conv2d_transpose(const LoweringContext& context) {
  NNRT_ASSIGN(const SpatialParams spatial, transposed_spatial_params(context.node));
  NNRT_ASSIGN(const Convolution shape, convolution_of(context.node, spatial));
  return lower_by_list(kList, context, ConvolutionWork{shape, true});
}

Status lower_depthwise(const LoweringContext& context) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(context.node));
  NNRT_TRY(convolution_of(context.node, spatial));
  return add_depthwise(context, spatial);
}

}  // namespace nnrt::vulkan
