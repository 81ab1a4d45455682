#include "backends/vulkan/lower/widen.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/region.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLeastChannels = 3;  // with fewer, too much of a four would be zeros
constexpr uint32_t kAtOnce = 4;         // pixels of three channels

// As widen.comp has them.
struct WidenPush {
  uint32_t count = 0, channels = 0, parts = 0, step = 0;
  uint32_t columns = 0, own_columns = 0, left = 0;
};

// Whether widen.comp takes several pixels at once.
bool takes_several(const Shape& shape) { return shape[3] == 3 && shape[2] % kAtOnce == 0; }

bool fits(const Shape& shape, int64_t columns, uint32_t channels) {
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  return uint64_t(columns) <= kMost &&
         uint64_t(shape[0]) * uint64_t(shape[1]) * uint64_t(columns) * channels <= kMost;
}

// Makes the window one over pixels that are read as one, where those under a row of it can be.
void read_rows(const Shape& shape, Widened& result) {
  Window& window = result.window;
  if (window.kernel[1] == 1 || window.dilation[1] != 1) return;
  const int64_t unit = takes_several(shape) ? kAtOnce : 1;
  const int64_t left = int64_t(align_up(uint64_t(window.before[1]), uint64_t(unit)));
  const int64_t more = left - window.before[1];
  const int64_t read = std::max<int64_t>(0, window.out[1] - 1) * window.stride[1] + window.kernel[1];
  const auto columns = int64_t(align_up(uint64_t(more + read), uint64_t(unit)));
  if (!fits(shape, columns, result.channels)) return;
  result.across = uint32_t(window.kernel[1]);
  result.left = uint32_t(left);
  window.kernel[1] = 1;
  window.before[1] = -more;
  window.after[1] = 0;
  window.in[1] = columns;
}

}  // namespace

Widened widened(const NodeView& node, const Window& window, uint32_t groups, bool transposed) {
  const Shape& shape = node.shape(0);
  const auto channels = uint32_t(shape[3]);
  const auto wide = uint32_t(align_up(channels, 4));
  Widened result{window, channels};
  const bool pays = groups == 1 && channels >= kLeastChannels && node.input(1).is_constant();
  if (!pays || !fits(shape, shape[2], wide)) return result;
  result.channels = wide;
  if (wide != channels && !transposed) read_rows(shape, result);
  return result;
}

Buffer widened_input(const LoweringContext& context, const Widened& widened) {
  const Shape& shape = context.node.shape(0);
  const uint32_t unit = takes_several(shape) ? kAtOnce : 1;
  WidenPush push{.channels = uint32_t(shape[3]), .parts = widened.channels / 4};
  push.columns = uint32_t(widened.window.in[1]) / unit;
  push.own_columns = uint32_t(shape[2]) / unit;
  push.left = widened.left / unit;
  push.count = uint32_t(shape[0] * shape[1]) * push.columns * push.parts;
  const Walk walk = walk_of({push.count}, context.plan);
  push.step = walk.step;
  const Buffer to = context.sink.scratch(size_t(push.count) * unit * 4 * sizeof(float));
  context.sink.add(Dispatch{.shader = unit > 1 ? by_texels("widen_f32_vec4", context.plan) : "widen_f32",
                            .constants = {},
                            .push = Push(push),
                            .buffers = {context.input(0), to},
                            .threads = threads_for(walk.count, context.plan),
                            .local = {kGroup, 1, 1}});
  return to;
}

}  // namespace nnrt::vulkan
