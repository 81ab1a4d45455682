// Block rearrangement between space and depth or batch, and image resizing.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"

#include <android/NeuralNetworks.h>

#include <cmath>

namespace nnrt::nnapi {
namespace {

using Spatial = std::vector<int64_t>;  // height, width

// Operators on NHWC; the result has the declared parameters.
void set_spatial(Lowering& op, Op core, const std::vector<Value>& inputs, const Settings& settings,
                 bool is_nchw) {
  const ResultType type = op.result_type();
  op.set(0, from_nhwc(op.graph, op.graph.emit(core, inputs, settings, type), is_nchw));
}

template <Op core>
void lower_depth(Lowering& op) {
  const bool is_nchw = op.flag(2);
  const int64_t block = op.integer(1);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  if (block < 1) return op.fail(invalid("The block size (", block, ") is below 1."));
  if (block == 1) return set_spatial(op, Op::reshape, {data, op.graph.integers(data.shape)}, {}, is_nchw);
  set_spatial(op, core, {data}, {{Attr::block, block}}, is_nchw);
}

void lower_batch_to_space(Lowering& op) {
  const bool is_nchw = op.flag(2);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  set_spatial(op, Op::batch_to_space_nd, {data}, {{Attr::block, op.integers(1)}}, is_nchw);
}

void lower_space_to_batch(Lowering& op) {
  const bool is_nchw = op.flag(3);
  const Value data = to_nhwc(op.graph, op.in(0), is_nchw);
  const Settings settings{{Attr::block, op.integers(1)}, {Attr::paddings, op.integers(2)}};
  set_spatial(op, Op::space_to_batch_nd, {data}, settings, is_nchw);
}

// Sizes or scale factors; width comes before height.
Spatial new_size(Lowering& op, const Value& data) {
  const auto size = [&](size_t i, int64_t old) -> int64_t {
    const int32_t code = op.code(i);
    if (code == ANEURALNETWORKS_INT32) return op.integer(i);
    return int64_t(std::floor(float(old) * float(op.real(i))));
  };
  Spatial to{size(2, data.dim(1)), size(1, data.dim(2))};
  if (to[0] < 1 || to[1] < 1) op.fail(invalid("The new size (", to[0], ", ", to[1], ") is below 1."));
  return to;
}

struct Sampling {
  bool is_nchw, align_corners, half_pixel;
};

Sampling sampling_of(Lowering& op) {
  const Sampling sampling{op.flag(3), op.flag(4), op.flag(5)};
  if (sampling.align_corners && sampling.half_pixel)
    op.fail(invalid("Align corners and half pixel are mutually exclusive."));
  return sampling;
}

void lower_resize_bilinear(Lowering& op) {
  const Sampling sampling = sampling_of(op);
  const Value data = to_nhwc(op.graph, op.in(0), sampling.is_nchw);
  const Spatial size = new_size(op, data);
  const int64_t mode = sampling.align_corners ? 1 : sampling.half_pixel ? 2 : 0;
  set_spatial(op, Op::resize_bilinear, {data},
              {{Attr::new_height, size[0]}, {Attr::new_width, size[1]}, {Attr::coordinate_mode, mode}},
              sampling.is_nchw);
}

void lower_resize_nearest(Lowering& op) {
  const Sampling sampling = sampling_of(op);
  const Value data = to_nhwc(op.graph, op.in(0), sampling.is_nchw);
  const Spatial size = new_size(op, data);
  constexpr int64_t kHalfPixel = 0, kAlignCorners = 3, kAsymmetric = 4, kRoundHalfUp = 1, kFloor = 2;
  const bool is_plain = !sampling.align_corners && !sampling.half_pixel;
  const int64_t mode = is_plain ? kAsymmetric : sampling.half_pixel ? kHalfPixel : kAlignCorners;
  const Value to = op.graph.integers({data.dim(0), size[0], size[1], data.dim(3)});
  set_spatial(op, Op::resize, {data, to},
              {{Attr::mode, 0},
               {Attr::coordinate_mode, mode},
               {Attr::nearest_mode, is_plain ? kFloor : kRoundHalfUp}},
              sampling.is_nchw);
}

constexpr LoweringRow kBlockLowerings[] = {
    {ANEURALNETWORKS_DEPTH_TO_SPACE, lower_depth<Op::depth_to_space>},
    {ANEURALNETWORKS_SPACE_TO_DEPTH, lower_depth<Op::space_to_depth>},
    {ANEURALNETWORKS_BATCH_TO_SPACE_ND, lower_batch_to_space},
    {ANEURALNETWORKS_SPACE_TO_BATCH_ND, lower_space_to_batch},
    {ANEURALNETWORKS_RESIZE_BILINEAR, lower_resize_bilinear},
    {ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, lower_resize_nearest},
};

}  // namespace

std::span<const LoweringRow> block_lowerings() { return kBlockLowerings; }

}  // namespace nnrt::nnapi
