// Operators that combine elements along dimensions.
#include "tools/import/tflite/tflite_operators.h"

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// A scalar axis is equivalent to a list of one.
Result<TensorId> axes_of(Operator& op, size_t input) {
  if (!op.build().is_constant(op.input(input))) return op.input(input);
  NNRT_ASSIGN(const List<int64_t> axes, op.integers(input));
  return op.build().vector(axes);
}

Status reduce(Operator& op) {
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  NNRT_ASSIGN(const TensorId axes, axes_of(op, 1));
  op.emit({x, axes}, {bool_parameter(op.row().role, op.options<format::ReducerOptions>().keep_dims())});
  return {};
}

// any(x) = not all(not x)
Status reduce_any(Operator& op) {
  NNRT_ASSIGN(const TensorId axes, axes_of(op, 1));
  const TensorId target = op.result();
  const TensorId falses = op.derive(OH_NN_OPS_LOGICAL_NOT, {op.input(0)}, op.input(0));
  const bool keep = op.options<format::ReducerOptions>().keep_dims();
  const TensorId none = op.derive(OH_NN_OPS_REDUCE_ALL, {falses, axes}, target,
                                  {bool_parameter(OH_NN_REDUCE_ALL_KEEP_DIMS, keep)});
  op.build().operation(OH_NN_OPS_LOGICAL_NOT, {none}, {target});
  return {};
}

Status softmax(Operator& op) {
  const float beta = op.options<format::SoftmaxOptions>().beta();
  NNRT_ASSIGN(TensorId x, op.operand(0));
  if (beta != 1 && beta != 0) {  // 0 means the file has no value
    NNRT_ASSIGN(const TensorId real, op.build().dequantize(x));
    x = op.derive(OH_NN_OPS_MUL, {real, op.build().scalar(beta)}, real);
    const TensorId target = op.output();
    const TensorId written = op.build().float_target(target);
    op.build().operation(OH_NN_OPS_SOFTMAX, {x}, {written}, {int64_parameter(OH_NN_SOFTMAX_AXIS, -1)});
    op.build().store(written, target);
    return {};
  }
  op.emit({x}, {int64_parameter(OH_NN_SOFTMAX_AXIS, -1)});
  return {};
}

Status log_softmax(Operator& op) {
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  op.emit({x}, {int64_parameter(OH_NN_LOG_SOFTMAX_AXIS, -1)});
  return {};
}

Status l2_normalization(Operator& op) {
  NNRT_ASSIGN(const TensorId x, op.operand(0));
  constexpr float kMinSum = 1e-12f;  // the minimum norm is 1e-6
  return op.emit_activated(
      {x},
      {int64s_parameter(OH_NN_L2_NORMALIZE_AXIS, {-1}), float_parameter(OH_NN_L2_NORMALIZE_EPSILON, kMinSum)},
      OH_NN_L2_NORMALIZE_ACTIVATION_TYPE, op.options<format::L2NormOptions>().activation());
}

// ARG_MIN is ARG_MAX of the values in reverse order. Negation fails for the lowest integer, so integers are
// bit-inverted.
Status arg_max(Operator& op) {
  NNRT_ASSIGN(const int64_t axis, op.integer(1));
  NNRT_ASSIGN(TensorId x, op.operand(0));
  if (op.row().code == ARG_MIN) {
    const bool is_real =
        op.build().tensor(x).type == OH_NN_FLOAT32 || op.build().tensor(x).type == OH_NN_FLOAT16;
    x = op.derive(is_real ? OH_NN_OPS_NEG : extension(OH_NN_OPS_BITWISE_NOT), {x}, x);
  }
  op.emit({x}, {int64_parameter(OH_NN_ARG_MAX_AXIS, axis)});
  return {};
}

Status cum_sum(Operator& op) {
  const auto& options = op.options<format::CumsumOptions>();
  NNRT_ASSIGN(const int64_t axis, op.integer(1));
  op.emit({op.input(0)}, {int64_parameter(extension(OH_NN_CUM_SUM_AXIS), axis),
                          bool_parameter(extension(OH_NN_CUM_SUM_EXCLUSIVE), options.exclusive()),
                          bool_parameter(extension(OH_NN_CUM_SUM_REVERSE), options.reverse())});
  return {};
}

constexpr Row kReduceRows[] = {
    {CUMSUM, 2, 2, Numbers::any, cum_sum, static_cast<OH_NN_OperationType>(OH_NN_OPS_CUM_SUM)},
    {MEAN, 2, 2, Numbers::quantized, reduce, OH_NN_OPS_REDUCE_MEAN, OH_NN_REDUCE_MEAN_KEEP_DIMS},
    {SUM, 2, 2, Numbers::real, reduce, OH_NN_OPS_REDUCE_SUM, OH_NN_REDUCE_SUM_KEEP_DIMS},
    {REDUCE_MAX, 2, 2, Numbers::real, reduce, OH_NN_OPS_REDUCE_MAX, OH_NN_REDUCE_MAX_KEEP_DIMS},
    {REDUCE_MIN, 2, 2, Numbers::real, reduce, OH_NN_OPS_REDUCE_MIN, OH_NN_REDUCE_MIN_KEEP_DIMS},
    {REDUCE_PROD, 2, 2, Numbers::real, reduce, OH_NN_OPS_REDUCE_PROD, OH_NN_REDUCE_PROD_KEEP_DIMS},
    {REDUCE_ALL, 2, 2, Numbers::any, reduce, OH_NN_OPS_REDUCE_ALL, OH_NN_REDUCE_ALL_KEEP_DIMS},
    {REDUCE_ANY, 2, 2, Numbers::any, reduce_any},
    {SOFTMAX, 1, 1, Numbers::quantized, softmax, OH_NN_OPS_SOFTMAX},
    {LOG_SOFTMAX, 1, 1, Numbers::real, log_softmax, OH_NN_OPS_LOG_SOFTMAX},
    {L2_NORMALIZATION, 1, 1, Numbers::real, l2_normalization, OH_NN_OPS_L2_NORMALIZE},
    {ARG_MAX, 2, 2, Numbers::any, arg_max, OH_NN_OPS_ARG_MAX},
    {ARG_MIN, 2, 2, Numbers::real, arg_max, OH_NN_OPS_ARG_MAX},
};

}  // namespace

std::span<const Row> reduce_rows() { return kReduceRows; }

}  // namespace nnrt::import::tflite
