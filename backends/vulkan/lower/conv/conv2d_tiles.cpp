#include "backends/vulkan/lower/conv/conv2d_tiles.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <algorithm>

namespace nnrt::vulkan {

struct TilePush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_packs = 0, group_packs = 0;
  uint32_t columns = 0, groups = 0;
  SpatialPush spatial;
  uint32_t first_pixel = 0, first_block = 0, blocks = 0;
  uint32_t a_first = 0, b_first = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t part = 0, y_part = 0;
  uint32_t has_bias = 1;
  EpiloguePush epilogue{};
};

namespace {

// Applies the padding of the input, if the output allows vector stores.
Convolution computed(const NodeView& node, Convolution work, const PaddedInput& padded) {
  if (!padded.changes(node)) return work;
  work.in_channels = padded.channels;
  work.across = padded.across;
  work.spatial = padded.spatial;
  work.in = size2(padded.spatial.in);
  return work;
}

}  // namespace

ConvolutionTiles::ConvolutionTiles(const LoweringContext& context, const Convolution& work, bool transposed)
    : context_(context),
      own_(work),
      padded_(work.out_channels % 4 == 0
                  ? padded_input_of(context.node, work.spatial, work.groups, transposed)
                  : PaddedInput{work.spatial, work.in_channels}),
      work_(computed(context.node, work, padded_)),
      transposed_(transposed) {}

TileOperands ConvolutionTiles::operands() const {
  const uint64_t block = uint64_t(work_.inner()) * (kTileColumns / 4);
  const uint64_t all_blocks = work_.groups * uint64_t(divide_up(work_.group_out(), kTileColumns));
  uint64_t left = 0;
  if (vectors() && left_texels() > context_.plan.max_texels) {
    const SpatialParams& spatial = work_.spatial;
    const auto reach = uint64_t((spatial.kernel[0] - 1) * spatial.dilation[0] + 1);
    left = transposed_ ? left_texels() : std::min<uint64_t>(reach, work_.in[0]) * row_texels();
  }
  TileOperands operands{left, block};
  if (vectors()) operands.whole = std::max(left_texels(), all_blocks * block);
  return operands;
}

WhyNot ConvolutionTiles::why_not(TileKind kind) const {
  switch (kind) {
    case TileKind::subgroup: return why_not_subgroup_tile(operands(), context_.plan);
    case TileKind::texel_buffer: return why_not_texel_buffer(operands(), context_.plan);
    case TileKind::shared_memory: return why_not_shared_memory_tile(context_.plan);
    case TileKind::small_registers: return why_not_small_tile(context_.plan);
    case TileKind::registers: break;
  }
  return {};
}

// As many output rows from `first` on as one view of the input covers.
ConvolutionTiles::Pixels ConvolutionTiles::cut_rows(uint32_t image, uint32_t first) const {
  const SpatialParams& spatial = work_.spatial;
  const auto last_row = int64_t(work_.in[0]) - 1;
  const auto max = int64_t(texels_of_part(context_.plan) / row_texels());
  const auto top = [&](uint32_t row) { return row * spatial.stride[0] - spatial.before[0]; };
  const auto bottom = [&](uint32_t row) { return top(row) + (spatial.kernel[0] - 1) * spatial.dilation[0]; };
  const int64_t from = std::clamp<int64_t>(top(first), 0, last_row);
  uint32_t end = first + 1;
  while (end < work_.out[0] && std::min(bottom(end), last_row) - from < max) ++end;
  const int64_t to = std::clamp<int64_t>(bottom(end - 1), from, last_row) + 1;
  const uint64_t place = (uint64_t(image) * work_.in[0] + uint64_t(from)) * row_texels();
  const uint32_t row = image * work_.out[0];
  return {(row + first) * work_.out[1], (row + end) * work_.out[1],
          view_of(place, uint64_t(to - from) * row_texels(), context_.plan)};
}

std::vector<ConvolutionTiles::Pixels> ConvolutionTiles::cut_pixels() const {
  if (!cuts_input()) return {{0, work_.pixels(), {}}};
  std::vector<Pixels> cuts;
  for (uint32_t image = 0; image < work_.images; ++image) {
    for (uint32_t row = 0; row < work_.out[0];) {
      cuts.push_back(cut_rows(image, row));
      row = cuts.back().end / work_.out[1] - image * work_.out[0];
    }
  }
  return cuts;
}

std::string_view ConvolutionTiles::shader(TileKind kind) const {
  switch (kind) {
    case TileKind::subgroup: return "conv2d_f32_vec4_subgroup8";
    case TileKind::texel_buffer: return vectors() ? "conv2d_f32_vec4_texels" : "conv2d_f32_texels";
    case TileKind::shared_memory:
      if (is_half()) return "conv2d_shared_memory_f32_vec4_half";
      return vectors() ? "conv2d_shared_memory_f32_vec4" : "conv2d_shared_memory_f32";
    case TileKind::small_registers:
      if (is_half()) return "conv2d_f32_vec4_small_half";
      return vectors() ? "conv2d_f32_vec4_small" : "conv2d_f32_small";
    case TileKind::registers: break;
  }
  return vectors() ? "conv2d_f32_vec4" : "conv2d_f32";
}

Status ConvolutionTiles::add(TileKind kind) {
  has_views_ = has_views(kind);
  const uint32_t inner = work_.inner();
  const uint32_t own_inner = own_.inner();
  const PackedWeights packing{.matrices = work_.groups,
                              .rows = work_.group_out(),
                              .inner = inner,
                              .matrix_stride = work_.group_out() * own_inner,
                              .row_stride = own_inner,
                              .wide = kTileColumns / 4,
                              .run = own_.group_in(),
                              .wide_run = work_.group_in()};
  View input{.buffer = context_.input(0)};
  if (padded_.changes(context_.node)) input = padded_input(context_, padded_, has_views_);
  NNRT_ASSIGN(const Buffer weight, pack_weights(context_, 1, packing));
  const uint32_t width = vectors() ? 4 : 1;
  TilePush push{work_.pixels(),
                work_.out,
                work_.in,
                work_.in_channels / width,
                work_.group_in() * work_.across / width,
                work_.group_out(),
                work_.groups,
                push_of(work_.spatial)};
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(context_.node));
  push.epilogue = push_of(epilogue);
  const View to = output_rows(context_, epilogue, work_.out_channels);
  push.y_first = to.offset;
  push.y_row = to.row();
  Dispatch dispatch{.shader = shader(kind),
                    .constants = {epilogue.post_op, epilogue.added ? 1u : 0u, transposed_ ? 1u : 0u},
                    .push = {},
                    .buffers = {input.buffer, weight, context_.input(2), to.buffer,
                                epilogue_operand(context_, epilogue, input.buffer)},
                    .fp16_bindings = input.stored == DType::f16 ? 1u : 0u,
                    .iterations = spatial_iterations(push.spatial, push.group_packs)};
  const std::vector<TexelRange> columns =
      cut_units(0, work_.groups * packing.blocks(), uint64_t(inner) * packing.wide,
                has_views_ ? packing.count() : 0, 1, context_.plan);
  const Tile tile = tile_for(kind, vectors(), is_half());
  for (const Pixels& pixels : cut_pixels()) {
    for (const TexelRange& blocks : columns) {
      push.first_pixel = pixels.first;
      push.pixels = pixels.end;
      push.a_first = uint32_t(pixels.input.slice.offset / kTexelBytes);
      push.first_block = blocks.first;
      push.blocks = blocks.count;
      push.b_first = blocks.skip;
      dispatch.push = Push(push);
      dispatch.slices = {pixels.input.slice, blocks.slice};
      if (kind == TileKind::shared_memory)
        return add_shared(push, epilogue, to, std::move(dispatch));  // the operands need no views
      const uint32_t rows = pixels.end - pixels.first;
      // Tiles of several blocks stay within their group; they are used only if no view splits the operands.
      const uint32_t across = tile.blocks == 1 ? blocks.count : work_.groups * tile.across(packing.blocks());
      dispatch.threads = {tile.down(rows) * across * tile.invocations, 1, 1};
      NNRT_TRY(add_line(context_, dispatch));
    }
  }
  return {};
}

Status ConvolutionTiles::add_shared(TilePush push, const Epilogue& epilogue, const View& to,
                                    Dispatch dispatch) {
  // K elements between two barriers of shared_memory_tile.glsl, which handles a partial last slice
  constexpr uint32_t kSlice = 16;
  const TileWork work{.rows = work_.pixels(),
                      .columns = work_.group_out(),
                      .matrices = work_.groups,
                      .inner = work_.inner(),
                      .inner_unit = kSlice,
                      .is_half = is_half(),
                      .is_convolution = true};
  NNRT_ASSIGN(const TileChoice choice, choose_shared_tile(context_, work));
  choice.tile.append_to(dispatch.constants);
  if (choice.splits > 1) {
    dispatch.shader = shader(TileKind::shared_memory);
    dispatch.constants[0] = dispatch.constants[1] = 0;
    push.part = choice.split_length;
    push.y_part = work_.pixels() * work_.out_channels;
    push.y_first = 0;
    push.y_row = work_.out_channels;
    push.has_bias = 0;
    push.epilogue = push_of(Epilogue{});
    dispatch.buffers[3] = context_.sink.scratch(size_t(choice.splits) * push.y_part * sizeof(float));
  }
  dispatch.iterations = shared_tile_iterations(choice.splits > 1 ? choice.split_length : work.inner);
  dispatch.push = Push(push);
  dispatch.threads = {work.matrices * choice.tile.tiles(work.rows, work.columns) * choice.tile.invocations, 1,
                      choice.splits};
  const Buffer sums = dispatch.buffers[3];
  NNRT_TRY(add_groups(context_, std::move(dispatch), choice.tile.invocations));
  if (choice.splits == 1) return {};
  add_split_sums(context_, {sums, work.rows, work_.out_channels, choice.splits, context_.input(2)}, epilogue,
                 to);
  return {};
}

}  // namespace nnrt::vulkan
