#include "backends/vulkan/lower/convolution.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/depthwise.h"
#include "backends/vulkan/lower/fours.h"
#include "backends/vulkan/lower/matrices.h"
#include "backends/vulkan/lower/paths.h"
#include "backends/vulkan/lower/product.h"
#include "backends/vulkan/lower/quick.h"
#include "backends/vulkan/lower/texel_views.h"
#include "backends/vulkan/lower/widen.h"
#include "backends/vulkan/lower/windows.h"
#include "backends/vulkan/lower/winograd.h"
#include "backends/vulkan/region.h"
#include "backends/vulkan/shader.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

// What all of them have in common, in elements.
struct Convolution {
  Window window;
  Size2 in{}, out{};
  uint32_t images = 0;
  uint32_t in_channels = 0, out_channels = 0;
  uint32_t groups = 1;
  uint32_t across = 1;  // pixels of the input that are read as one

  uint32_t group_in() const { return in_channels / groups; }
  uint32_t group_out() const { return out_channels / groups; }
  uint32_t pixels() const { return images * out[0] * out[1]; }
  uint32_t cells() const { return uint32_t(window.kernel[0] * window.kernel[1]); }
  uint32_t inner() const { return cells() * across * group_in(); }
};

struct TilePush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_parts = 0, group_parts = 0;
  uint32_t columns = 0, groups = 0;
  WindowPush window;
  uint32_t first_pixel = 0, first_block = 0, blocks = 0;
  uint32_t a_first = 0, b_first = 0;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 1;
  FinishPush finish{};
};

Result<Convolution> convolution_of(const NodeView& node, const Window& window) {
  NNRT_TRY(check_window(window));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  Convolution work;
  work.window = window;
  work.in = size2(window.in);
  work.out = size2(window.out);
  work.images = uint32_t(node.shape(0)[0]);
  work.in_channels = uint32_t(node.shape(0)[3]);
  work.out_channels = uint32_t(node.shape(1)[0]);
  work.groups = groups_of(node);
  return work;
}

bool is_product(const Convolution& work) {
  const Window& window = work.window;
  return work.groups == 1 && work.cells() == 1 && window.stride == std::array<int64_t, 2>{1, 1} &&
         window.before == std::array<int64_t, 2>{} && window.after == std::array<int64_t, 2>{};
}

Status add_pointwise(const LoweringContext& context, const Convolution& work) {
  MatMul shape;
  shape.rows = int64_t(work.pixels());
  shape.columns = int64_t(work.out_channels);
  shape.inner = int64_t(work.in_channels);
  shape.transpose_b = true;
  NNRT_ASSIGN(const Finish finish, finish_of(context.node));
  return add_product(context, {shape, context.output(), context.input(2), finish});
}

// The convolution as it is computed: with an input in vectors where vectors of columns are stored.
Convolution computed(const NodeView& node, Convolution work, const Widened& widened) {
  if (!widened.changes(node)) return work;
  work.in_channels = widened.channels;
  work.across = widened.across;
  work.window = widened.window;
  work.in = size2(widened.window.in);
  return work;
}

// A tiled convolution on its way to the GPU.
class Tiles {
 public:
  Tiles(const LoweringContext& context, const Convolution& work, bool transposed)
      : context_(context),
        own_(work),
        widened_(work.out_channels % 4 == 0 ? widened(context.node, work.window, work.groups, transposed)
                                            : Widened{work.window, work.in_channels}),
        work_(computed(context.node, work, widened_)),
        transposed_(transposed) {}

  Status add();

 private:
  // Pixels of the output with the part of the input that they are computed from.
  struct Pixels {
    uint32_t first = 0, end = 0;
    Cut input;
  };

  bool vectors() const { return work_.group_in() % 4 == 0 && work_.group_out() % 4 == 0; }
  uint64_t row_texels() const { return uint64_t(work_.in[1]) * work_.in_channels / 4; }
  uint64_t left_texels() const { return row_texels() * work_.in[0] * work_.images; }
  bool cuts_input() const { return has_views_ && vectors() && left_texels() > context_.plan.max_texels; }
  PathId path() const;
  std::string_view shader(PathId path) const;
  std::vector<Pixels> cut_pixels() const;
  Pixels cut_rows(uint32_t image, uint32_t first) const;

  const LoweringContext& context_;
  const Convolution own_;
  const Widened widened_;
  const Convolution work_;  // as it is computed
  const bool transposed_;
  bool has_views_ = false;
};

PathId Tiles::path() const {
  const uint64_t block = uint64_t(work_.inner()) * (kTileColumns / 4);
  const uint64_t all_blocks = work_.groups * uint64_t((work_.group_out() - 1) / kTileColumns + 1);
  uint64_t left = 0;
  if (vectors() && left_texels() > context_.plan.max_texels) {
    const Window& window = work_.window;
    const auto reach = uint64_t((window.kernel[0] - 1) * window.dilation[0] + 1);
    left = transposed_ ? left_texels() : std::min<uint64_t>(reach, work_.in[0]) * row_texels();
  }
  Work work{left, block};
  if (vectors()) work.together = std::max(left_texels(), all_blocks * block);
  return choose_path(work, context_.plan);
}

// As many rows of the output from `first` on as a view of the input allows.
Tiles::Pixels Tiles::cut_rows(uint32_t image, uint32_t first) const {
  const Window& window = work_.window;
  const auto last_row = int64_t(work_.in[0]) - 1;
  const auto most = int64_t(texels_of_part(context_.plan) / row_texels());
  const auto top = [&](uint32_t row) { return row * window.stride[0] - window.before[0]; };
  const auto bottom = [&](uint32_t row) { return top(row) + (window.kernel[0] - 1) * window.dilation[0]; };
  const int64_t from = std::clamp<int64_t>(top(first), 0, last_row);
  uint32_t end = first + 1;
  while (end < work_.out[0] && std::min(bottom(end), last_row) - from < most) ++end;
  const int64_t to = std::clamp<int64_t>(bottom(end - 1), from, last_row) + 1;
  const uint64_t place = (uint64_t(image) * work_.in[0] + uint64_t(from)) * row_texels();
  const uint32_t row = image * work_.out[0];
  return {(row + first) * work_.out[1], (row + end) * work_.out[1],
          view_of(place, uint64_t(to - from) * row_texels(), context_.plan)};
}

std::vector<Tiles::Pixels> Tiles::cut_pixels() const {
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

std::string_view Tiles::shader(PathId path) const {
  switch (path) {
    case PathId::octets: return "conv2d_f32_vec4_octets";
    case PathId::formatted: return vectors() ? "conv2d_f32_vec4_texels" : "conv2d_f32_texels";
    case PathId::shared: return vectors() ? "conv2d_shared_f32_vec4" : "conv2d_shared_f32";
    case PathId::registers: break;
  }
  return vectors() ? "conv2d_f32_vec4" : "conv2d_f32";
}

Status Tiles::add() {
  const PathId way = path();
  has_views_ = way == PathId::octets || way == PathId::formatted;
  const uint32_t inner = work_.inner();
  const uint32_t own_inner = own_.inner();
  const Fours fours{.matrices = work_.groups,
                    .rows = work_.group_out(),
                    .inner = inner,
                    .matrix_stride = work_.group_out() * own_inner,
                    .row_stride = own_inner,
                    .wide = kTileColumns / 4,
                    .run = own_.group_in(),
                    .wide_run = work_.group_in()};
  const Buffer input =
      widened_.changes(context_.node) ? widened_input(context_, widened_) : context_.input(0);
  NNRT_ASSIGN(const Buffer weight, pack_fours(context_, 1, fours));
  const uint32_t width = vectors() ? 4 : 1;
  TilePush push{work_.pixels(),
                work_.out,
                work_.in,
                work_.in_channels / width,
                work_.group_in() * work_.across / width,
                work_.group_out(),
                work_.groups,
                push_of(work_.window)};
  NNRT_ASSIGN(const Finish finish, finish_of(context_.node));
  push.finish = push_of(finish);
  const Placement placement = placement_of(context_, finish, work_.out_channels);
  push.y_first = placement.first;
  push.y_row = placement.pitch;
  Dispatch dispatch{
      .shader = variant_for(finish, shader(way)),
      .constants = {finish.then, finish.added ? 1u : 0u, transposed_ ? 1u : 0u},
      .push = {},
      .buffers = {input, weight, context_.input(2), placement.buffer, added_to(context_, finish, input)}};
  const std::vector<Cut> columns = cut_units(0, work_.groups * fours.blocks(), uint64_t(inner) * fours.wide,
                                             has_views_ ? fours.count() : 0, 1, context_.plan);
  const Tile tile = vectors() ? tile_for(way) : kOwnTile;
  for (const Pixels& pixels : cut_pixels()) {
    for (const Cut& blocks : columns) {
      push.first_pixel = pixels.first;
      push.pixels = pixels.end;
      push.a_first = uint32_t(pixels.input.slice.offset / kTexelBytes);
      push.first_block = blocks.first;
      push.blocks = blocks.count;
      push.b_first = blocks.skip;
      dispatch.push = Push(push);
      dispatch.slices = {pixels.input.slice, blocks.slice};
      const uint32_t rows = pixels.end - pixels.first;
      if (way == PathId::shared) {  // always uncut
        dispatch.threads = {work_.groups * shared_threads(rows, fours.blocks()), 1, 1};
        NNRT_TRY(add_groups(context_, dispatch, kSharedGroup));
        continue;
      }
      // Tiles of several blocks stay in their group, and are for what is uncut.
      const uint32_t across = tile.blocks == 1 ? blocks.count : work_.groups * tile.across(fours.blocks());
      dispatch.threads = {tile.down(rows) * across * tile.invocations, 1, 1};
      NNRT_TRY(add_line(context_, dispatch));
    }
  }
  return {};
}

bool is_depthwise(const Convolution& work) { return work.groups == work.in_channels && work.groups > 1; }

}  // namespace

bool is_depthwise(const NodeView& node) {
  if (node.op() == Op::depthwise_conv2d_native) return true;
  return node.op() == Op::conv2d && node.attrs().has(Attr::group) && node.attrs().integer(Attr::group) > 1 &&
         node.attrs().integer(Attr::group) == node.shape(0)[3];
}

Status lower_conv2d(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, window_of(context.node));
  NNRT_ASSIGN(const Convolution work, convolution_of(context.node, window));
  if (is_quick(context.plan) && !is_depthwise(work)) return add_quick_convolution(context, window);
  if (is_product(work)) return add_pointwise(context, work);
  if (is_depthwise(work)) return add_depthwise(context, window);
  if (!refuse_matrices(context, window)) return add_matrices(context, window);
  if (const auto side = winograd_side(context, window)) return add_winograd(context, window, *side);
  return Tiles(context, work, false).add();
}

Status lower_conv2d_transpose(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, transposed_window_of(context.node));
  if (is_quick(context.plan)) return add_quick_transpose(context, window);
  NNRT_ASSIGN(const Convolution work, convolution_of(context.node, window));
  if (!refuse_matrices(context, window)) return add_matrices(context, window);
  return Tiles(context, work, true).add();
}

Status lower_depthwise(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, window_of(context.node));
  NNRT_TRY(convolution_of(context.node, window));
  return add_depthwise(context, window);
}

}  // namespace nnrt::vulkan
