#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"

#include "backends/vulkan/device/alignment.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/elementwise/constants_as_float.h"
#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "core/base/fp16.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

// Must match shaders/include/gemm/cooperative_matrix_tile.glsl.
constexpr uint32_t kSlice = 64;

struct GemmPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t part = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

// Input read as vectors of 8: the number of them per pixel and per group.
struct VectorInput {
  uint32_t pixel_vec8s = 0, group_vec8s = 0;
};
// Input of the IM2COL variant.
struct ElementInput {
  uint32_t channels = 0, group_channels = 0;
  uint32_t pixel_step = 0, channel_step = 0;
};

template <typename Input>
struct ConvolutionPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  Input input;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t part = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 1;
  EpiloguePush epilogue{};
};

constexpr const char* kNotUsed = "Cooperative matrices are not used on this device.";
constexpr const char* kNotFp16 = "An operand is not stored as fp16.";

WhyNot why_not_operands(const LoweringContext& context, MatrixSource source) {
  const DevicePlan& plan = context.plan;
  if (plan.matrices.fp16.rows == 0 || plan.matrices.emulates_fp16 != (source == MatrixSource::emulated))
    return source == MatrixSource::emulated ? "It is for tests." : kNotUsed;
  for (size_t i = 0; i < 2; ++i)
    if (context.view(i, View::fp16).stored != DType::f16) return kNotFp16;
  return {};
}

// A matrix product with its epilogue.
struct Product {
  std::string_view kernel;
  TileWork work;
  Buffer left, right;
  uint32_t groups = 1;  // column groups
  bool is_right_transposed = true, is_convolution_transposed = false;
  std::optional<Buffer> bias;
  View output;
  Epilogue epilogue;
};

// RIGHT_ORDER of cooperative_matrix_tile.glsl.
uint32_t right_order(const Product& product, const DevicePlan& plan) {
  if (product.is_right_transposed) return 1;
  return transposes_steps(plan) ? 2 : 0;
}

std::string_view shader_of(const LoweringContext& context, const Product& product) {
  return embedded_name(cat(product.kernel, context.plan.matrices.emulates_fp16 ? "_emulated" : ""));
}

// Adds one dispatch, or with split-K one for the partial sums and one that reduces them.
template <typename AnyPush>
Status add(const LoweringContext& context, const Product& product, AnyPush push) {
  const TileWork& work = product.work;
  NNRT_ASSIGN(const TileChoice choice, choose_shared_tile(context, work, TileSet::matrices));
  const bool is_split = choice.splits > 1;
  const uint32_t columns = work.columns * product.groups;
  const Epilogue epilogue = is_split ? Epilogue{} : product.epilogue;
  View to = product.output;
  if (is_split)
    to = View::rows(context.sink.scratch(size_t(choice.splits) * work.rows * columns * sizeof(float)),
                    columns);
  push.part = choice.split_length;
  push.y_first = to.offset;
  push.y_row = to.row();
  push.has_bias = product.bias && !is_split ? 1 : 0;
  push.epilogue = push_of(epilogue);
  const Buffer any = product.left;  // bound where nothing is read
  const uint32_t matrices = product.groups == 1 ? work.matrices : 1;
  const uint32_t tiles = choice.tile.tiles(work.rows, work.columns) * product.groups;
  const MatrixPlan& plan = context.plan.matrices;
  const SubgroupGrid grid = choice.tile.grid(plan.subgroup, plan.fp16);
  const CooperativeMatrixShape matrix =
      plan.fp16_of(choice.tile.rows / grid.down, choice.tile.columns / grid.across);
  const uint32_t group = grid.count() * plan.subgroup;
  Dispatch dispatch{
      .shader = shader_of(context, product),
      .constants = {epilogue.post_op, epilogue.added ? 1u : 0u, product.is_convolution_transposed,
                    right_order(product, context.plan), plan.subgroup, matrix.rows, matrix.columns,
                    matrix.inner, grid.down, grid.across, choice.tile.rows},
      .push = Push(push),
      .buffers = {any, product.right, product.bias.value_or(any), to.buffer,
                  epilogue_operand(context, epilogue, any)},
      .threads = {tiles * group, 1,
                  std::min(is_split ? choice.splits : matrices, context.plan.max_group_count[2])}};
  const MatrixSteps steps{is_split ? choice.split_length : work.inner, kSlice, plan.subgroup};
  dispatch.iterations = loop_by(is_split ? 1 : matrices, dispatch.threads[2],
                                matrix_tile_iterations(choice.tile, grid, matrix, steps));
  NNRT_TRY(add_groups(context, std::move(dispatch), group));
  if (is_split) {
    add_split_sums(context, {to.buffer, work.rows, columns, choice.splits, product.bias}, product.epilogue,
                   product.output);
  }
  return {};
}

// Input elements under the kernel, per group: the GEMM's K.
uint32_t inner_of(const NodeView& node, const SpatialParams& spatial) {
  return uint32_t(spatial.kernel[0] * spatial.kernel[1] * node.shape(0)[3] / groups_of(node));
}

// `product` brings the kernel and the operands; everything else comes from the node.
template <typename Input>
Status add_convolution(const LoweringContext& context, const SpatialParams& spatial, const Input& input,
                       Product product) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(product.epilogue, epilogue_of(node));
  ConvolutionPush<Input> push;
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.input = input;
  push.groups = groups_of(node);
  push.columns = uint32_t(node.shape(1)[0]) / push.groups;
  push.spatial = push_of(spatial);
  product.work = {.rows = push.pixels,
                  .columns = push.columns,
                  .matrices = push.groups,
                  .inner = inner_of(node, spatial),
                  .inner_unit = kSlice,
                  .is_convolution = true};
  product.groups = push.groups;
  product.is_convolution_transposed = node.op() == Op::conv2d_transpose;
  product.bias = context.input(2);
  product.output = output_rows(context, product.epilogue, push.columns * push.groups);
  return add(context, product, push);
}

// Packs weights as rows of fp16, each padded with zeros to whole vectors.
Packing in_lines(const std::byte* floats, size_t lines, size_t inner) {
  const size_t line_bytes = round_up(inner, kFp16PerVector) * sizeof(Half);
  return {lines * line_bytes, line_bytes, [=](uint64_t offset, std::span<std::byte> to) {
            for (size_t line = offset / line_bytes; !to.empty(); ++line, to = to.subspan(line_bytes)) {
              round_to_fp16({floats + line * inner * sizeof(float), inner * sizeof(float)}, to.data());
              std::fill(to.begin() + ptrdiff_t(inner * sizeof(Half)), to.begin() + ptrdiff_t(line_bytes),
                        std::byte{});
            }
          }};
}

Buffer fp16_lines(const LoweringContext& context, size_t inner) {
  const NodeView& node = context.node;
  const auto lines = size_t(node.shape(1)[0]);
  return context.sink.packed(node.node().inputs[1], "fp16 lines",
                             in_lines(node.input(1).data->data(), lines, inner),
                             lines * round_up(inner, kFp16PerVector) * sizeof(Half));
}

}  // namespace

WhyNot why_not_cooperative_matrix(const LoweringContext& context, const Gemm& gemm, MatrixSource source) {
  if (const WhyNot why = why_not_operands(context, source)) return why;
  const MatMul& shape = gemm.shape;
  if (gemm.left || gemm.first != 0) return "It uses a part of an operand.";
  if (shape.transpose_a) return "Its first operand is stored by columns.";
  if (shape.inner % kFp16PerVector != 0 || shape.columns % kFp16PerVector != 0) {
    return {"Its inner dimension ({}) and columns ({}) are not multiples of {}.", shape.inner, shape.columns,
            kFp16PerVector};
  }
  if (shape.rows < kMinMatrixRows) return {"It has few rows ({}).", shape.rows};
  if (collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b}).shape.size() > 2) {
    return "Its batch dimensions are broadcast.";
  }
  return {};
}

Status add_cooperative_matrix(const LoweringContext& context, const Gemm& gemm) {
  const MatMul& shape = gemm.shape;
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const auto a_matrix = uint32_t(shape.rows * shape.inner) / kFp16PerVector;
  const auto b_matrix = uint32_t(shape.columns * shape.inner) / kFp16PerVector;
  GemmPush push{uint32_t(shape.rows), uint32_t(shape.columns), uint32_t(shape.inner)};
  push.batch = uint32_t(batch.shape.back());
  push.matrices = uint32_t(nnrt::product(batch.shape, 0, batch.shape.size()));
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * b_matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * b_matrix;
  const TileWork work{push.rows, push.columns, push.matrices, push.inner, kSlice};
  return add(context,
             Product{.kernel = "matmul_cooperative_matrix",
                     .work = work,
                     .left = context.view(0).buffer,
                     .right = context.view(1).buffer,
                     .is_right_transposed = shape.transpose_b,
                     .bias = gemm.bias,
                     .output = output_rows(context, gemm),
                     .epilogue = gemm.epilogue},
             push);
}

WhyNot why_not_cooperative_matrix(const LoweringContext& context, const SpatialParams&, MatrixSource source) {
  if (const WhyNot why = why_not_operands(context, source)) return why;
  const NodeView& node = context.node;
  const uint32_t groups = groups_of(node);
  const int64_t in = node.shape(0)[3] / groups;
  const int64_t out = node.shape(1)[0] / groups;
  if (in % kFp16PerVector != 0 || out % kFp16PerVector != 0)
    return {"The channels per group ({} to {}) are not multiples of {}.", in, out, kFp16PerVector};
  return {};
}

Status add_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial) {
  const auto pixel_vec8s = uint32_t(context.node.shape(0)[3]) / kFp16PerVector;
  const VectorInput input{pixel_vec8s, pixel_vec8s / groups_of(context.node)};
  return add_convolution(context, spatial, input,
                         {.kernel = "conv2d_cooperative_matrix",
                          .left = context.view(0).buffer,
                          .right = context.view(1).buffer});
}

WhyNot why_not_im2col_matrices(const LoweringContext& context) {
  if (context.plan.matrices.fp16.rows == 0) return kNotUsed;
  const NodeView& node = context.node;
  if (context.view(1, View::fp16).stored != DType::f16) return kNotFp16;
  if (!node.input(1).is_constant()) return "Its weights are not constant.";
  const int64_t out = node.shape(1)[0] / groups_of(node);
  if (out % 4 != 0) return {"The output channels per group ({}) are not a multiple of 4.", out};
  return {};
}

Status add_im2col_matrix(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  const Shape& shape = node.shape(0);
  const View image = context.view(0);
  const auto channels = uint32_t(shape[3]);
  ElementInput input{channels, channels / groups_of(node), channels, 1};
  if (image.has_planes()) {
    input.pixel_step = 1;
    input.channel_step = image.strides[3];
  }
  return add_convolution(context, spatial, input,
                         {.kernel = "conv2d_cooperative_matrix_im2col",
                          .left = image.buffer,
                          .right = fp16_lines(context, inner_of(node, spatial))});
}

}  // namespace nnrt::vulkan
