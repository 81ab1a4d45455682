#include "backends/vulkan/lower/convolution.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/fours.h"
#include "backends/vulkan/lower/product.h"
#include "backends/vulkan/lower/windows.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kTilePixels = 8;
constexpr uint32_t kTileChannels = 8;
constexpr uint32_t kDepthwisePixels = 7;  // of one row

// What all of them have in common, in elements.
struct Convolution {
  Window window;
  Size2 in{}, out{};
  uint32_t images = 0;
  uint32_t in_channels = 0, out_channels = 0;
  uint32_t groups = 1;

  uint32_t group_in() const { return in_channels / groups; }
  uint32_t group_out() const { return out_channels / groups; }
  uint32_t pixels() const { return images * out[0] * out[1]; }
  uint32_t cells() const { return uint32_t(window.kernel[0] * window.kernel[1]); }
};

struct WindowPush {
  Size2 kernel{}, stride{}, dilation{};
  std::array<int32_t, 2> before{};
};

struct TilePush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_parts = 0, group_parts = 0;
  uint32_t columns = 0, groups = 0;
  WindowPush window;
};

struct DepthwisePush {
  uint32_t rows = 0;
  Size2 out{}, in{};
  uint32_t out_parts = 0, in_parts = 0, multiplier = 0;
  WindowPush window;
};

Result<Convolution> convolution_of(const NodeView& node, const Window& window) {
  NNRT_TRY(check_window(window));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  Convolution work;
  work.window = window;
  for (size_t axis = 0; axis < 2; ++axis) {
    work.in[axis] = uint32_t(window.in[axis]);
    work.out[axis] = uint32_t(window.out[axis]);
  }
  work.images = uint32_t(node.shape(0)[0]);
  work.in_channels = uint32_t(node.shape(0)[3]);
  work.out_channels = uint32_t(node.shape(1)[0]);
  if (node.attrs().has(Attr::group)) work.groups = uint32_t(node.attrs().integer(Attr::group));
  return work;
}

WindowPush push_of(const Window& window) {
  WindowPush push;
  for (size_t axis = 0; axis < 2; ++axis) {
    push.kernel[axis] = uint32_t(window.kernel[axis]);
    push.stride[axis] = uint32_t(window.stride[axis]);
    push.dilation[axis] = uint32_t(window.dilation[axis]);
    push.before[axis] = int32_t(window.before[axis]);
  }
  return push;
}

// Whether windows of `out` positions on an axis reach outside of the input.
bool reaches_outside(const Window& window, size_t axis, int64_t out) {
  const int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
  return window.before[axis] > 0 || (out - 1) * window.stride[axis] + reach > window.in[axis];
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
  return add_product(context, {shape, context.output(), context.input(2), activation_of(context.node)});
}

Status add_tiles(const LoweringContext& context, const Convolution& work, bool transposed) {
  const uint32_t inner = work.cells() * work.group_in();
  const Fours fours{
      work.groups, work.group_out(), inner, work.group_out() * inner, inner, 1,
  };
  NNRT_ASSIGN(const Buffer weight, pack_fours(context, 1, fours));
  const bool vectors = work.group_in() % 4 == 0 && work.group_out() % 4 == 0;
  const uint32_t width = vectors ? 4 : 1;
  const Window& window = work.window;
  const bool padded =
      transposed || reaches_outside(window, 0, window.out[0]) || reaches_outside(window, 1, window.out[1]);
  Dispatch dispatch{
      .shader = vectors ? "conv2d_f32_vec4" : "conv2d_f32",
      .constants = {activation_of(context.node), 1u, padded ? 1u : 0u, transposed ? 1u : 0u},
      .push = Push(TilePush{work.pixels(), work.out, work.in, work.in_channels / width,
                            work.group_in() / width, work.group_out(), work.groups, push_of(window)}),
      .buffers = {context.input(0), weight, context.input(2), context.output()},
      .threads = {(work.pixels() - 1) / kTilePixels + 1,
                  work.groups * ((work.group_out() - 1) / kTileChannels + 1), 1}};
  return add_grid(context, std::move(dispatch));
}

// Each group has one input channel.
Status add_depthwise(const LoweringContext& context, const Convolution& work) {
  NNRT_ASSIGN(const Buffer weight,
              pack_fours(context, 1, {1, work.out_channels, work.cells(), 0, work.cells(), 1}));
  const uint32_t multiplier = work.out_channels / work.in_channels;
  const bool vectors = multiplier == 1 && work.out_channels % 4 == 0;
  const uint32_t width = vectors ? 4 : 1;
  const uint32_t tiles = (work.out[1] - 1) / kDepthwisePixels + 1;
  const bool padded = reaches_outside(work.window, 1, int64_t(tiles) * kDepthwisePixels);
  const Window& window = work.window;
  const bool slides = window.kernel[1] == 3 && window.stride[1] == 1 && window.dilation[1] == 1;
  Dispatch dispatch{
      .shader = vectors ? "depthwise_f32_vec4" : "depthwise_f32",
      .constants = {activation_of(context.node), padded ? 1u : 0u, slides ? 1u : 0u},
      .push = Push(DepthwisePush{work.images * work.out[0], work.out, work.in, work.out_channels / width,
                                 work.in_channels / width, multiplier, push_of(work.window)}),
      .buffers = {context.input(0), weight, context.input(2), context.output()},
      .threads = {work.images * work.out[0] * tiles, work.out_channels / width, 1}};
  return add_grid(context, std::move(dispatch));
}

}  // namespace

Status lower_conv2d(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, window_of(context.node));
  NNRT_ASSIGN(const Convolution work, convolution_of(context.node, window));
  if (is_product(work)) return add_pointwise(context, work);
  if (work.groups == work.in_channels && work.groups > 1) return add_depthwise(context, work);
  return add_tiles(context, work, false);
}

Status lower_conv2d_transpose(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, transposed_window_of(context.node));
  NNRT_ASSIGN(const Convolution work, convolution_of(context.node, window));
  return add_tiles(context, work, true);
}

Status lower_depthwise(const LoweringContext& context) {
  NNRT_ASSIGN(const Window window, window_of(context.node));
  NNRT_ASSIGN(const Convolution work, convolution_of(context.node, window));
  return add_depthwise(context, work);
}

}  // namespace nnrt::vulkan
