// Operators that reshape, transpose or repeat.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

// With at most one dynamic dimension, -1 suffices, and no device has to read the shape's contents.
std::optional<List<int64_t>> target_of_reshape(Call& call, TensorId shape) {
  std::optional<List<int64_t>> target = call.emitter().partly_known_integers(shape);
  if (!target) return {};
  const auto hidden = std::ranges::count(*target, Emitter::kHidden);
  if (hidden == 0) return target;
  if (hidden > 1 || std::ranges::count(*target, -1) > 0) return {};
  std::ranges::replace(*target, Emitter::kHidden, int64_t{-1});
  return target;
}

// A 0 in RESHAPE copies a dimension, which an empty vector does not have; here it is a length.
TensorId as_vector(Call& call, TensorId x, const std::optional<List<int64_t>>& target) {
  const bool has_zero = !target || std::ranges::find(*target, 0) != target->end();
  if (!call.attributes.flag("allowzero") || !has_zero) return x;
  const std::optional<int64_t> count = nnrt::element_count(call.shape(x));
  if (target && count.value_or(0) != 0)
    fail(damaged("Shapes ", to_string(call.shape(x)), " and ", to_string(*target),
                 " have different numbers of elements."));
  if (target && !count && std::ranges::none_of(*target, [](int64_t length) { return length > 1; }))
    fail(unsupported("Whether ", to_string(call.shape(x)), " has elements is known only at run time."));
  return call.regroup(x, {-1});
}

Ids reshape(Call& call) {
  TensorId x = call.input(0);
  const TensorId shape = call.plain_input(1);
  const auto target = target_of_reshape(call, shape);
  x = as_vector(call, x, target);
  if (!target) {
    Dims known = call.shape_from(shape);
    std::ranges::replace(known, 0, kUnknown);  // 0 copies a dimension
    return {call.emit(Op::reshape, {x, shape}, {}, {.shape = known})};
  }
  if (std::ranges::none_of(*target, [](int64_t d) { return d <= 0; }) || target->empty())
    return {call.reshape(x, *target)};
  return {call.regroup(x, *target)};
}

Ids flatten(Call& call) {
  const TensorId x = call.input(0);
  if (call.rank(x) == 0) return {call.reshape(x, {1, 1})};
  return {call.emit(Op::flatten, {x}, {{Attr::axis, call.attributes.integer("axis", 1)}})};
}

// UNSTACK with one output requires and removes a dimension of 1, even if its length is dynamic; SQUEEZE would
// keep any other length.
TensorId without_open(Call& call, TensorId x, List<int64_t>& axes) {
  for (size_t i = axes.size(); i-- > 0;) {
    if (call.shape(x)[static_cast<size_t>(axes[i])] != kUnknown) continue;
    x = call.emit(Op::unstack, {x}, {{Attr::axis, axes[i]}});
    axes.erase_at(i);
    for (size_t behind = i; behind < axes.size(); ++behind) --axes[behind];
  }
  return x;
}

Ids squeeze(Call& call) {
  TensorId x = call.input(0);
  List<int64_t> axes = call.integers("axes", 1);
  if (axes.empty() && call.rank(x) == 0) return {x};
  if (axes.empty()) return {call.emit(Op::squeeze, {x})};
  axes = call.axes(std::move(axes), call.rank(x));
  for (const int64_t axis : axes) {
    const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
    if (length != 1 && length != kUnknown)
      fail(damaged("Dimension ", axis, " (", length, "), which is squeezed, is not 1."));
  }
  x = without_open(call, x, axes);
  return {call.squeeze(x, axes)};
}

// Dynamic axes: computes the shape, in which each old dimension follows the ones before it.
Ids unsqueeze_along_any(Call& call, TensorId x, TensorId given) {
  const Dims shape = call.shape(given);
  if (shape.size() != 1 || shape[0] == kUnknown)
    fail(unsupported("The number of new dimensions is known only at run time."));
  constexpr int64_t kMaxRank = 8;
  const int64_t rank = call.rank(x) + shape[0];
  if (rank > kMaxRank) fail(unsupported("The rank (", rank, ") of the result is above 8."));
  const auto filled = [&](int64_t length, int64_t value) {
    return call.vector(List<int64_t>(static_cast<size_t>(length), value));
  };
  const TensorId is_old =
      call.emit(Op::scatter_elements, {filled(rank, 1), call.cast(given, DType::i64), filled(shape[0], 0)});
  // Entry 0 of the lengths is for new dimensions.
  const TensorId place = call.mul(is_old, call.emit(Op::cum_sum, {is_old}));
  TensorId lengths = call.vector({1});
  if (call.rank(x) > 0) lengths = call.concat({lengths, call.shape_as_tensor(x)}, 0);
  return {call.emit(Op::reshape, {x, call.gather(lengths, place, 0)}, {},
                    {.shape = Dims(static_cast<size_t>(rank), kUnknown)})};
}

Ids unsqueeze(Call& call) {
  const TensorId x = call.input(0);
  if (!call.attributes.has("axes") && call.has(1)) {
    const TensorId given = call.plain_input(1);
    if (!call.known_integers(given)) return unsqueeze_along_any(call, x, given);
  }
  const List<int64_t> axes = call.integers("axes", 1);
  if (axes.empty()) return {x};
  return {call.emit(Op::unsqueeze, {x}, {{Attr::axis, axes}})};
}

Ids transpose(Call& call) {
  const TensorId x = call.input(0);
  List<int64_t> order = call.attributes.integers("perm");
  if (order.empty()) {
    order = axes_between(0, call.rank(x));
    std::ranges::reverse(order);
  }
  if (static_cast<int64_t>(order.size()) != call.rank(x))
    fail(damaged("The length of perm (", order.size(), ") is not the rank ", call.rank(x), "."));
  return {call.transpose(x, order)};
}

// BROADCAST_TO needs a constant shape. For a dynamic one, add zeros of that shape.
Ids expand(Call& call) {
  const TensorId x = call.input(0), shape = call.plain_input(1);
  if (const auto known = call.known_integers(shape)) {
    if (known->empty()) return {x};
    return {call.emit(Op::broadcast_to, {x}, {{Attr::shape, *known}})};
  }
  const DType dtype = call.dtype(x);
  if (!kNum.contains(dtype) && dtype != DType::boolean)
    fail(unsupported("Input 1 (the shape) is not a constant."));
  const TensorId zeros = call.filled_as(dtype, shape, 0);
  return {call.emit(dtype == DType::boolean ? Op::logical_or : Op::add, {x, zeros})};
}

// TILE repeats at least once: dimensions repeated 0 times are sliced to empty before the others grow.
TensorId repeated_never(Call& call, TensorId x, List<int64_t> repeats) {
  if (static_cast<int64_t>(repeats.size()) != call.rank(x))
    fail(damaged("The number of repeats (", repeats.size(), ") is not the rank ", call.rank(x), "."));
  int64_t whole = 0;
  for (size_t d = 0; d < repeats.size(); ++d) whole |= int64_t{repeats[d] != 0} << d;
  const TensorId zeros = call.vector(List<int64_t>(repeats.size(), 0));
  const TensorId ones = call.vector(List<int64_t>(repeats.size(), 1));
  const TensorId cut = call.emit(Op::strided_slice, {x, zeros, zeros, ones},
                                 {{Attr::begin_mask, whole}, {Attr::end_mask, whole}});
  std::ranges::replace(repeats, 0, 1);
  return call.emit(Op::tile, {cut, call.vector(repeats)});
}

Ids tile(Call& call) {
  const TensorId x = call.input(0);
  if (call.opset() < 6) fail(unsupported("Tile along one axis, as before opset 6, is not supported."));
  const TensorId repeats = call.plain_input(1);
  if (const auto known = call.known_integers(repeats); known && std::ranges::count(*known, 0) > 0)
    return {repeated_never(call, x, *known)};
  const Dims unknown(static_cast<size_t>(call.rank(x)), kUnknown);
  return {call.emit(Op::tile, {x, repeats}, {}, {.shape = unknown})};
}

Ids depth_to_space(Call& call) {
  const TensorId x = call.input(0);
  const bool by_column = call.attributes.text("mode", "DCR") == "CRD";
  return {call.emit(Op::depth_to_space, {x},
                    {{Attr::block, call.attributes.count("blocksize", 0)}, {Attr::mode, by_column ? 1 : 0}})};
}

Ids space_to_depth(Call& call) {
  const TensorId x = call.input(0);
  const int64_t block = call.attributes.count("blocksize", 0);
  if (block == 1) return {x};
  return {call.emit(Op::space_to_depth, {x}, {{Attr::block, block}})};
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
