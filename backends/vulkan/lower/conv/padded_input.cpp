#include "backends/vulkan/lower/conv/padded_input.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/memory/buffer_region.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kMinChannels = 3;  // fewer would be mostly padding
constexpr uint32_t kAtOnce = 4;       // pixels of three channels
constexpr uint32_t kPadded = 1;       // binding of the result

// Must match pad_channels.comp.
struct PadChannelsPush {
  uint32_t count = 0, channels = 0, parts = 0, step = 0;
  uint32_t columns = 0, own_columns = 0, left = 0;
};
struct PadPlanesPush {
  PadChannelsPush base;
  uint32_t rows = 0, plane = 0;
};

// Returns whether pad_channels.comp can process kAtOnce pixels per invocation.
bool reads_several(const Shape& shape) { return shape[3] == 3 && shape[2] % kAtOnce == 0; }

bool fits(const Shape& shape, int64_t columns, uint32_t channels) {
  constexpr uint64_t kMax = std::numeric_limits<int32_t>::max();
  return uint64_t(columns) <= kMax &&
         uint64_t(shape[0]) * uint64_t(shape[1]) * uint64_t(columns) * channels <= kMax;
}

// Merges the pixels under one row of the kernel into a single pixel if possible.
void read_rows(const Shape& shape, PaddedInput& result) {
  SpatialParams& spatial = result.spatial;
  if (spatial.kernel[1] == 1 || spatial.dilation[1] != 1) return;
  const int64_t unit = reads_several(shape) ? kAtOnce : 1;
  const int64_t left = round_up(spatial.before[1], unit);
  const int64_t more = left - spatial.before[1];
  const int64_t read = std::max<int64_t>(0, spatial.out[1] - 1) * spatial.stride[1] + spatial.kernel[1];
  const int64_t columns = round_up(more + read, unit);
  if (!fits(shape, columns, result.channels)) return;
  result.across = uint32_t(spatial.kernel[1]);
  result.left = uint32_t(left);
  spatial.kernel[1] = 1;
  spatial.before[1] = -more;
  spatial.after[1] = 0;
  spatial.in[1] = columns;
}

}  // namespace

PaddedInput padded_input_of(const NodeView& node, const SpatialParams& spatial, uint32_t groups,
                            bool transposed) {
  const Shape& shape = node.shape(0);
  const auto channels = uint32_t(shape[3]);
  const uint32_t wide = round_up(channels, 4);
  PaddedInput result{spatial, channels};
  const bool pays = groups == 1 && channels >= kMinChannels && node.input(1).is_constant();
  if (!pays || !fits(shape, shape[2], wide)) return result;
  result.channels = wide;
  if (wide != channels && !transposed) read_rows(shape, result);
  return result;
}

View padded_input(const LoweringContext& context, const PaddedInput& padded, bool is_viewed) {
  const Shape& shape = context.node.shape(0);
  const uint32_t unit = reads_several(shape) ? kAtOnce : 1;
  PadChannelsPush push{.channels = uint32_t(shape[3]), .parts = padded.channels / 4};
  push.columns = uint32_t(padded.spatial.in[1]) / unit;
  push.own_columns = uint32_t(shape[2]) / unit;
  push.left = padded.left / unit;
  push.count = uint32_t(shape[0] * shape[1]) * push.columns * push.parts;
  const Walk walk = walk_of({push.count}, context.plan);
  push.step = walk.step;
  const size_t elements = size_t(push.count) * unit * 4;
  View to{.stored = is_viewed ? DType::f32 : context.view(0, View::none).stored};
  to.buffer = context.sink.scratch(elements * size_of(to.stored));
  const View image = context.view(0);
  Dispatch dispatch{.shader = unit == 1 ? "pad_channels_f32" : "pad_channels_f32_vec4",
                    .constants = {},
                    .push = Push(push),
                    .buffers = {image.buffer, to.buffer},
                    .threads = threads_for(walk.count, context.plan),
                    .local = {kGroup, 1, 1},
                    .fp16_bindings = to.stored == DType::f16 ? 1u << kPadded : 0u};
  if (image.has_planes()) {
    dispatch.shader = unit > 1 ? "pad_channels_f32_vec4_planes" : "pad_channels_f32_planes";
    dispatch.push = Push(PadPlanesPush{push, uint32_t(shape[1]), image.strides[3] / unit});
  }
  context.sink.add(std::move(dispatch));
  return to;
}

}  // namespace nnrt::vulkan
