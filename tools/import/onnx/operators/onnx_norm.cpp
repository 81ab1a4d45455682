// Softmax and normalizations.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

TensorId along(Call& call, TensorId x, int64_t axis) {
  return call.emit(call.row().operation, {x}, {{Attr::axis, axis}});
}

// Before opset 13, the dimensions from the axis on are flattened.
Ids softmax(Call& call) {
  const TensorId x = call.input(0);
  constexpr int64_t kOneAxis = 13;
  const bool one_axis = call.opset() >= kOneAxis;
  const int64_t rank = call.rank(x);
  const int64_t axis =
      call.axis(call.attributes.integer("axis", one_axis ? -1 : std::min<int64_t>(1, rank - 1)), rank);
  const Dims shape = call.shape(x);
  const bool is_last =
      std::ranges::all_of(shape.from(static_cast<size_t>(axis) + 1), [](int64_t d) { return d == 1; });
  if (one_axis || is_last) return {along(call, x, axis)};
  const TensorId rows = call.emit(Op::flatten, {x}, {{Attr::axis, axis}});
  const TensorId y = along(call, rows, 1);
  if (std::ranges::count(shape, kUnknown) > 1)
    fail(unsupported("The shape ", to_string(shape), " has several unknown dimensions."));
  return {call.reshape(y, shape)};
}

// Uses batch statistics, and mixes them into the running ones by the momentum.
Ids batch_norm_of_training(Call& call) {
  const TensorId x = call.input(0), mean = call.input(3), variance = call.input(4);
  List<int64_t> axes{0};
  Dims beside(1, 1);
  for (int64_t d = 1; d < call.rank(x); ++d) {
    if (d > 1) axes.push_back(d);
    beside.push_back(d == 1 ? call.length(mean, 0) : 1);
  }
  const TensorId own_mean = call.mean(x, axes);
  const TensorId difference = call.sub(x, own_mean);
  const TensorId own_variance = call.mean(call.square(difference), axes);
  const TensorId deviation = call.sqrt(call.add(own_variance, call.attributes.real("epsilon", 1e-5f)));
  const TensorId scaled = call.mul(call.div(difference, deviation), call.reshape(call.input(1), beside));
  const double momentum = call.attributes.real("momentum", 0.9f);
  const auto running = [&](TensorId before, TensorId own) {
    const TensorId list = call.reshape(own, {call.length(mean, 0)});
    return call.add(call.mul(before, momentum), call.mul(list, 1 - momentum));
  };
  const TensorId y = call.add(scaled, call.reshape(call.input(2), beside));
  return {y, running(mean, own_mean), running(variance, own_variance)};
}

Ids batch_norm(Call& call) {
  if (call.attributes.flag("training_mode")) return batch_norm_of_training(call);
  if (call.attributes.integer("spatial", 1) != 1)
    fail(unsupported("Statistics of single elements are not supported."));
  Ids inputs = call.all_inputs();
  for (TensorId& id : inputs) id = call.cast(id, call.dtype(inputs[0]));
  return {call.emit(Op::batch_norm, inputs, {{Attr::epsilon, call.attributes.real("epsilon", 1e-5f)}})};
}

// Any rank is reshaped to 4, [N, C, 1, rest], which every OH_NN implementation supports, unless several
// dimensions are unknown.
Ids instance_norm(Call& call) {
  Ids inputs = call.all_inputs();
  Dims shape = call.shape(inputs[0]);
  if (shape.size() < 3) fail(damaged("The rank (", shape.size(), ") is below 3."));
  // There is a scale for each channel.
  if (shape[1] == kUnknown && inputs.size() > 1 && call.rank(inputs[1]) == 1)
    shape[1] = call.shape(inputs[1])[0];
  const bool is_regrouped = shape.size() != 4 && std::ranges::count(shape, kUnknown) <= 1;
  if (is_regrouped)
    inputs[0] = shape[0] == kUnknown
                    ? call.reshape(inputs[0], {-1, shape[1], 1, product(shape, 2, shape.size())})
                    : call.reshape(inputs[0], {shape[0], shape[1], 1, -1});
  const TensorId y =
      call.emit(Op::instance_norm, inputs, {{Attr::epsilon, call.attributes.real("epsilon", 1e-5f)}});
  return {is_regrouped ? call.reshape(y, shape) : y};
}

// LayerNormalization's extra outputs: the mean and the reciprocal standard deviation.
Ids moments(Call& call, TensorId x, const List<int64_t>& axes, float epsilon) {
  const TensorId mean = call.mean(x, axes);
  const TensorId variance = call.mean(call.emit(Op::squared_difference, {x, mean}), axes);
  return {mean, call.reciprocal(call.sqrt(call.add(variance, epsilon)))};
}

// LAYER_NORM never normalizes the first dimension, so all of them become a row.
TensorId layer_norm_of(Call& call, TensorId x, TensorId scale, TensorId bias, int64_t axis, float epsilon) {
  const Dims shape = call.shape(x);
  TensorId input = x;
  if (axis == 0) {
    const int64_t count = nnrt::element_count(shape).value_or(0);  // static, as its caller checks
    input = call.reshape(x, {1, count});
    scale = call.reshape(scale, {count});
    bias = call.reshape(bias, {count});
  }
  const TensorId y =
      call.emit(Op::layer_norm, {input, scale, bias},
                {{Attr::begin_norm_axis, std::max<int64_t>(axis, 1)}, {Attr::epsilon, epsilon}});
  return call.reshape(y, shape);
}

Ids layer_norm(Call& call) {
  const TensorId x = call.input(0);
  const int64_t axis = call.axis(call.attributes.integer("axis", -1), call.rank(x));
  Dims normalized = call.shape(x).from(static_cast<size_t>(axis));
  if (call.has(1)) {  // a length of 1 may broadcast
    const Dims lengths = call.shape(call.input(1));
    for (size_t d = 0; lengths.size() == normalized.size() && d < lengths.size(); ++d)
      if (normalized[d] == kUnknown && lengths[d] > 1) normalized[d] = lengths[d];
  }
  if (!is_static(normalized))
    fail(unsupported("The normalized dimensions ", to_string(normalized), " are not known."));
  const auto term = [&](size_t i) -> TensorId {
    if (!call.has(i)) return call.filled(call.dtype(x), normalized, 0);
    return call.broadcast(call.input(i), normalized);
  };
  const TensorId scale = term(1), bias = term(2);
  const float epsilon = call.attributes.real("epsilon", 1e-5f);
  const TensorId y = layer_norm_of(call, x, scale, bias, axis, epsilon);
  if (!call.wants(1) && !call.wants(2)) return {y};
  const Ids more = moments(call, x, axes_between(axis, call.rank(x)), epsilon);
  return {y, more[0], more[1]};
}

Ids lp_normalization(Call& call) {
  const TensorId x = call.input(0);
  const int64_t axis = call.attributes.integer("axis", -1), power = call.attributes.integer("p", 2);
  if (power == 2) {
    return {call.emit(Op::l2_normalize, {x}, {{Attr::axes, {axis}}, {Attr::epsilon, 0}})};
  }
  if (power != 1) fail(unsupported("The norm (", power, ") is neither 1 nor 2."));
  const TensorId sum = call.sum(call.abs(x), {axis});
  return {call.div(x, call.where(call.equal(sum, 0.0), call.number(sum, 1), sum))};
}

Ids lrn(Call& call) {
  const TensorId x = call.input(0);
  const int64_t size = call.attributes.count("size", 0);
  if (size < 1 || size % 2 == 0) fail(unsupported("The size (", size, ") is not odd."));
  return {call.emit(Op::lrn, {x},
                    {{Attr::radius, (size - 1) / 2},
                     {Attr::bias, call.attributes.real("bias", 1)},
                     {Attr::alpha, call.attributes.real("alpha", 1e-4f) / static_cast<float>(size)},
                     {Attr::beta, call.attributes.real("beta", 0.75f)}})};
}

}  // namespace

std::vector<Row> norm_rows() {
  return {
      {"BatchNormalization", batch_norm},
      {"InstanceNormalization", instance_norm},
      {"LRN", lrn},
      {"LayerNormalization", layer_norm},
      {"LogSoftmax", softmax, Op::log_softmax},
      {"LpNormalization", lp_normalization},
      {"Softmax", softmax, Op::softmax, 1},
  };
}

}  // namespace nnrt::import::onnx
