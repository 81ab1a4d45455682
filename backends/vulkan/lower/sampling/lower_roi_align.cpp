#include "backends/vulkan/lower/sampling/lower_sampling.h"
#include "core/base/text.h"

#include <limits>

namespace nnrt::vulkan {
namespace {

struct RoiAlignPush {
  uint32_t count = 0, parts = 0, batch = 0;
  std::array<uint32_t, 2> in{}, out{};
  std::array<int32_t, 2> ratio{};
  std::array<float, 2> scale{}, stride{1, 1};
};

// One number for height and one for width; a single number counts for both.
template <typename T>
std::array<T, 2> pair_of(const auto& numbers) {
  return {T(numbers.front()), T(numbers.back())};
}

// The most sampling points per bin, as limited by roi_align.comp.
uint64_t max_points(const RoiAlignPush& push, size_t axis) {
  return push.ratio[axis] > 0 ? uint64_t(push.ratio[axis]) : 2 * (uint64_t{push.in[axis]} + 1);
}

}  // namespace

Status lower_roi_align(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& in = node.shape(0);
  const Attrs& attrs = node.attrs();
  for (size_t i = 0; i < 3; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const uint32_t width = width_of_inner(in[3]);
  const RoiAlignPush push{
      .count = count / width,
      .parts = uint32_t(in[3]) / width,
      .batch = uint32_t(in[0]),
      .in = {uint32_t(in[1]), uint32_t(in[2])},
      .out = {uint32_t(attrs.integer(Attr::new_height)), uint32_t(attrs.integer(Attr::new_width))},
      .ratio = pair_of<int32_t>(attrs.integers(Attr::sampling_ratio)),
      .scale = pair_of<float>(attrs.floats(Attr::spatial_scale)),
      .stride = pair_of<float>(attrs.floats(Attr::stride))};
  Dispatch align =
      sampling_dispatch(context, width == 4 ? "roi_align_f32_vec4" : "roi_align_f32", push.count);
  align.constants = {attrs.integer(Attr::mode) == 1 ? 1u : 0u, attrs.flag(Attr::half_pixel) ? 1u : 0u,
                     uint32_t(size_of(node.dtype(2)) / 4)};
  align.push = Push(push);
  align.iterations = loop_of(max_points(push, 0), loop_of(max_points(push, 1)));
  align.buffers = {context.input(0), context.input(1), context.input(2), context.output()};
  context.sink.add(std::move(align));
  return {};
}

}  // namespace nnrt::vulkan
