// Operators of OH_NN that only several operators of TensorFlow Lite express, or others than those that the
// reader maps.
#include "core/schema/geometry.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void write_bias_add(NodeWriter& node) { node.write(ADD, node.inputs, node.outputs); }

void write_clip(NodeWriter& node) {
  if (node.dtype() != DType::f32) node.refuse("integers");
  const auto low = static_cast<float>(node.real(Attr::min)), high = static_cast<float>(node.real(Attr::max));
  if (low == -1 && high == 1) return node.write(RELU_N1_TO_1, node.inputs, node.outputs);
  const int32_t raised = node.derive(MAXIMUM, {node.inputs[0], node.number(low)});
  node.write(MINIMUM, {raised, node.number(high)}, node.outputs);
}

void write_swish(NodeWriter& node) {
  node.write(MUL, {node.inputs[0], node.derive(LOGISTIC, node.inputs)}, node.outputs);
}

// relu6(x + 3) / 6
void write_hard_sigmoid(NodeWriter& node) {
  const int32_t raised = node.derive(ADD, {node.inputs[0], node.number(3)});
  node.write(DIV, {node.derive(RELU6, {raised}), node.number(6)}, node.outputs);
}

void write_reciprocal(NodeWriter& node) { node.write(DIV, {node.number(1), node.inputs[0]}, node.outputs); }

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

void write_constant_of_shape(NodeWriter& node) {
  node.use(Attr::data_type);  // that of the result
  if (node.output_dtype() != DType::f32) node.refuse("a value for ", name(node.output_dtype()));
  const int32_t shape = node.narrowed(0);
  node.write(FILL, {shape, node.number(static_cast<float>(node.real(Attr::value)))}, node.outputs);
}

const Row kComposedRows[] = {
    written(ADD, Op::bias_add, Numbers::real, write_bias_add),
    written(MAXIMUM, Op::clip, Numbers::real, write_clip),
    written(MUL, Op::swish, Numbers::real, write_swish),
    written(DIV, Op::hard_sigmoid, Numbers::real, write_hard_sigmoid),
    written(DIV, Op::reciprocal, Numbers::real, write_reciprocal),
    written(MUL, Op::batch_norm, Numbers::real, write_batch_norm),
    written(MEAN, Op::layer_norm, Numbers::real, write_layer_norm),
    written(MEAN, Op::instance_norm, Numbers::real, write_instance_norm),
    written(FILL, Op::constant_of_shape, Numbers::real, write_constant_of_shape),
};

}  // namespace

std::span<const Row> composed_rows() { return kComposedRows; }

}  // namespace nnrt::import::tflite
