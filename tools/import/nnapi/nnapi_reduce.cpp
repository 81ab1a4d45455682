// Operators that combine elements along dimensions.
#include "tools/import/nnapi/nnapi_operation.h"

namespace nnrt::import {
namespace {

// An empty list of axes reduces nothing in OH_NN and everything in NNAPI.
Result<OperandId> axes_of(NnapiOperation& op) {
  if (!op.input_tensor(1).data) return op.input(1);
  NNRT_ASSIGN(const std::vector<int32_t> axes, op.constant(1));
  if (axes.empty()) return op.refuse("has no axes");
  return op.writer.vector(axes);
}

template <OH_NN_TensorType to_end, OH_NN_TensorType coefficient>
Status reduce(NnapiOperation& op) {
  if (op.number(to_end, 0) != 0 || op.real(coefficient, 1) != 1)
    return op.refuse("reduces to the end, or has a coefficient");
  NNRT_ASSIGN(const OperandId axes, axes_of(op));
  const bool keep = op.number(op.row.role, 0) != 0;
  // Only MEAN takes an integer here.
  const OperandId kept = op.row.code == ANEURALNETWORKS_MEAN ? op.writer.scalar(keep) : op.writer.flag(keep);
  return op.emit({op.input(0), axes, kept});
}

Status arg_max(NnapiOperation& op) {
  if (op.number(OH_NN_ARG_MAX_KEEPDIMS, 0) != 0 || op.number(OH_NN_ARG_MAX_TOP_K, 1) != 1 ||
      op.number(OH_NN_ARG_MAX_OUT_MAX_VALUE, 0) != 0)
    return op.refuse("keeps its axis, or gives more than one index");
  return op.emit({op.input(0), op.writer.scalar(static_cast<int32_t>(op.number(OH_NN_ARG_MAX_AXIS, -1)))});
}

Result<int32_t> only_axis(NnapiOperation& op, OH_NN_TensorType role) {
  const std::vector<int64_t> axes = op.numbers(role);
  if (axes.size() > 1) return op.refuse("has several axes");
  return axes.empty() ? -1 : static_cast<int32_t>(axes[0]);
}

// exp(beta * x) over its sum; OH_NN has no beta.
Status softmax(NnapiOperation& op) {
  NNRT_ASSIGN(const int32_t axis, only_axis(op, op.row.role));
  return op.emit({op.input(0), op.writer.real(1, op.input_tensor(0).type), op.writer.scalar(axis)});
}

// NNAPI's minimum norm is 1e-6, the root of this.
Status l2_normalize(NnapiOperation& op) {
  constexpr float kMinSum = 1e-12f;
  if (op.numbers(OH_NN_L2_NORMALIZE_AXIS).size() != 1) return op.refuse("normalizes several axes");
  if (op.real(OH_NN_L2_NORMALIZE_EPSILON, 1e-6f) != kMinSum)
    return op.refuse("has another epsilon than 1e-12");
  if (op.number(OH_NN_L2_NORMALIZE_ACTIVATION_TYPE, 0) != 0) return op.refuse("has an activation");
  NNRT_ASSIGN(const int32_t axis, only_axis(op, OH_NN_L2_NORMALIZE_AXIS));
  return op.emit({op.input(0), op.writer.scalar(axis)});
}

Status lrn(NnapiOperation& op) {
  const OH_NN_DataType type = op.input_tensor(0).type;
  if (op.number(OH_NN_LRN_NORM_REGION, 0) != 0) return op.refuse("does not normalize across channels");
  return op.emit({op.input(0), op.writer.scalar(static_cast<int32_t>(op.number(OH_NN_LRN_DEPTH_RADIUS, 0))),
                  op.writer.real(op.real(OH_NN_LRN_BIAS, 1), type),
                  op.writer.real(op.real(OH_NN_LRN_ALPHA, 1), type),
                  op.writer.real(op.real(OH_NN_LRN_BETA, 0.5f), type)});
}

constexpr NnapiRow kNnapiReduceRows[] = {
    {OH_NN_OPS_REDUCE_MEAN, reduce<OH_NN_REDUCE_MEAN_REDUCE_TO_END, OH_NN_REDUCE_MEAN_COEFF>,
     ANEURALNETWORKS_MEAN, OH_NN_REDUCE_MEAN_KEEP_DIMS},
    {OH_NN_OPS_REDUCE_SUM, reduce<OH_NN_REDUCE_SUM_REDUCE_TO_END, OH_NN_REDUCE_SUM_COEFF>,
     ANEURALNETWORKS_REDUCE_SUM, OH_NN_REDUCE_SUM_KEEP_DIMS},
    {OH_NN_OPS_REDUCE_MAX, reduce<OH_NN_REDUCE_MAX_REDUCE_TO_END, OH_NN_REDUCE_MAX_COEFF>,
     ANEURALNETWORKS_REDUCE_MAX, OH_NN_REDUCE_MAX_KEEP_DIMS},
    {OH_NN_OPS_REDUCE_MIN, reduce<OH_NN_REDUCE_MIN_REDUCE_TO_END, OH_NN_REDUCE_MIN_COEFF>,
     ANEURALNETWORKS_REDUCE_MIN, OH_NN_REDUCE_MIN_KEEP_DIMS},
    {OH_NN_OPS_REDUCE_PROD, reduce<OH_NN_REDUCE_PROD_REDUCE_TO_END, OH_NN_REDUCE_PROD_COEFF>,
     ANEURALNETWORKS_REDUCE_PROD, OH_NN_REDUCE_PROD_KEEP_DIMS},
    {OH_NN_OPS_REDUCE_ALL, reduce<OH_NN_REDUCE_ALL_REDUCE_TO_END, OH_NN_REDUCE_ALL_COEFF>,
     ANEURALNETWORKS_REDUCE_ALL, OH_NN_REDUCE_ALL_KEEP_DIMS},
    {OH_NN_OPS_ARG_MAX, arg_max, ANEURALNETWORKS_ARGMAX},
    {OH_NN_OPS_SOFTMAX, softmax, ANEURALNETWORKS_SOFTMAX, OH_NN_SOFTMAX_AXIS},
    {OH_NN_OPS_LOG_SOFTMAX, softmax, ANEURALNETWORKS_LOG_SOFTMAX, OH_NN_LOG_SOFTMAX_AXIS},
    {OH_NN_OPS_L2_NORMALIZE, l2_normalize, ANEURALNETWORKS_L2_NORMALIZATION},
    {OH_NN_OPS_LRN, lrn, ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION},
};

}  // namespace

std::span<const NnapiRow> nnapi_reduce_rows() { return kNnapiReduceRows; }

}  // namespace nnrt::import
