// Softmax and normalizations.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

Result<TensorId> along(Call& call, TensorId x, int64_t axis) {
  const auto role = call.row().operation == OH_NN_OPS_SOFTMAX ? OH_NN_SOFTMAX_AXIS : OH_NN_LOG_SOFTMAX_AXIS;
  return call.emit(call.row().operation, {x}, {int64_parameter(role, axis)});
}

// Before opset 13, the dimensions from the axis on are flattened.
Result<Ids> softmax(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  constexpr int64_t kOneAxis = 13;
  const bool one_axis = call.opset() >= kOneAxis;
  const int64_t rank = call.rank(x);
  NNRT_ASSIGN(
      const int64_t axis,
      call.axis(call.attributes.integer("axis", one_axis ? -1 : std::min<int64_t>(1, rank - 1)), rank));
  const Dims shape = call.shape(x);
  const bool is_last =
      std::ranges::all_of(shape.from(static_cast<size_t>(axis) + 1), [](int64_t d) { return d == 1; });
  if (one_axis || is_last) return single(along(call, x, axis));
  NNRT_ASSIGN(const TensorId rows,
              call.emit(OH_NN_OPS_FLATTEN, {x}, {int64_parameter(OH_NN_FLATTEN_AXIS, axis)}));
  NNRT_ASSIGN(const TensorId y, along(call, rows, 1));
  if (std::ranges::count(shape, kUnknown) > 1)
    return unsupported("The shape ", to_string(shape), " has several unknown dimensions.");
  return single(call.reshape(y, shape));
}

// Uses batch statistics, and mixes them into the running ones by the momentum.
Result<Ids> batch_norm_of_training(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), mean = f.input(3), variance = f.input(4);
  List<int64_t> axes{0};
  Dims beside(1, 1);
  for (int64_t d = 1; d < f.rank(x); ++d) {
    if (d > 1) axes.push_back(d);
    beside.push_back(d == 1 ? f.length(mean, 0) : 1);
  }
  const TensorId own_mean = f.mean(x, axes);
  const TensorId difference = f.sub(x, own_mean);
  const TensorId own_variance = f.mean(f.square(difference), axes);
  const TensorId deviation = f.sqrt(f.add(own_variance, call.attributes.real("epsilon", 1e-5f)));
  const TensorId scaled = f.mul(f.div(difference, deviation), f.reshape(f.input(1), beside));
  const double momentum = call.attributes.real("momentum", 0.9f);
  const auto running = [&](TensorId before, TensorId own) {
    const TensorId list = f.reshape(own, {f.length(mean, 0)});
    return f.add(f.mul(before, momentum), f.mul(list, 1 - momentum));
  };
  const TensorId y = f.add(scaled, f.reshape(f.input(2), beside));
  return Ids{y, running(mean, own_mean), running(variance, own_variance)};
}

Result<Ids> batch_norm(Call& call) {
  if (call.attributes.integer("training_mode", 0) != 0) return batch_norm_of_training(call);
  if (call.attributes.integer("spatial", 1) != 1)
    return unsupported("Statistics of single elements are not supported.");
  NNRT_ASSIGN(Ids inputs, call.all_inputs());
  for (TensorId& id : inputs) {
    NNRT_ASSIGN(id, call.cast(id, call.emitter().dtype(inputs[0])));
  }
  return single(
      call.emit(OH_NN_OPS_BATCH_NORM, inputs,
                {float_parameter(OH_NN_BATCH_NORM_EPSILON, call.attributes.real("epsilon", 1e-5f))}));
}

// Any rank is reshaped to 4, [N, C, 1, rest], which every OH_NN implementation supports, unless several
// dimensions are unknown.
Result<Ids> instance_norm(Call& call) {
  NNRT_ASSIGN(Ids inputs, call.all_inputs());
  Dims shape = call.shape(inputs[0]);
  if (shape.size() < 3) return damaged("The rank (", shape.size(), ") is below 3.");
  // There is a scale for each channel.
  if (shape[1] == kUnknown && inputs.size() > 1 && call.rank(inputs[1]) == 1)
    shape[1] = call.shape(inputs[1])[0];
  const bool is_regrouped = shape.size() != 4 && std::ranges::count(shape, kUnknown) <= 1;
  if (is_regrouped) {
    NNRT_ASSIGN(inputs[0], shape[0] == kUnknown
                               ? call.reshape(inputs[0], {-1, shape[1], 1, product(shape, 2, shape.size())})
                               : call.reshape(inputs[0], {shape[0], shape[1], 1, -1}));
  }
  NNRT_ASSIGN(
      const TensorId y,
      call.emit(OH_NN_OPS_INSTANCE_NORM, inputs,
                {float_parameter(OH_NN_INSTANCE_NORM_EPSILON, call.attributes.real("epsilon", 1e-5f))}));
  if (!is_regrouped) return Ids{y};
  return single(call.reshape(y, shape));
}

// LayerNormalization's extra outputs: the mean and the reciprocal standard deviation.
Result<Ids> moments(Call& call, TensorId x, const List<int64_t>& axes, float epsilon) {
  const TensorId over = call.emitter().integers(axes);
  const auto mean_of = [&](TensorId id) {
    return call.emit(OH_NN_OPS_REDUCE_MEAN, {id, over}, {bool_parameter(OH_NN_REDUCE_MEAN_KEEP_DIMS, true)});
  };
  NNRT_ASSIGN(const TensorId mean, mean_of(x));
  NNRT_ASSIGN(const TensorId difference, call.emit(OH_NN_OPS_SQUARED_DIFFERENCE, {x, mean}));
  NNRT_ASSIGN(const TensorId variance, mean_of(difference));
  NNRT_ASSIGN(const TensorId sum, call.emit(OH_NN_OPS_ADD, {variance, call.number_like(x, epsilon)}));
  NNRT_ASSIGN(const TensorId root, call.emit(OH_NN_OPS_SQRT, {sum}));
  NNRT_ASSIGN(const TensorId reciprocal, call.emit(OH_NN_OPS_RECIPROCAL, {root}));
  return Ids{mean, reciprocal};
}

// LAYER_NORM never normalizes the first dimension, so all of them become a row.
Result<TensorId> layer_norm_of(Call& call, TensorId x, TensorId scale, TensorId bias, int64_t axis,
                               float epsilon) {
  const Dims shape = call.shape(x);
  TensorId input = x;
  if (axis == 0) {
    const int64_t count = nnrt::element_count(shape).value_or(0);  // static, as its caller checks
    NNRT_ASSIGN(input, call.reshape(x, {1, count}));
    NNRT_ASSIGN(scale, call.reshape(scale, {count}));
    NNRT_ASSIGN(bias, call.reshape(bias, {count}));
  }
  NNRT_ASSIGN(const TensorId y,
              call.emit(OH_NN_OPS_LAYER_NORM, {input, scale, bias},
                        {int64_parameter(OH_NN_LAYER_NORM_BEGIN_NORM_AXIS, std::max<int64_t>(axis, 1)),
                         float_parameter(OH_NN_LAYER_NORM_EPSILON, epsilon)}));
  if (axis != 0) return y;
  return call.reshape(y, shape);
}

Result<Ids> layer_norm(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", -1), call.rank(x)));
  Dims normalized = call.shape(x).from(static_cast<size_t>(axis));
  if (call.has(1)) {  // a length of 1 may broadcast
    NNRT_ASSIGN(const TensorId scale, call.input(1));
    const Dims lengths = call.shape(scale);
    for (size_t d = 0; lengths.size() == normalized.size() && d < lengths.size(); ++d)
      if (normalized[d] == kUnknown && lengths[d] > 1) normalized[d] = lengths[d];
  }
  if (!is_static(normalized))
    return unsupported("The normalized dimensions ", to_string(normalized), " are not known.");
  const auto term = [&](size_t i) -> Result<TensorId> {
    if (!call.has(i)) return call.emitter().filled(call.emitter().dtype(x), normalized, 0);
    NNRT_ASSIGN(const TensorId given, call.input(i));
    if (call.shape(given) == normalized) return given;
    return call.emit(OH_NN_OPS_BROADCAST_TO, {given},
                     {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, normalized)});
  };
  NNRT_ASSIGN(const TensorId scale, term(1));
  NNRT_ASSIGN(const TensorId bias, term(2));
  const float epsilon = call.attributes.real("epsilon", 1e-5f);
  NNRT_ASSIGN(const TensorId y, layer_norm_of(call, x, scale, bias, axis, epsilon));
  if (!call.wants(1) && !call.wants(2)) return Ids{y};
  List<int64_t> axes(normalized.size());
  std::iota(axes.begin(), axes.end(), axis);
  NNRT_ASSIGN(const Ids more, moments(call, x, axes, epsilon));
  return Ids{y, more[0], more[1]};
}

Result<Ids> lp_normalization(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const int64_t axis = call.attributes.integer("axis", -1), power = call.attributes.integer("p", 2);
  if (power == 2) {
    return single(call.emit(
        OH_NN_OPS_L2_NORMALIZE, {x},
        {int64s_parameter(OH_NN_L2_NORMALIZE_AXIS, {axis}), float_parameter(OH_NN_L2_NORMALIZE_EPSILON, 0)}));
  }
  if (power != 1) return unsupported("The norm (", power, ") is neither 1 nor 2.");
  Formula f(call);
  const TensorId sum = f.sum(f.abs(x), {axis});
  return Ids{f.div(x, f.where(f.equal(sum, 0.0), f.number(sum, 1), sum))};
}

Result<Ids> lrn(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const int64_t size = call.attributes.count("size", 0);
  if (size < 1 || size % 2 == 0) return unsupported("The size (", size, ") is not odd.");
  return single(call.emit(
      OH_NN_OPS_LRN, {x},
      {int64_parameter(OH_NN_LRN_DEPTH_RADIUS, (size - 1) / 2),
       float_parameter(OH_NN_LRN_BIAS, call.attributes.real("bias", 1)),
       float_parameter(OH_NN_LRN_ALPHA, call.attributes.real("alpha", 1e-4f) / static_cast<float>(size)),
       float_parameter(OH_NN_LRN_BETA, call.attributes.real("beta", 0.75f))}));
}

}  // namespace

std::vector<Row> norm_rows() {
  return {
      {"BatchNormalization", batch_norm},
      {"InstanceNormalization", instance_norm},
      {"LRN", lrn},
      {"LayerNormalization", layer_norm},
      {"LogSoftmax", softmax, OH_NN_OPS_LOG_SOFTMAX},
      {"LpNormalization", lp_normalization},
      {"Softmax", softmax, OH_NN_OPS_SOFTMAX, 1},
  };
}

}  // namespace nnrt::import::onnx
