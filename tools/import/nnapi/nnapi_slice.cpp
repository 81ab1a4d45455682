// Operators that slice a tensor.
#include "tools/import/nnapi/nnapi_operation.h"

namespace nnrt::import {
namespace {

Status slice(NnapiOperation& op) {
  if (!op.numbers(OH_NN_SLICE_AXES).empty()) return op.refuse("slices chosen axes");
  return op.emit({op.input(0), op.input(1), op.input(2)});
}

// Masks that NNAPI lacks are rejected.
Status strided_slice(NnapiOperation& op) {
  if (op.number(OH_NN_STRIDED_SLICE_ELLIPSIS_MASK, 0) != 0 ||
      op.number(OH_NN_STRIDED_SLICE_NEW_AXIS_MASK, 0) != 0)
    return op.refuse("has an ellipsis or a new axis");
  std::vector<OperandId> operands;
  for (size_t i = 0; i < 4; ++i) operands.push_back(op.input(i));
  if (op.input_tensor(1).shape != Shape{static_cast<int32_t>(op.input_tensor(0).shape.size())})
    return op.refuse("slices some of the axes alone");
  for (const OH_NN_TensorType mask :
       {OH_NN_STRIDED_SLICE_BEGIN_MASK, OH_NN_STRIDED_SLICE_END_MASK, OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK})
    operands.push_back(op.writer.scalar(static_cast<int32_t>(op.number(mask, 0))));
  return op.emit(operands);
}

// Parts of different sizes: one slice each.
Status split_unequally(NnapiOperation& op, size_t axis, const std::vector<int64_t>& sizes) {
  const size_t rank = op.input_tensor(0).shape.size();
  std::vector<int32_t> begin(rank, 0), size(rank, -1);
  for (size_t i = 0; i < op.output_count(); ++i) {
    size[axis] = static_cast<int32_t>(sizes[i]);
    op.writer.add(ANEURALNETWORKS_SLICE, {op.input(0), op.writer.vector(begin), op.writer.vector(size)},
                  {op.output(i)});
    begin[axis] += size[axis];
  }
  return {};
}

Status split(NnapiOperation& op) {
  op.leave_out({OH_NN_SPLIT_OUTPUT_NUM});  // implied by the number of outputs
  NNRT_ASSIGN(const int32_t axis, op.axis(op.number(OH_NN_SPLIT_AXIS, 0), op.input_tensor(0).shape.size()));
  const std::vector<int64_t> sizes = op.numbers(OH_NN_SPLIT_SIZE_SPLITS);
  bool are_equal = true;
  for (const int64_t size : sizes) are_equal = are_equal && size == sizes[0];
  if (!are_equal && sizes.size() == op.output_count())
    return split_unequally(op, static_cast<size_t>(axis), sizes);
  std::vector<OperandId> results;
  for (size_t i = 0; i < op.output_count(); ++i) results.push_back(op.output(i));
  const OperandId operands[] = {op.input(0), op.writer.scalar(axis),
                                op.writer.scalar(static_cast<int32_t>(results.size()))};
  op.writer.add(ANEURALNETWORKS_SPLIT, operands, results);
  return {};
}

// Slices of length 1 with the axis removed.
Status unstack(NnapiOperation& op) {
  const Shape& shape = op.input_tensor(0).shape;
  NNRT_ASSIGN(const int32_t axis, op.axis(op.number(OH_NN_UNSTACK_AXIS, 0), shape.size()));
  std::vector<int32_t> begin(shape.size(), 0), size(shape.size(), -1);
  size[static_cast<size_t>(axis)] = 1;
  for (size_t i = 0; i < op.output_count(); ++i) {
    begin[static_cast<size_t>(axis)] = static_cast<int32_t>(i);
    Tensor part = op.input_tensor(0);
    part.shape[static_cast<size_t>(axis)] = 1;
    const OperandId slice = op.writer.temporary(part), axes = op.writer.vector(std::span(&axis, 1));
    op.writer.add(ANEURALNETWORKS_SLICE, {op.input(0), op.writer.vector(begin), op.writer.vector(size)},
                  {slice});
    op.writer.add(ANEURALNETWORKS_SQUEEZE, {slice, axes}, {op.output(i)});
  }
  return {};
}

constexpr NnapiRow kNnapiSliceRows[] = {
    {OH_NN_OPS_SLICE, slice, ANEURALNETWORKS_SLICE},
    {OH_NN_OPS_STRIDED_SLICE, strided_slice, ANEURALNETWORKS_STRIDED_SLICE},
    {OH_NN_OPS_SPLIT, split, ANEURALNETWORKS_SPLIT},
    {OH_NN_OPS_UNSTACK, unstack},
};

}  // namespace

std::span<const NnapiRow> nnapi_slice_rows() { return kNnapiSliceRows; }

}  // namespace nnrt::import
