// Operators that give the same elements another shape or order, or repeat them.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

// With one dimension that only a run knows, -1 says it all; no device has to look at the shape's value then.
std::optional<std::vector<int64_t>> target_of_reshape(Call& call, TensorId shape) {
  std::optional<std::vector<int64_t>> target = call.emitter().partly_known_integers(shape);
  if (!target) return {};
  const auto hidden = std::ranges::count(*target, Emitter::kHidden);
  if (hidden == 0) return target;
  if (hidden > 1 || std::ranges::count(*target, -1) > 0) return {};
  std::ranges::replace(*target, Emitter::kHidden, int64_t{-1});
  return target;
}

Result<Ids> reshape(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId shape, call.plain_input(1));
  const auto target = target_of_reshape(call, shape);
  if (!target) {
    NNRT_ASSIGN(const nnrt::Shape known, call.shape_from(shape));
    return single(call.emit(OH_NN_OPS_RESHAPE, {x, shape}, {}, {.shape = known}));
  }
  const bool zero_is_zero = call.attributes.integer("allowzero", 0) != 0;
  if (zero_is_zero && std::ranges::count(*target, 0) > 0)
    return unsupported("OH_NN has no tensors without elements.");
  if (std::ranges::none_of(*target, [](int64_t d) { return d <= 0; }) || target->empty())
    return single(call.reshape(x, *target));
  return single(call.emit(OH_NN_OPS_RESHAPE, {x, call.emitter().integers(*target)}));
}

Result<Ids> flatten(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (call.rank(x) == 0) return single(call.reshape(x, {1, 1}));
  return single(call.emit(OH_NN_OPS_FLATTEN, {x},
                          {int64_parameter(OH_NN_FLATTEN_AXIS, call.attributes.integer("axis", 1))}));
}

Result<Ids> squeeze(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(std::vector<int64_t> axes, call.integers("axes", 1));
  if (axes.empty() && call.rank(x) == 0) return Ids{x};
  std::vector<Parameter> parameters;
  if (!axes.empty()) {
    NNRT_ASSIGN(axes, call.axes(std::move(axes), call.rank(x)));
    for (const int64_t axis : axes) {
      const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
      if (length != 1 && length != kUnknown)
        return damaged("Dimension ", axis, " (", length, "), which is to go, is not 1.");
    }
    parameters.push_back(int64s_parameter(OH_NN_SQUEEZE_AXIS, axes));
  }
  return single(call.emit(OH_NN_OPS_SQUEEZE, {x}, std::move(parameters)));
}

Result<Ids> unsqueeze(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const std::vector<int64_t> axes, call.integers("axes", 1));
  if (axes.empty()) return Ids{x};
  return single(call.emit(OH_NN_OPS_UNSQUEEZE, {x}, {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, axes)}));
}

Result<Ids> transpose(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  std::vector<int64_t> order = call.attributes.integers("perm");
  if (order.empty()) {
    order.resize(static_cast<size_t>(call.rank(x)));
    std::iota(order.rbegin(), order.rend(), int64_t{0});
  }
  if (static_cast<int64_t>(order.size()) != call.rank(x))
    return damaged("The length of perm (", order.size(), ") is not the rank ", call.rank(x), ".");
  return single(call.transpose(x, order));
}

// BROADCAST_TO wants a constant. A shape that only a run knows is that of zeros, which are added.
Result<Ids> expand(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId shape, call.plain_input(1));
  if (const auto known = call.emitter().known_integers(shape)) {
    if (known->empty()) return Ids{x};
    return single(
        call.emit(OH_NN_OPS_BROADCAST_TO, {x}, {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, *known)}));
  }
  if (!kNum.contains(call.emitter().dtype(x))) return unsupported("Input 1 (the shape) is not a constant.");
  NNRT_ASSIGN(const nnrt::Shape part, call.shape_from(shape));
  NNRT_ASSIGN(const TensorId zeros,
              call.emit(OH_NN_OPS_FILL, {call.number_like(x, 0), shape}, {}, {.shape = part}));
  return single(call.emit(OH_NN_OPS_ADD, {x, zeros}));
}

Result<Ids> tile(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (call.opset() < 6) return unsupported("Repeating along one axis, as before opset 6, is not supported.");
  NNRT_ASSIGN(const TensorId repeats, call.plain_input(1));
  const nnrt::Shape unknown(static_cast<size_t>(call.rank(x)), kUnknown);
  return single(call.emit(OH_NN_OPS_TILE, {x, repeats}, {}, {.shape = unknown}));
}

Result<Ids> depth_to_space(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const bool by_column = call.attributes.text("mode", "DCR") == "CRD";
  return single(
      call.emit(OH_NN_OPS_DEPTH_TO_SPACE, {x},
                {int64_parameter(OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE, call.attributes.integer("blocksize", 0)),
                 int32_parameter(OH_NN_DEPTH_TO_SPACE_MODE, by_column ? 1 : 0)}));
}

Result<Ids> space_to_depth(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const int64_t block = call.attributes.integer("blocksize", 0);
  if (block == 1) return Ids{x};
  return single(
      call.emit(OH_NN_OPS_SPACE_TO_DEPTH, {x}, {int64_parameter(OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE, block)}));
}

}  // namespace

std::vector<Row> data_movement_rows() {
  return {
      {"DepthToSpace", depth_to_space, {}, 1},
      {"Expand", expand},
      {"Flatten", flatten, {}, 1},
      {"Reshape", reshape, {}, 1},
      {"SpaceToDepth", space_to_depth, {}, 1},
      {"Squeeze", squeeze, {}, 1},
      {"Tile", tile, {}, 1},
      {"Transpose", transpose, {}, 1},
      {"Unsqueeze", unsqueeze, {}, 1},
  };
}

}  // namespace nnrt::import::onnx
