// Operators that compute each element alone.
#include "tools/import/nnapi/nnapi_operation.h"

#include <limits>

namespace nnrt::import {
namespace {

bool is_float(const Tensor& tensor) { return tensor.type == OH_NN_FLOAT32 || tensor.type == OH_NN_FLOAT16; }

// The operands are the same, in the same order.
Status plain(NnapiOperation& op) {
  std::vector<OperandId> inputs;
  for (size_t i = 0; i < op.input_count(); ++i) inputs.push_back(op.input(i));
  return op.emit(inputs);
}

Status arithmetic(NnapiOperation& op) { return op.emit({op.input(0), op.input(1), op.fuse(op.row.role)}); }

// Quotients of integers are rounded down there, and towards zero in OH_NN.
Status divide(NnapiOperation& op) {
  if (!is_float(op.output_tensor())) return op.refuse("divides integers");
  return arithmetic(op);
}

Status square(NnapiOperation& op) {
  return op.emit({op.input(0), op.input(0), op.writer.scalar(ANEURALNETWORKS_FUSED_NONE)});
}

Status squared_difference(NnapiOperation& op) {
  const OperandId difference = op.temporary_like_output(),
                  none = op.writer.scalar(ANEURALNETWORKS_FUSED_NONE);
  op.writer.add(ANEURALNETWORKS_SUB, {op.input(0), op.input(1), none}, {difference});
  return op.emit({difference, difference, none});
}

// The negated floor of the negated value.
Status ceil(NnapiOperation& op) {
  const OperandId negated = op.temporary_like_output(), floor = op.temporary_like_output();
  op.writer.add(ANEURALNETWORKS_NEG, {op.input(0)}, {negated});
  op.writer.add(ANEURALNETWORKS_FLOOR, {negated}, {floor});
  return op.emit({floor});
}

// A constant of one element beside FLOAT32.
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

// From one quantized tensor to another it goes by floats, which hold each quantized value.
Status quant_dtype_cast(NnapiOperation& op) {
  op.leave_out({OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_QUANT_DTYPE_CAST_DST_T});  // the tensors have their types
  const bool from_float = is_float(op.input_tensor(0)), to_float = is_float(op.output_tensor());
  if (from_float && to_float) return op.refuse("quantizes nothing");
  OperandId x = op.input(0);
  const OperandId result = op.output();
  if (!from_float) {
    Tensor real = op.input_tensor(0);
    real.type = OH_NN_FLOAT32;
    const OperandId dequantized = to_float ? result : op.writer.temporary(real);
    op.writer.add(ANEURALNETWORKS_DEQUANTIZE, {x}, {dequantized});
    x = dequantized;
  }
  if (!to_float) op.writer.add(ANEURALNETWORKS_QUANTIZE, {x}, {result});
  return {};
}

// The second operand is the type, which the result says too.
Status cast(NnapiOperation& op) { return op.emit({op.input(0)}); }

constexpr NnapiRow kNnapiElementwiseRows[] = {
    {OH_NN_OPS_ADD, arithmetic, ANEURALNETWORKS_ADD, OH_NN_ADD_ACTIVATIONTYPE},
    {OH_NN_OPS_SUB, arithmetic, ANEURALNETWORKS_SUB, OH_NN_SUB_ACTIVATIONTYPE},
    {OH_NN_OPS_MUL, arithmetic, ANEURALNETWORKS_MUL, OH_NN_MUL_ACTIVATION_TYPE},
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
    {OH_NN_OPS_WHERE, plain, ANEURALNETWORKS_SELECT},
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
