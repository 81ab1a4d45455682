// Pools.
#include "tools/import/onnx/operators/onnx_spatial.h"
#include "tools/import/onnx/operators/onnx_volume.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

struct Roles {
  OH_NN_TensorType kernel, stride, pad_mode, pad, activation, round_mode, global;
};
constexpr Roles kAverage{
    OH_NN_AVG_POOL_KERNEL_SIZE,     OH_NN_AVG_POOL_STRIDE,     OH_NN_AVG_POOL_PAD_MODE, OH_NN_AVG_POOL_PAD,
    OH_NN_AVG_POOL_ACTIVATION_TYPE, OH_NN_AVG_POOL_ROUND_MODE, OH_NN_AVG_POOL_GLOBAL};
constexpr Roles kMaximum{
    OH_NN_MAX_POOL_KERNEL_SIZE,     OH_NN_MAX_POOL_STRIDE,     OH_NN_MAX_POOL_PAD_MODE, OH_NN_MAX_POOL_PAD,
    OH_NN_MAX_POOL_ACTIVATION_TYPE, OH_NN_MAX_POOL_ROUND_MODE, OH_NN_MAX_POOL_GLOBAL};

const Roles& roles_of(const Call& call) {
  return call.row().operation == OH_NN_OPS_AVG_POOL ? kAverage : kMaximum;
}

// Returns whether it is more than OpenHarmony's pools know.
bool wants_pool_nd(Call& call, int64_t rank) {
  const Attributes& attributes = call.attributes;
  if (rank == 5) return true;
  if (std::ranges::any_of(attributes.integers("dilations"), [](int64_t dilation) { return dilation != 1; }))
    return true;
  if (attributes.integer("count_include_pad", 0) == 0) return false;
  const bool is_same = attributes.text("auto_pad", "NOTSET").starts_with("SAME");
  return is_same || attributes.integer("ceil_mode", 0) != 0;
}

Result<Ids> pool_nd(Call& call, TensorId x) {
  const bool is_mean = call.row().operation == OH_NN_OPS_AVG_POOL;
  NNRT_ASSIGN(const VolumeParams volume, read_volume_params(call, call.shape(x)));
  const auto either = [&](OH_NNRt_TensorType average, OH_NNRt_TensorType maximum) {
    return extension(is_mean ? average : maximum);
  };
  std::vector<Parameter> parameters{
      int64s_parameter(either(OH_NN_AVG_POOL_ND_KERNEL_SIZE, OH_NN_MAX_POOL_ND_KERNEL_SIZE), volume.kernel),
      int64s_parameter(either(OH_NN_AVG_POOL_ND_STRIDE, OH_NN_MAX_POOL_ND_STRIDE), volume.stride),
      int64s_parameter(either(OH_NN_AVG_POOL_ND_PAD, OH_NN_MAX_POOL_ND_PAD), volume.pads),
      int64s_parameter(either(OH_NN_AVG_POOL_ND_DILATION, OH_NN_MAX_POOL_ND_DILATION), volume.dilation),
      int8_parameter(either(OH_NN_AVG_POOL_ND_ROUND_MODE, OH_NN_MAX_POOL_ND_ROUND_MODE),
                     call.attributes.integer("ceil_mode", 0) != 0 ? 1 : 0)};
  if (is_mean)
    parameters.push_back(bool_parameter(extension(OH_NN_AVG_POOL_ND_COUNT_PADDING),
                                        call.attributes.integer("count_include_pad", 0) != 0));
  return single(
      call.emit(is_mean ? OH_NN_OPS_AVG_POOL_ND : OH_NN_OPS_MAX_POOL_ND, {x}, std::move(parameters)));
}

// Zeros around the picture, which then count.
Result<TensorId> padded(Call& call, TensorId x, SpatialParams& spatial) {
  const std::vector<int64_t> pads{
      0, 0, 0, 0, spatial.pads[0], spatial.pads[1], spatial.pads[2], spatial.pads[3]};
  spatial.pads = {};
  NNRT_ASSIGN(const TensorId paddings, call.reshape(call.emitter().integers(pads), {4, 2}));
  return call.emit(OH_NN_OPS_PAD, {x, paddings});
}

Result<Ids> pool(Call& call) {
  NNRT_ASSIGN(const TensorId input, call.input(0));
  const int64_t rank = call.rank(input);
  if (wants_pool_nd(call, rank)) return pool_nd(call, input);
  NNRT_ASSIGN(TensorId x, as_picture(call, input));
  NNRT_ASSIGN(SpatialParams spatial, read_spatial_params(call, rank, {}));
  NNRT_TRY(resolve_padding(call, spatial, call.shape(x)));
  const bool ceil = call.attributes.integer("ceil_mode", 0) != 0;
  if (call.attributes.integer("count_include_pad", 0) != 0 && spatial.is_padded()) {
    NNRT_ASSIGN(x, padded(call, x, spatial));
  }
  const Roles& roles = roles_of(call);
  NNRT_ASSIGN(
      const TensorId y,
      call.emit(
          call.row().operation, {x},
          {int64s_parameter(roles.kernel, spatial.kernel), int64s_parameter(roles.stride, spatial.stride),
           spatial.same ? int8_parameter(roles.pad_mode, 0) : int64s_parameter(roles.pad, spatial.pads),
           int32_parameter(roles.round_mode, ceil ? 1 : 0), call.take_activation(roles.activation)}));
  return single(from_picture(call, y, rank));
}

Result<Ids> global_pool(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (call.rank(x) == 4)
    return single(call.emit(call.row().operation, {x}, {bool_parameter(roles_of(call).global, true)}));
  if (call.rank(x) < 3) return damaged("The rank (", call.rank(x), ") is below 3.");
  std::vector<int64_t> axes(static_cast<size_t>(call.rank(x) - 2));
  std::iota(axes.begin(), axes.end(), int64_t{2});
  const bool mean = call.row().operation == OH_NN_OPS_AVG_POOL;
  return single(
      call.emit(mean ? OH_NN_OPS_REDUCE_MEAN : OH_NN_OPS_REDUCE_MAX, {x, call.emitter().integers(axes)},
                {bool_parameter(mean ? OH_NN_REDUCE_MEAN_KEEP_DIMS : OH_NN_REDUCE_MAX_KEEP_DIMS, true)}));
}

}  // namespace

std::vector<Row> pool_rows() {
  return {
      {"AveragePool", pool, OH_NN_OPS_AVG_POOL, 1, true},
      {"GlobalAveragePool", global_pool, OH_NN_OPS_AVG_POOL, 1},
      {"GlobalMaxPool", global_pool, OH_NN_OPS_MAX_POOL, 1},
      {"MaxPool", pool, OH_NN_OPS_MAX_POOL, 1, true},
  };
}

}  // namespace nnrt::import::onnx
