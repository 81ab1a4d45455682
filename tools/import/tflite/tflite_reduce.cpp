// Operators that combine elements along dimensions.
#include "core/schema/geometry.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <cmath>
#include <numeric>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// A scalar axis is equivalent to a list of one.
TensorId axes_of(Operator& op, size_t input) {
  if (!op.build().is_constant(op.input(input))) return op.input(input);
  return op.build().vector(op.integers(input));
}

void reduce(Operator& op) {
  const TensorId x = op.operand(0);
  const TensorId axes = axes_of(op, 1);
  op.write({x, axes}, {{Attr::keep_dims, op.options<format::ReducerOptions>().keep_dims()}});
}

// any(x) = not all(not x)
void reduce_any(Operator& op) {
  const TensorId axes = axes_of(op, 1);
  const TensorId target = op.result();
  const TensorId falses = op.emit(Op::logical_not, {op.input(0)});
  const bool keep = op.options<format::ReducerOptions>().keep_dims();
  const TensorId none =
      op.emit(Op::reduce_all, {falses, axes}, {{Attr::keep_dims, keep}}, {.shape = op.build().shape(target)});
  op.build().operation(Op::logical_not, {none}, {target});
}

void softmax(Operator& op) {
  const float beta = op.options<format::SoftmaxOptions>().beta();
  TensorId x = op.operand(0);
  if (beta != 1 && beta != 0) {  // 0 means the file has no value
    const TensorId real = op.build().dequantize(x);
    x = op.mul(real, beta);
    const TensorId target = op.output();
    const TensorId written = op.build().float_target(target);
    op.build().operation(Op::softmax, {x}, {written}, {{Attr::axis, -1}});
    op.build().store(written, target);
    return;
  }
  op.write({x}, {{Attr::axis, -1}});
}

void log_softmax(Operator& op) { op.write({op.operand(0)}, {{Attr::axis, -1}}); }

void l2_normalization(Operator& op) {
  const TensorId x = op.operand(0);
  constexpr float kMinSum = 1e-12f;  // the minimum norm is 1e-6
  op.write_activated({x}, {{Attr::axes, {-1}}, {Attr::epsilon, kMinSum}},
                     op.options<format::L2NormOptions>().activation());
}

void arg_max(Operator& op) {
  const int64_t axis = op.integer(1);
  TensorId x = op.operand(0);
  if (op.row().code == ARG_MIN) x = op.in_opposite_order(x);
  op.write({x}, {{Attr::axis, axis}});
}

void cum_sum(Operator& op) {
  const auto& options = op.options<format::CumsumOptions>();
  const int64_t axis = op.integer(1);
  op.write({op.input(0)},
           {{Attr::axis, axis}, {Attr::exclusive, options.exclusive()}, {Attr::reverse, options.reverse()}});
}

// Any axes, which may be those after the first.
void write_reduce(NodeWriter& node) {
  node.use(Attr::reduce_to_end);
  node.values(1);
  const auto axes = required(reduced_axes(node.view()));
  format::ReducerOptionsT options;
  options.keep_dims = node.flag(Attr::keep_dims);
  node.write(node.code(), std::move(options), {node.inputs[0], node.integers32({axes.begin(), axes.end()})},
             node.outputs);
}

// TensorFlow Lite normalizes the last dimension.
void write_normalized(NodeWriter& node, auto write) {
  const size_t rank = node.rank();
  const int64_t axis = node.axis(node.integer(Attr::axis), rank), last = static_cast<int64_t>(rank) - 1;
  if (axis == last) {
    write(node.inputs, node.outputs);
    return;
  }
  List<int64_t> order;
  for (int64_t d = 0; d <= last; ++d) order.push_back(d == axis ? last : d == last ? axis : d);
  const int32_t moved = node.moved(node.inputs[0], order);
  const int32_t made = node.like(node.outputs[0], node.shape(moved));
  write(Numbers32{moved}, Numbers32{made});
  node.move_to(made, order, node.outputs[0]);
}

void write_softmax(NodeWriter& node) {
  node.check_coding(kFractionCoding);
  format::SoftmaxOptionsT options;
  options.beta = 1;
  return write_normalized(node, [&](const Numbers32& inputs, const Numbers32& outputs) {
    node.write(SOFTMAX, options, inputs, outputs);
  });
}

void write_log_softmax(NodeWriter& node) {
  return write_normalized(node, [&](const Numbers32& inputs, const Numbers32& outputs) {
    node.write(LOG_SOFTMAX, inputs, outputs);
  });
}

void write_l2_normalization(NodeWriter& node) {
  constexpr double kMinSum = 1e-12;
  const List<int64_t> axes = node.has(Attr::axes) ? node.integers(Attr::axes) : List<int64_t>();
  if (axes.size() != 1 || node.axis(axes[0], node.rank()) + 1 != static_cast<int64_t>(node.rank()))
    node.refuse("axes other than the last");
  if (std::abs(node.real(Attr::epsilon) - kMinSum) > kMinSum / 16) node.refuse("this epsilon");
  format::L2NormOptionsT options;
  options.activation = node.activation();
  node.write(L2_NORMALIZATION, std::move(options), node.inputs, node.outputs);
}

void write_arg_max(NodeWriter& node) {
  format::ArgMaxOptionsT options;
  options.output_type = type_of(node.output_dtype());
  const int32_t axis = node.integer32(node.axis(node.integer(Attr::axis), node.rank()));
  if (!node.flag(Attr::keep_dims))
    return node.write(ARG_MAX, std::move(options), {node.inputs[0], axis}, node.outputs);
  Dims shape = node.output_shape();
  shape.erase_at(static_cast<size_t>(node.axis(node.integer(Attr::axis), node.rank())));
  const int32_t made = node.like(node.outputs[0], shape);
  node.write(ARG_MAX, std::move(options), {node.inputs[0], axis}, {made});
  node.write(EXPAND_DIMS, {made, axis}, node.outputs);
}

void write_cum_sum(NodeWriter& node) {
  format::CumsumOptionsT options;
  options.exclusive = node.flag(Attr::exclusive);
  options.reverse = node.flag(Attr::reverse);
  node.write(CUMSUM, std::move(options), {node.inputs[0], node.integer32(node.integer(Attr::axis))},
             node.outputs);
}

// x * a + b, with constants
void write_batch_norm(NodeWriter& node) {
  List<List<float>> parts;
  for (size_t i = 1; i < 5; ++i) parts.push_back(node.reals(i));
  const double epsilon = node.real(Attr::epsilon);
  List<float> factors, offsets;
  for (size_t i = 0; i < parts[0].size(); ++i) {
    const double factor =
        static_cast<double>(parts[0][i]) / std::sqrt(static_cast<double>(parts[3][i]) + epsilon);
    factors.push_back(static_cast<float>(factor));
    offsets.push_back(
        static_cast<float>(static_cast<double>(parts[1][i]) - static_cast<double>(parts[2][i]) * factor));
  }
  const Dims shape{static_cast<int64_t>(factors.size())};
  const int32_t scaled = node.derive(MUL, {node.inputs[0], node.floats(shape, factors)});
  node.write(ADD, {scaled, node.floats(shape, offsets)}, node.outputs);
}

// Mean 0 and variance 1 along the axes, then scaled and offset by the other operands.
void write_norm(NodeWriter& node, const List<int64_t>& axes) {
  const int32_t x = node.inputs[0], list = node.integers32(axes);
  Dims reduced = node.input_shape();
  for (const int64_t axis : axes) reduced[static_cast<size_t>(axis)] = 1;
  const auto mean = [&](int32_t of) {
    const int32_t made = node.like(of, reduced);
    format::ReducerOptionsT options;
    options.keep_dims = true;
    node.write(MEAN, options, {of, list}, {made});
    return made;
  };
  const int32_t center = mean(x), variance = mean(node.derive(SQUARED_DIFFERENCE, {x, center}));
  const int32_t inverse = node.derive(
      RSQRT, {node.derive(ADD, {variance, node.number(static_cast<float>(node.real(Attr::epsilon)))})});
  const int32_t normalized = node.derive(MUL, {node.derive(SUB, {x, center}), inverse});
  node.write(ADD, {node.derive(MUL, {normalized, node.inputs[1]}), node.inputs[2]}, node.outputs);
}

List<int64_t> axes_from(int64_t first, size_t end) {
  List<int64_t> axes(end - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

void write_layer_norm(NodeWriter& node) {
  node.use(Attr::begin_param_axis);  // their dimensions are the last
  return write_norm(node,
                    axes_from(node.axis(node.integer(Attr::begin_norm_axis), node.rank()), node.rank()));
}

// Between the batch and the channels.
void write_instance_norm(NodeWriter& node) { return write_norm(node, axes_from(1, node.rank() - 1)); }

constexpr Row kReduceRows[] = {
    {CUMSUM, 2, 2, Numbers::any, cum_sum, Op::cum_sum, write_cum_sum},
    {MEAN, 2, 2, Numbers::quantized, reduce, Op::reduce_mean, write_reduce},
    {SUM, 2, 2, Numbers::real, reduce, Op::reduce_sum, write_reduce},
    {REDUCE_MAX, 2, 2, Numbers::real, reduce, Op::reduce_max, write_reduce},
    {REDUCE_MIN, 2, 2, Numbers::real, reduce, Op::reduce_min, write_reduce},
    {REDUCE_PROD, 2, 2, Numbers::real, reduce, Op::reduce_prod, write_reduce},
    {REDUCE_ALL, 2, 2, Numbers::any, reduce, Op::reduce_all, write_reduce},
    {REDUCE_ANY, 2, 2, Numbers::any, reduce_any},
    {SOFTMAX, 1, 1, Numbers::quantized, softmax, Op::softmax, write_softmax},
    {LOG_SOFTMAX, 1, 1, Numbers::real, log_softmax, Op::log_softmax, write_log_softmax},
    {L2_NORMALIZATION, 1, 1, Numbers::real, l2_normalization, Op::l2_normalize, write_l2_normalization},
    {ARG_MAX, 2, 2, Numbers::any, arg_max, Op::arg_max, write_arg_max},
    {ARG_MIN, 2, 2, Numbers::real, arg_max, Op::arg_max},
    written(MUL, Op::batch_norm, Numbers::real, write_batch_norm),
    written(MEAN, Op::layer_norm, Numbers::real, write_layer_norm),
    written(MEAN, Op::instance_norm, Numbers::real, write_instance_norm),
};

}  // namespace

std::span<const Row> reduce_rows() { return kReduceRows; }

}  // namespace nnrt::import::tflite
