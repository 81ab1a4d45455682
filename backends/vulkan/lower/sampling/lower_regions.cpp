// ROI_POOLING and AXIS_ALIGNED_BBOX_TRANSFORM.
#include "backends/vulkan/lower/sampling/lower_sampling.h"

namespace nnrt::vulkan {
namespace {

struct RoiPoolingPush {
  uint32_t count = 0, parts = 0, batch = 0;
  std::array<uint32_t, 2> in{}, out{};
  std::array<float, 2> stride{};
};

struct BboxTransformPush {
  uint32_t count = 0, classes = 0, batch = 0;
};

}  // namespace

Status lower_roi_pooling(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape& in = node.shape(0);
  const Attrs& attrs = node.attrs();
  for (size_t i = 0; i < 3; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const uint32_t width = width_of_inner(in[3]);
  const std::span<const double> stride = attrs.floats(Attr::stride);
  const RoiPoolingPush push{
      .count = count / width,
      .parts = uint32_t(in[3]) / width,
      .batch = uint32_t(in[0]),
      .in = {uint32_t(in[1]), uint32_t(in[2])},
      .out = {uint32_t(attrs.integer(Attr::new_height)), uint32_t(attrs.integer(Attr::new_width))},
      .stride = {float(stride.front()), float(stride.back())}};
  Dispatch pool =
      sampling_dispatch(context, width == 4 ? "roi_pooling_f32_vec4" : "roi_pooling_f32", push.count);
  pool.constants = {uint32_t(size_of(node.dtype(2)) / 4)};
  pool.push = Push(push);
  pool.iterations = loop_of(push.in[0], loop_of(push.in[1]));
  pool.buffers = {context.input(0), context.input(1), context.input(2), context.output()};
  context.sink.add(std::move(pool));
  return {};
}

Status lower_bbox_transform(const LoweringContext& context) {
  const NodeView& node = context.node;
  for (size_t i = 0; i < 4; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const BboxTransformPush push{
      .count = count / 4, .classes = uint32_t(node.shape(1)[1]) / 4, .batch = uint32_t(node.shape(3)[0])};
  Dispatch transform = sampling_dispatch(context, "bbox_transform_f32", push.count);
  transform.push = Push(push);
  transform.buffers = {context.input(0), context.input(1), context.input(2), context.input(3),
                       context.output()};
  context.sink.add(std::move(transform));
  return {};
}

}  // namespace nnrt::vulkan
