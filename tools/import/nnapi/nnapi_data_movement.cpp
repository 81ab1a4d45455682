// Operators that move all elements.
#include "tools/import/nnapi/nnapi_operation.h"

#include <algorithm>

namespace nnrt::import {
namespace {

using Operands = std::vector<OperandId>;

// The result's dimensions for RESHAPE; at most one may be dynamic.
Result<OperandId> known_shape(NnapiOperation& op, const Shape& shape) {
  if (shape.empty()) return op.refuse("has a result of rank 0 or of an unknown rank");
  if (std::ranges::count_if(shape, [](int32_t dimension) { return dimension < 0; }) > 1)
    return op.refuse("has a result with several unknown dimensions");
  return op.writer.vector(shape);
}

// In OH_NN, 0 copies a dimension.
Status reshape(NnapiOperation& op) {
  if (!op.input_tensor(1).data) return op.emit({op.input(0), op.input(1)});
  NNRT_ASSIGN(std::vector<int32_t> shape, op.constant(1));
  const Shape& input = op.input_tensor(0).shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 0) continue;
    if (i >= input.size()) return op.refuse("keeps a dimension that its input lacks");
    shape[i] = input[i];
  }
  NNRT_ASSIGN(const OperandId operand, known_shape(op, shape));
  return op.emit({op.input(0), operand});
}

Status reshape_to_result(NnapiOperation& op) {
  NNRT_ASSIGN(const OperandId shape, known_shape(op, op.output_tensor().shape));
  return op.emit({op.input(0), shape});
}

// As in OH_NN, all axes of size 1 are squeezed only if no axes are given.
Status squeeze(NnapiOperation& op) {
  const size_t rank = op.input_tensor(0).shape.size();
  std::vector<int32_t> axes;
  for (const int64_t given : op.numbers(OH_NN_SQUEEZE_AXIS)) {
    NNRT_ASSIGN(const int32_t axis, op.axis(given, rank));
    axes.push_back(axis);
  }
  if (axes.empty()) return op.emit({op.input(0)});
  return op.emit({op.input(0), op.writer.vector(axes)});
}

Status unsqueeze(NnapiOperation& op) {
  const std::vector<int64_t> axes = op.numbers(OH_NN_UNSQUEEZE_AXIS);
  if (axes.size() != 1) return reshape_to_result(op);
  const OperandId axis = op.writer.scalar(static_cast<int32_t>(axes[0])), result = op.output();
  op.writer.add(ANEURALNETWORKS_EXPAND_DIMS, {op.input(0), axis}, {result});
  return {};
}

Status expand_dims(NnapiOperation& op) {
  NNRT_ASSIGN(const std::vector<int32_t> axis, op.constant(1));
  if (axis.size() != 1) return op.refuse("has no axis");
  return op.emit({op.input(0), op.writer.scalar(axis[0])});
}

// The second operand is an integer vector.
Status with_vector(NnapiOperation& op) { return op.emit({op.input(0), op.input(1)}); }

Status tile(NnapiOperation& op) {
  if (!op.numbers(OH_NN_TILE_DIMS).empty()) return op.refuse("repeats chosen dimensions");
  return with_vector(op);
}

Status concat(NnapiOperation& op) {
  NNRT_ASSIGN(const int32_t axis, op.axis(op.number(OH_NN_CONCAT_AXIS, 0), op.output_tensor().shape.size()));
  Operands operands;
  for (size_t i = 0; i < op.input_count(); ++i) operands.push_back(op.input(i));
  operands.push_back(op.writer.scalar(axis));
  return op.emit(operands);
}

Status stack(NnapiOperation& op) {
  NNRT_ASSIGN(const int32_t axis,
              op.axis(op.number(OH_NN_STACK_AXIS, 0), op.input_tensor(0).shape.size() + 1));
  Operands operands{op.writer.scalar(axis)};
  for (size_t i = 0; i < op.input_count(); ++i) operands.push_back(op.input(i));
  return op.emit(operands);
}

Status gather(NnapiOperation& op) {
  NNRT_ASSIGN(const std::vector<int32_t> axis, op.constant(2));
  if (axis.size() != 1) return op.refuse("has no axis");
  // A rank-0 index removes the axis in OH_NN, but has rank 1 in NNAPI.
  if (op.input_tensor(1).shape.empty()) return op.refuse("has an index of rank 0");
  return op.emit({op.input(0), op.writer.scalar(axis[0]), op.input(1)});
}

Status pad(NnapiOperation& op) {
  const int64_t mode = op.number(OH_NN_PAD_PADDING_MODE, 0);
  const OperandId x = op.input(0), result = op.output();
  NNRT_ASSIGN(const std::vector<int32_t> amounts, op.constant(1));
  const OperandId around = op.writer.vector(amounts, {static_cast<int32_t>(amounts.size() / 2), 2});
  const float value = op.real(OH_NN_PAD_CONSTANT_VALUE, 0);
  const OH_NN_DataType type = op.output_tensor().type;
  if (mode == 1 || mode == 2) {
    const OperandId code = op.writer.scalar(static_cast<int32_t>(mode - 1));
    op.writer.add(ANEURALNETWORKS_MIRROR_PAD, {x, around, code}, {result});
  } else if (value == 0 && op.number(OH_NN_PAD_CONSTANT_VALUE, 0) == 0) {
    op.writer.add(ANEURALNETWORKS_PAD, {x, around}, {result});
  } else if (type == OH_NN_FLOAT32 || type == OH_NN_FLOAT16) {
    op.writer.add(ANEURALNETWORKS_PAD_V2, {x, around, op.writer.real(value, type)}, {result});
  } else {
    return op.refuse("pads integers or quantized values with another value than 0");
  }
  return {};
}

// OH_NN's mode 1 has another channel order.
Status depth_to_space(NnapiOperation& op) {
  if (op.number(OH_NN_DEPTH_TO_SPACE_MODE, 0) != 0) return op.refuse("has channels in the order of mode 1");
  return op.emit({op.input(0), op.writer.scalar(static_cast<int32_t>(op.number(op.row.role, 1)))});
}

Status space_to_depth(NnapiOperation& op) {
  return op.emit({op.input(0), op.writer.scalar(static_cast<int32_t>(op.number(op.row.role, 1)))});
}

std::vector<int32_t> narrow(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

Status batch_to_space(NnapiOperation& op) {
  for (const int64_t crop : op.numbers(OH_NN_BATCH_TO_SPACE_ND_CROPS))
    if (crop != 0) return op.refuse("crops its result");
  return op.emit({op.input(0), op.writer.vector(narrow(op.numbers(OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE)))});
}

Status space_to_batch(NnapiOperation& op) {
  std::vector<int64_t> paddings = op.numbers(OH_NN_SPACE_TO_BATCH_ND_PADDINGS);
  paddings.resize(4);
  return op.emit({op.input(0), op.writer.vector(narrow(op.numbers(OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE))),
                  op.writer.vector(narrow(paddings), {2, 2})});
}

constexpr NnapiRow kNnapiDataMovementRows[] = {
    {OH_NN_OPS_RESHAPE, reshape, ANEURALNETWORKS_RESHAPE},
    {OH_NN_OPS_FLATTEN, reshape_to_result, ANEURALNETWORKS_RESHAPE},
    {OH_NN_OPS_SQUEEZE, squeeze, ANEURALNETWORKS_SQUEEZE},
    {OH_NN_OPS_UNSQUEEZE, unsqueeze, ANEURALNETWORKS_RESHAPE},
    {OH_NN_OPS_EXPAND_DIMS, expand_dims, ANEURALNETWORKS_EXPAND_DIMS},
    {OH_NN_OPS_TRANSPOSE, with_vector, ANEURALNETWORKS_TRANSPOSE},
    {OH_NN_OPS_TILE, tile, ANEURALNETWORKS_TILE},
    {OH_NN_OPS_CONCAT, concat, ANEURALNETWORKS_CONCATENATION},
    {OH_NN_OPS_STACK, stack, ANEURALNETWORKS_PACK},
    {OH_NN_OPS_GATHER, gather, ANEURALNETWORKS_GATHER},
    {OH_NN_OPS_PAD, pad},
    {OH_NN_OPS_DEPTH_TO_SPACE, depth_to_space, ANEURALNETWORKS_DEPTH_TO_SPACE,
     OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE},
    {OH_NN_OPS_SPACE_TO_DEPTH, space_to_depth, ANEURALNETWORKS_SPACE_TO_DEPTH,
     OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE},
    {OH_NN_OPS_BATCH_TO_SPACE_ND, batch_to_space, ANEURALNETWORKS_BATCH_TO_SPACE_ND},
    {OH_NN_OPS_SPACE_TO_BATCH_ND, space_to_batch, ANEURALNETWORKS_SPACE_TO_BATCH_ND},
};

}  // namespace

std::span<const NnapiRow> nnapi_data_movement_rows() { return kNnapiDataMovementRows; }

}  // namespace nnrt::import
