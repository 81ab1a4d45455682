// Elementwise operators that need several OH_NN operations.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

TensorId is_positive(Operator& op, TensorId x) { return op.emit(Op::greater, {x, op.number(x, 0)}); }

void elu(Operator& op) {
  const TensorId x = op.operand(0);
  const TensorId negative = op.sub(op.exp(x), 1.0);
  op.write(Op::where, {is_positive(op, x), x, negative});
}

template <int low, int high>
void clip(Operator& op) {
  op.clip(op.operand(0), op.result(), low, high);
}

void floor_divide(Operator& op) {
  const TensorId x = op.operand(0), y = op.operand(1), target = op.result();
  const bool is_quotient = op.row().code == FLOOR_DIV;
  if (is_quotient && op.build().tensor(target).type == OH_NN_FLOAT32)
    return op.build().operation(Op::floor, {op.div(x, y)}, {target});
  const TensorId rest = op.emit(Op::mod, {x, y}), is_off = op.is_above_floor(rest, y);
  const TensorId truncated = is_quotient ? op.div(x, y) : rest;
  const TensorId corrected = is_quotient ? op.sub(truncated, 1.0) : op.add(truncated, y);
  op.build().operation(Op::where, {is_off, corrected, truncated}, {target});
}

// Per-channel slopes become PRELU; others are selected element by element.
void prelu(Operator& op) {
  const TensorId x = op.operand(0), slope = op.operand(1);
  const Shape shape = op.build().tensor(slope).shape;
  const auto is_one = [](int32_t dimension) { return dimension == 1; };
  const auto values = op.build().floats(slope);
  if (values && !shape.empty() && std::all_of(shape.begin(), shape.end() - 1, is_one))
    return op.write({x, op.build().vector(*values)});
  op.write(Op::where, {is_positive(op, x), x, op.mul(x, slope)});
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
  const TensorId above = op.sub(op.clip(x, low, high), low);
  const TensorId steps = op.emit(Op::round, {op.mul(above, 1 / scale)});
  op.write(Op::add, {op.mul(steps, scale), op.number(x, low)});
}

void add_n(Operator& op) {
  const List<TensorId> operands = op.operands();
  const TensorId target = op.result();
  TensorId sum = operands[0];
  for (size_t i = 1; i + 1 < operands.size(); ++i) sum = op.add(sum, operands[i]);
  op.write_to(target, Op::add, {sum, operands.back()});
}

void write_prelu(NodeWriter& node) { node.write(PRELU, node.inputs, node.outputs); }

constexpr Row kCompositeRows[] = {
    {ELU, 1, 1, Numbers::real, elu},
    {RELU_N1_TO_1, 1, 1, Numbers::quantized, clip<-1, 1>},
    {RELU_0_TO_1, 1, 1, Numbers::quantized, clip<0, 1>},
    {FLOOR_DIV, 2, 2, Numbers::real, floor_divide},
    {FLOOR_MOD, 2, 2, Numbers::real, floor_divide},
    {PRELU, 2, 2, Numbers::real, prelu, Op::prelu, write_prelu},
    {FAKE_QUANT, 1, 1, Numbers::real, fake_quant},
    {ADD_N, 2, kMany, Numbers::real, add_n},
};

}  // namespace

std::span<const Row> composite_rows() { return kCompositeRows; }

}  // namespace nnrt::import::tflite
