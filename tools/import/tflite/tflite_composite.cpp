// Elementwise operators that need several OH_NN operations.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// Builds a composition; each result is like `like`, or BOOL.
class Composition {
 public:
  Composition(Operator& op, TensorId like) : op_(op), like_(like) {}

  TensorId value(OH_NN_OperationType type, List<TensorId> inputs) {
    return op_.derive(type, std::move(inputs), like_);
  }
  // A BOOL with the shape of the first input.
  TensorId truth(OH_NN_OperationType type, List<TensorId> inputs) {
    const Shape shape = op_.build().tensor(inputs[0]).shape;
    return op_.build().derive(type, std::move(inputs), OH_NN_BOOL, shape);
  }
  // In the operands' dtype.
  TensorId number(float value) {
    NetworkBuilder& build = op_.build();
    switch (build.tensor(like_).type) {
      case OH_NN_INT32: return build.scalar(static_cast<int32_t>(value));
      case OH_NN_INT64: return build.scalar(static_cast<int64_t>(value));
      default: return build.scalar(value);
    }
  }

 private:
  Operator& op_;
  TensorId like_;
};

void elu(Operator& op) {
  const TensorId x = op.operand(0);
  Composition make(op, x);
  const TensorId negative = make.value(OH_NN_OPS_SUB, {make.value(OH_NN_OPS_EXP, {x}), make.number(1)});
  op.write(OH_NN_OPS_WHERE, {make.truth(OH_NN_OPS_GREATER, {x, make.number(0)}), x, negative});
}

template <int low, int high>
void clip(Operator& op) {
  op.clip(op.operand(0), op.result(), low, high);
}

// The truncated quotient and remainder are off by one if the remainder is nonzero and its sign differs from
// the divisor's.
void floor_divide(Operator& op) {
  const TensorId x = op.operand(0), y = op.operand(1), target = op.result();
  Composition make(op, target);
  const bool is_quotient = op.row().code == FLOOR_DIV;
  if (is_quotient && op.build().tensor(target).type == OH_NN_FLOAT32)
    return op.build().operation(OH_NN_OPS_FLOOR, {make.value(OH_NN_OPS_DIV, {x, y})}, {target});
  const TensorId zero = make.number(0);
  const TensorId rest = make.value(OH_NN_OPS_MOD, {x, y});
  const TensorId signs_differ = make.truth(
      OH_NN_OPS_NOT_EQUAL, {make.truth(OH_NN_OPS_LESS, {rest, zero}), make.truth(OH_NN_OPS_LESS, {y, zero})});
  const TensorId is_off =
      make.truth(OH_NN_OPS_LOGICAL_AND, {make.truth(OH_NN_OPS_NOT_EQUAL, {rest, zero}), signs_differ});
  const TensorId truncated = is_quotient ? make.value(OH_NN_OPS_DIV, {x, y}) : rest;
  const TensorId corrected = is_quotient ? make.value(OH_NN_OPS_SUB, {truncated, make.number(1)})
                                         : make.value(OH_NN_OPS_ADD, {truncated, y});
  op.build().operation(OH_NN_OPS_WHERE, {is_off, corrected, truncated}, {target});
}

// Per-channel slopes become PRELU; others are selected element by element.
void prelu(Operator& op) {
  const TensorId x = op.operand(0), slope = op.operand(1);
  const Shape shape = op.build().tensor(slope).shape;
  const auto is_one = [](int32_t dimension) { return dimension == 1; };
  const auto values = op.build().floats(slope);
  if (values && !shape.empty() && std::all_of(shape.begin(), shape.end() - 1, is_one))
    return op.write({x, op.build().vector(*values)});
  Composition make(op, x);
  const TensorId is_positive = make.truth(OH_NN_OPS_GREATER, {x, make.number(0)});
  op.write(OH_NN_OPS_WHERE, {is_positive, x, make.value(OH_NN_OPS_MUL, {x, slope})});
}

// Snaps floats to the grid given by the limits and the number of bits; 0 is on the grid.
void fake_quant(Operator& op) {
  const auto& options = op.options<format::FakeQuantOptions>();
  const double min = options.min(), max = options.max(), first = options.narrow_range() ? 1 : 0;
  if (options.num_bits() < 2 || options.num_bits() > 16 || !std::isfinite(max - min) || !(min < max) ||
      min > 0 || max < 0)
    op.damaged("has limits that do not include 0, or bits outside [2, 16]");
  const double last = std::exp2(options.num_bits()) - 1, scale = (max - min) / (last - first);
  const double zero = std::clamp(std::round(first - min / scale), first, last);
  const auto low = static_cast<float>((first - zero) * scale),
             high = static_cast<float>((last - zero) * scale);
  if (!std::isfinite(static_cast<float>(1 / scale))) op.refuse("has limits that are too close");
  const TensorId x = op.operand(0);
  const OH_NN_DataType type = op.build().tensor(x).type;
  if (type != OH_NN_FLOAT32 && type != OH_NN_FLOAT16) op.refuse("has an input that is not a float");
  Composition make(op, x);
  const TensorId inside = op.derive(
      OH_NN_OPS_CLIP, {x}, x, {float_parameter(OH_NN_CLIP_MIN, low), float_parameter(OH_NN_CLIP_MAX, high)});
  const TensorId above = make.value(OH_NN_OPS_SUB, {inside, make.number(low)});
  const TensorId steps = make.value(
      OH_NN_OPS_ROUND, {make.value(OH_NN_OPS_MUL, {above, make.number(static_cast<float>(1 / scale))})});
  op.write(OH_NN_OPS_ADD,
           {make.value(OH_NN_OPS_MUL, {steps, make.number(static_cast<float>(scale))}), make.number(low)});
}

void add_n(Operator& op) {
  const List<TensorId> operands = op.operands();
  const TensorId target = op.result();
  TensorId sum = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    const TensorId next = i + 1 == operands.size() ? target : op.build().temporary_like(target);
    op.build().operation(OH_NN_OPS_ADD, {sum, operands[i]}, {next});
    sum = next;
  }
}

void write_prelu(NodeWriter& node) { node.write(PRELU, node.inputs, node.outputs); }

constexpr Row kCompositeRows[] = {
    {ELU, 1, 1, Numbers::real, elu},
    {RELU_N1_TO_1, 1, 1, Numbers::quantized, clip<-1, 1>},
    {RELU_0_TO_1, 1, 1, Numbers::quantized, clip<0, 1>},
    {FLOOR_DIV, 2, 2, Numbers::real, floor_divide},
    {FLOOR_MOD, 2, 2, Numbers::real, floor_divide},
    {PRELU, 2, 2, Numbers::real, prelu, OH_NN_OPS_PRELU, write_prelu},
    {FAKE_QUANT, 1, 1, Numbers::real, fake_quant},
    {ADD_N, 2, kMany, Numbers::real, add_n},
};

}  // namespace

std::span<const Row> composite_rows() { return kCompositeRows; }

}  // namespace nnrt::import::tflite
