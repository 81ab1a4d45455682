#include "tools/import/tflite/formulas/tflite_formula.h"

#include "tools/import/network/shape_inference.h"

namespace nnrt::import::tflite {

TensorId Formula::emit(OH_NN_OperationType operation, List<TensorId> inputs,
                       std::vector<Parameter> parameters, OH_NN_DataType type, const Shape& shape) {
  const Tensor first = build().tensor(inputs[0]);
  const bool is_like_first = type == OH_NN_UNKNOWN || type == first.type;
  const TensorId made = build().temporary(is_like_first ? first.type : type, shape,
                                          is_like_first ? first.quantization : Quantization());
  Result<List<Shape>> shapes = result_shapes(build(), {operation, inputs, {made}, parameters, {}});
  if (!shapes.ok()) fail(std::move(shapes).error().during("reading " + build().origin()));
  build().tensor(made).shape = std::move(shapes.value()[0]);
  build().operation(operation, std::move(inputs), {made}, std::move(parameters));
  return made;
}

Status Formula::write(TensorId target, OH_NN_OperationType operation, List<TensorId> inputs,
                      std::vector<Parameter> parameters) {
  build().operation(operation, std::move(inputs), {target}, std::move(parameters));
  return {};
}

int32_t Formula::length(TensorId id, size_t dimension) {
  const Shape dimensions = shape(id);
  if (dimension < dimensions.size() && dimensions[dimension] > 0) return dimensions[dimension];
  fail(op_.refuse("needs a known dimension " + std::to_string(dimension) + " of a tensor"));
}

TensorId Formula::clip(TensorId x, float low, float high) {
  return emit(OH_NN_OPS_CLIP, {x},
              {float_parameter(OH_NN_CLIP_MIN, low), float_parameter(OH_NN_CLIP_MAX, high)});
}

TensorId Formula::where(TensorId condition, TensorId a, TensorId b) {
  return emit(OH_NN_OPS_WHERE, {condition, a, b}, {}, build().tensor(a).type);
}

TensorId Formula::cast(TensorId x, OH_NN_DataType type) {
  return emit(OH_NN_OPS_CAST, {x, build().scalar<int32_t>(type)}, {}, type);
}

TensorId Formula::matmul(TensorId a, TensorId b, bool transpose_b) {
  return emit(OH_NN_OPS_MATMUL, {a, b}, {bool_parameter(OH_NN_MATMUL_TRANSPOSE_B, transpose_b)});
}

TensorId Formula::reshape(TensorId x, const List<int64_t>& target) {
  return emit(OH_NN_OPS_RESHAPE, {x, build().vector(target)});
}

TensorId Formula::transpose(TensorId x, const List<int32_t>& order) {
  return emit(OH_NN_OPS_TRANSPOSE, {x, build().vector(order)});
}

TensorId Formula::concat(List<TensorId> parts, int64_t axis) {
  return emit(OH_NN_OPS_CONCAT, std::move(parts), {int64_parameter(OH_NN_CONCAT_AXIS, axis)});
}

TensorId Formula::gather(TensorId x, const List<int32_t>& indices, int32_t axis) {
  return emit(OH_NN_OPS_GATHER, {x, build().vector(indices), build().scalar(axis)});
}

TensorId Formula::slice(TensorId x, size_t dimension, int64_t begin, int64_t end, int64_t stride) {
  const size_t count = rank(x);
  List<int64_t> from(count, 0), to(count, 0), steps(count, 1);
  from[dimension] = begin;
  to[dimension] = end;
  steps[dimension] = stride;
  const int64_t others = ((int64_t{1} << count) - 1) & ~(int64_t{1} << dimension);
  return emit(OH_NN_OPS_STRIDED_SLICE, {x, build().vector(from), build().vector(to), build().vector(steps)},
              {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, others),
               int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, others)});
}

TensorId Formula::reduce(OH_NN_OperationType operation, TensorId x, int32_t axis) {
  const OH_NN_TensorType role = operation == OH_NN_OPS_REDUCE_SUM   ? OH_NN_REDUCE_SUM_KEEP_DIMS
                                : operation == OH_NN_OPS_REDUCE_MIN ? OH_NN_REDUCE_MIN_KEEP_DIMS
                                                                    : OH_NN_REDUCE_MAX_KEEP_DIMS;
  return emit(operation, {x, build().vector<int32_t>({axis})}, {bool_parameter(role, true)});
}

}  // namespace nnrt::import::tflite
