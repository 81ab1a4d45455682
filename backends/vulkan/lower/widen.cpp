#include "backends/vulkan/lower/widen.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/region.h"

#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLeastChannels = 3;  // with fewer, too much of a four would be zeros

struct WidenPush {
  uint32_t count = 0, channels = 0, parts = 0, step = 0;
};

uint64_t pixels_of(const Shape& shape) {
  return uint64_t(shape[0]) * uint64_t(shape[1]) * uint64_t(shape[2]);
}

}  // namespace

uint32_t widened_channels(const LoweringContext& context, uint32_t groups) {
  const Shape& shape = context.node.shape(0);
  const auto channels = uint32_t(shape[3]);
  const auto wide = uint32_t(align_up(channels, 4));
  const bool pays = groups == 1 && channels >= kLeastChannels && context.node.input(1).is_constant();
  return pays && pixels_of(shape) * wide <= uint64_t(std::numeric_limits<int32_t>::max()) ? wide : channels;
}

Buffer widened_input(const LoweringContext& context) {
  const Shape& shape = context.node.shape(0);
  const auto channels = uint32_t(shape[3]);
  const uint32_t parts = (channels + 3) / 4;
  const auto count = uint32_t(pixels_of(shape)) * parts;
  const Buffer to = context.sink.scratch(size_t(count) * 4 * sizeof(float));
  const uint32_t at_once = channels == 3 ? 4 : 1;
  const Walk walk = walk_of({(count + at_once - 1) / at_once}, context.plan);
  context.sink.add(Dispatch{.shader = channels == 3 ? by_texels("widen_f32_vec4", context.plan) : "widen_f32",
                            .constants = {},
                            .push = Push(WidenPush{count, channels, parts, walk.step}),
                            .buffers = {context.input(0), to},
                            .threads = threads_for(walk.count, context.plan),
                            .local = {kGroup, 1, 1}});
  return to;
}

}  // namespace nnrt::vulkan
