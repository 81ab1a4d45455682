// Elementwise operators.
#include "tools/import/nnapi/nnapi_operation.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace nnrt::import {
namespace {

bool is_float(const Tensor& tensor) { return tensor.type == OH_NN_FLOAT32 || tensor.type == OH_NN_FLOAT16; }

// The same operands in the same order.
Status plain(NnapiOperation& op) {
  std::vector<OperandId> inputs;
  for (size_t i = 0; i < op.input_count(); ++i) inputs.push_back(op.input(i));
  return op.emit(inputs);
}

Status arithmetic(NnapiOperation& op) { return op.emit({op.input(0), op.input(1), op.fuse(op.row.role)}); }

// Integer division rounds down in NNAPI and toward zero in OH_NN.
Status divide(NnapiOperation& op) {
  if (!is_float(op.output_tensor())) return op.refuse("divides integers");
  return arithmetic(op);
}

OperandId dequantized(NnapiOperation& op, size_t i) {
  Tensor real = op.input_tensor(i);
  real.type = OH_NN_FLOAT32;
  const OperandId result = op.writer.temporary(real);
  op.writer.add(ANEURALNETWORKS_DEQUANTIZE, {op.input(i)}, {result});
  return result;
}

// Computes the operation in float and quantizes the result.
Status by_floats(NnapiOperation& op, int32_t code, OperandId a, OperandId b, OperandId fuse) {
  Tensor real = op.output_tensor();
  real.type = OH_NN_FLOAT32;
  const OperandId result = op.writer.temporary(real);
  op.writer.add(code, {a, b, fuse}, {result});
  op.writer.add(ANEURALNETWORKS_QUANTIZE, {result}, {op.output()});
  return {};
}

bool is_quantized(const Tensor& tensor) { return tensor.quantization.scales.size() == 1; }

// NNAPI multiplies quantized tensors only if the result's scale exceeds the product of the operands' scales.
bool has_small_scale(const NnapiOperation& op, size_t a, size_t b) {
  if (!is_quantized(op.output_tensor()) || !is_quantized(op.input_tensor(a)) ||
      !is_quantized(op.input_tensor(b)))
    return false;
  const auto scale = [](const Tensor& tensor) { return static_cast<float>(tensor.quantization.scales[0]); };
  return scale(op.output_tensor()) <= scale(op.input_tensor(a)) * scale(op.input_tensor(b));
}

Status multiply(NnapiOperation& op) {
  const OperandId fuse = op.fuse(op.row.role);
  if (!has_small_scale(op, 0, 1)) return op.emit({op.input(0), op.input(1), fuse});
  return by_floats(op, ANEURALNETWORKS_MUL, dequantized(op, 0), dequantized(op, 1), fuse);
}

Status square(NnapiOperation& op) {
  const OperandId none = op.writer.scalar(ANEURALNETWORKS_FUSED_NONE);
  if (!has_small_scale(op, 0, 0)) return op.emit({op.input(0), op.input(0), none});
  const OperandId x = dequantized(op, 0);
  return by_floats(op, ANEURALNETWORKS_MUL, x, x, none);
}

// The quantized difference has another range than its square.
Status squared_difference(NnapiOperation& op) {
  if (is_quantized(op.output_tensor())) {
    Tensor real = op.output_tensor();
    real.type = OH_NN_FLOAT32;
    const OperandId between = op.writer.temporary(real), fuse = op.writer.scalar(ANEURALNETWORKS_FUSED_NONE);
    op.writer.add(ANEURALNETWORKS_SUB, {dequantized(op, 0), dequantized(op, 1), fuse}, {between});
    return by_floats(op, ANEURALNETWORKS_MUL, between, between, fuse);
  }
  const OperandId difference = op.temporary_like_output(),
                  none = op.writer.scalar(ANEURALNETWORKS_FUSED_NONE);
  op.writer.add(ANEURALNETWORKS_SUB, {op.input(0), op.input(1), none}, {difference});
  return op.emit({difference, difference, none});
}

// ceil(x) = -floor(-x)
Status ceil(NnapiOperation& op) {
  const OperandId negated = op.temporary_like_output(), floor = op.temporary_like_output();
  op.writer.add(ANEURALNETWORKS_NEG, {op.input(0)}, {negated});
  op.writer.add(ANEURALNETWORKS_FLOOR, {negated}, {floor});
  return op.emit({floor});
}

// A single-element constant for FLOAT32 operands.
Result<OperandId> element(NnapiOperation& op, float value) {
  if (op.output_tensor().type != OH_NN_FLOAT32) return op.refuse("is not of FLOAT32");
  Tensor tensor;
  tensor.type = OH_NN_FLOAT32;
  tensor.shape = {1};
  const auto bytes = std::as_bytes(std::span(&value, 1));
  tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return op.writer.constant(tensor);
}

Status leaky_relu(NnapiOperation& op) {
  NNRT_ASSIGN(const OperandId slope, element(op, op.real(OH_NN_LEAKY_RELU_NEGATIVE_SLOPE, 0.01f)));
  return op.emit({op.input(0), slope});
}

Status reciprocal(NnapiOperation& op) {
  NNRT_ASSIGN(const OperandId one, element(op, 1));
  return op.emit({one, op.input(0), op.writer.scalar(ANEURALNETWORKS_FUSED_NONE)});
}

Status swish(NnapiOperation& op) {
  if (!is_float(op.output_tensor())) return op.refuse("is not of floats");
  const OperandId gate = op.temporary_like_output();
  op.writer.add(ANEURALNETWORKS_LOGISTIC, {op.input(0)}, {gate});
  return op.emit({op.input(0), gate, op.writer.scalar(ANEURALNETWORKS_FUSED_NONE)});
}

Status clip(NnapiOperation& op) {
  const float min = op.real(OH_NN_CLIP_MIN, -std::numeric_limits<float>::infinity()),
              max = op.real(OH_NN_CLIP_MAX, std::numeric_limits<float>::infinity());
  const OperandId x = op.input(0), result = op.output();
  if (min == -1 && max == 1) {
    op.writer.add(ANEURALNETWORKS_RELU1, {x}, {result});
    return {};
  }
  NNRT_ASSIGN(const OperandId low, element(op, min));
  NNRT_ASSIGN(const OperandId high, element(op, max));
  const OperandId raised = op.temporary_like_output();
  op.writer.add(ANEURALNETWORKS_MAXIMUM, {x, low}, {raised});
  op.writer.add(ANEURALNETWORKS_MINIMUM, {raised, high}, {result});
  return {};
}

Status power(NnapiOperation& op) {
  if (op.real(OH_NN_POW_SCALE, 1) != 1 || op.real(OH_NN_POW_SHIFT, 0) != 0)
    return op.refuse("scales or shifts its base");
  return op.emit({op.input(0), op.input(1)});
}

// Casts between quantized tensors go through float, which represents every quantized value.
Status quant_dtype_cast(NnapiOperation& op) {
  op.leave_out({OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_QUANT_DTYPE_CAST_DST_T});  // implied by the tensor types
  const bool from_float = is_float(op.input_tensor(0)), to_float = is_float(op.output_tensor());
  if (from_float && to_float) return op.refuse("quantizes nothing");
  OperandId x = op.input(0);
  const OperandId result = op.output();
  if (!from_float) {
    if (to_float) {
      op.writer.add(ANEURALNETWORKS_DEQUANTIZE, {x}, {result});
      return {};
    }
    x = dequantized(op, 0);
  }
  if (!to_float) op.writer.add(ANEURALNETWORKS_QUANTIZE, {x}, {result});
  return {};
}

// The common broadcast shape; empty if it is dynamic or the shapes don't match.
std::optional<Shape> broadcast(std::initializer_list<const Shape*> shapes) {
  Shape result;
  for (const Shape* const shape : shapes) {
    if (std::ranges::find(*shape, -1) != shape->end()) return {};
    if (shape->size() > result.size()) result.insert(result.begin(), shape->size() - result.size(), 1);
    for (size_t i = 1; i <= shape->size(); ++i) {
      int32_t& length = result[result.size() - i];
      const int32_t own = (*shape)[shape->size() - i];
      if (length != 1 && own != 1 && length != own) return {};
      if (length == 1) length = own;
    }
  }
  return result;
}

// Pads the shape with leading 1s to the rank of `shape`.
Shape with_rank_of(const Shape& shape, Shape given) {
  given.insert(given.begin(), shape.size() - given.size(), 1);
  return given;
}

// Broadcasts a condition by OR with a constant false of the result's shape.
OperandId repeated_condition(NnapiOperation& op, const Shape& shape) {
  Tensor none = op.input_tensor(0), all = none;
  none.shape = with_rank_of(shape, none.shape);
  size_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    none.shape[i] = none.shape[i] == 1 ? shape[i] : 1;
    count *= static_cast<size_t>(none.shape[i]);
  }
  none.data = std::make_shared<const Bytes>(count);
  all.shape = shape;
  all.data = nullptr;
  const OperandId result = op.writer.temporary(all);
  op.writer.add(ANEURALNETWORKS_LOGICAL_OR, {op.input(0), op.writer.constant(none)}, {result});
  return result;
}

OperandId repeated(NnapiOperation& op, size_t i, const Shape& shape) {
  Tensor step = op.input_tensor(i);
  const Shape own = with_rank_of(shape, step.shape);
  if (step.shape.empty()) step.shape = {1};  // scalars as the writer stores them
  OperandId x = op.input(i);
  step.data = nullptr;
  while (step.shape.size() < shape.size()) {
    step.shape.insert(step.shape.begin(), 1);
    const OperandId longer = op.writer.temporary(step);
    op.writer.add(ANEURALNETWORKS_EXPAND_DIMS, {x, op.writer.scalar(0)}, {longer});
    x = longer;
  }
  if (own == shape) return x;
  std::vector<int32_t> times;
  for (size_t d = 0; d < shape.size(); ++d) times.push_back(own[d] == 1 ? shape[d] : 1);
  step.shape = shape;
  const OperandId result = op.writer.temporary(step);
  op.writer.add(ANEURALNETWORKS_TILE, {x, op.writer.vector(times)}, {result});
  return result;
}

// SELECT requires equal shapes: smaller operands are broadcast.
Status where(NnapiOperation& op) {
  const Shape &condition = op.input_tensor(0).shape, &yes = op.input_tensor(1).shape,
              &no = op.input_tensor(2).shape;
  if (condition == yes && yes == no) return plain(op);
  const auto shape = broadcast({&condition, &yes, &no});
  if (!shape) return op.refuse("has operands of several shapes that do not fit, or that only a run knows");
  return op.emit({condition == *shape ? op.input(0) : repeated_condition(op, *shape), repeated(op, 1, *shape),
                  repeated(op, 2, *shape)});
}

// The second operand is the dtype, which the result already has.
Status cast(NnapiOperation& op) { return op.emit({op.input(0)}); }

constexpr NnapiRow kNnapiElementwiseRows[] = {
    {OH_NN_OPS_ADD, arithmetic, ANEURALNETWORKS_ADD, OH_NN_ADD_ACTIVATIONTYPE},
    {OH_NN_OPS_SUB, arithmetic, ANEURALNETWORKS_SUB, OH_NN_SUB_ACTIVATIONTYPE},
    {OH_NN_OPS_MUL, multiply, ANEURALNETWORKS_MUL, OH_NN_MUL_ACTIVATION_TYPE},
    {OH_NN_OPS_DIV, divide, ANEURALNETWORKS_DIV, OH_NN_DIV_ACTIVATIONTYPE},
    {OH_NN_OPS_MAXIMUM, plain, ANEURALNETWORKS_MAXIMUM},
    {OH_NN_OPS_MINIMUM, plain, ANEURALNETWORKS_MINIMUM},
    {OH_NN_OPS_POW, power, ANEURALNETWORKS_POW},
    {OH_NN_OPS_PRELU, plain, ANEURALNETWORKS_PRELU},
    {OH_NN_OPS_EQUAL, plain, ANEURALNETWORKS_EQUAL},
    {OH_NN_OPS_NOT_EQUAL, plain, ANEURALNETWORKS_NOT_EQUAL},
    {OH_NN_OPS_GREATER, plain, ANEURALNETWORKS_GREATER},
    {OH_NN_OPS_GREATER_EQUAL, plain, ANEURALNETWORKS_GREATER_EQUAL},
    {OH_NN_OPS_LESS, plain, ANEURALNETWORKS_LESS},
    {OH_NN_OPS_LESS_EQUAL, plain, ANEURALNETWORKS_LESS_EQUAL},
    {OH_NN_OPS_LOGICAL_AND, plain, ANEURALNETWORKS_LOGICAL_AND},
    {OH_NN_OPS_LOGICAL_OR, plain, ANEURALNETWORKS_LOGICAL_OR},
    {OH_NN_OPS_LOGICAL_NOT, plain, ANEURALNETWORKS_LOGICAL_NOT},
    {OH_NN_OPS_WHERE, where, ANEURALNETWORKS_SELECT},
    {OH_NN_OPS_ABS, plain, ANEURALNETWORKS_ABS},
    {OH_NN_OPS_NEG, plain, ANEURALNETWORKS_NEG},
    {OH_NN_OPS_EXP, plain, ANEURALNETWORKS_EXP},
    {OH_NN_OPS_LOG, plain, ANEURALNETWORKS_LOG},
    {OH_NN_OPS_SIN, plain, ANEURALNETWORKS_SIN},
    {OH_NN_OPS_SQRT, plain, ANEURALNETWORKS_SQRT},
    {OH_NN_OPS_RSQRT, plain, ANEURALNETWORKS_RSQRT},
    {OH_NN_OPS_FLOOR, plain, ANEURALNETWORKS_FLOOR},
    {OH_NN_OPS_CEIL, ceil, ANEURALNETWORKS_NEG},
    {OH_NN_OPS_RELU, plain, ANEURALNETWORKS_RELU},
    {OH_NN_OPS_RELU6, plain, ANEURALNETWORKS_RELU6},
    {OH_NN_OPS_SIGMOID, plain, ANEURALNETWORKS_LOGISTIC},
    {OH_NN_OPS_TANH, plain, ANEURALNETWORKS_TANH},
    {OH_NN_OPS_HSWISH, plain, ANEURALNETWORKS_HARD_SWISH},
    {OH_NN_OPS_LEAKY_RELU, leaky_relu, ANEURALNETWORKS_PRELU},
    {OH_NN_OPS_RECIPROCAL, reciprocal, ANEURALNETWORKS_DIV},
    {OH_NN_OPS_SWISH, swish, ANEURALNETWORKS_MUL},
    {OH_NN_OPS_SQUARE, square, ANEURALNETWORKS_MUL},
    {OH_NN_OPS_SQUARED_DIFFERENCE, squared_difference, ANEURALNETWORKS_MUL},
    {OH_NN_OPS_CLIP, clip},
    {OH_NN_OPS_CAST, cast, ANEURALNETWORKS_CAST},
    {OH_NN_OPS_QUANT_DTYPE_CAST, quant_dtype_cast},
};

}  // namespace

std::span<const NnapiRow> nnapi_elementwise_rows() { return kNnapiElementwiseRows; }

}  // namespace nnrt::import
