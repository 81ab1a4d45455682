#include "tools/import/onnx/onnx_formula.h"

namespace nnrt::import::onnx {
namespace {

Parameter keep_parameter(OH_NN_OperationType operation, bool keep) {
  const OH_NN_TensorType role = operation == OH_NN_OPS_REDUCE_SUM    ? OH_NN_REDUCE_SUM_KEEP_DIMS
                                : operation == OH_NN_OPS_REDUCE_MEAN ? OH_NN_REDUCE_MEAN_KEEP_DIMS
                                : operation == OH_NN_OPS_REDUCE_MIN  ? OH_NN_REDUCE_MIN_KEEP_DIMS
                                                                     : OH_NN_REDUCE_MAX_KEEP_DIMS;
  return bool_parameter(role, keep);
}

// Matrix product for dtypes MATMUL lacks: all elementwise products, summed.
TensorId summed_products(Formula& f, TensorId a, TensorId b) {
  const int64_t left = f.rank(a), right = f.rank(b);
  if (left == 0 || right == 0) f.fail(damaged("An operand of a matrix product is a scalar."));
  if (left > 1 && right > 1) a = f.unsqueeze(a, {left});
  if (left == 1 && right > 1) a = f.unsqueeze(a, {1});
  if (left > 1 && right > 1) b = f.unsqueeze(b, {right - 2});
  const TensorId products = f.mul(a, b);
  constexpr int64_t kMaxProducts = 1 << 26;
  const std::optional<int64_t> count = nnrt::element_count(f.shape(products));
  if (!count || *count > kMaxProducts)
    f.fail(unsupported("Products of matrices of ", name(f.dtype(a)), " with so many terms, ",
                       to_string(f.shape(products)), ", are not supported."));
  return f.sum(products, {std::max<int64_t>(f.rank(products) - (right > 1 ? 2 : 1), 0)}, false);
}

}  // namespace

TensorId Formula::emit(OH_NN_OperationType operation, const Ids& operands, std::vector<Parameter> parameters,
                       const Outputs& outputs) {
  return given(call_.emit(operation, operands, std::move(parameters), outputs));
}

int64_t Formula::length(TensorId id, int64_t axis) {
  const int64_t length = shape(id)[static_cast<size_t>(this->axis(axis, id))];
  if (length == kUnknown)
    fail(unsupported("Dimension ", axis, " of ", to_string(shape(id)), " is not known."));
  return length;
}

TensorId Formula::clip(TensorId x, double min, double max) {
  return emit(OH_NN_OPS_CLIP, {x},
              {float_parameter(OH_NN_CLIP_MIN, static_cast<float>(min)),
               float_parameter(OH_NN_CLIP_MAX, static_cast<float>(max))});
}

TensorId Formula::sum(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(OH_NN_OPS_REDUCE_SUM, {x, integers(axes)}, {keep_parameter(OH_NN_OPS_REDUCE_SUM, keep)});
}

TensorId Formula::mean(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(OH_NN_OPS_REDUCE_MEAN, {x, integers(axes)}, {keep_parameter(OH_NN_OPS_REDUCE_MEAN, keep)});
}

TensorId Formula::largest(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(OH_NN_OPS_REDUCE_MAX, {x, integers(axes)}, {keep_parameter(OH_NN_OPS_REDUCE_MAX, keep)});
}

TensorId Formula::smallest(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(OH_NN_OPS_REDUCE_MIN, {x, integers(axes)}, {keep_parameter(OH_NN_OPS_REDUCE_MIN, keep)});
}

TensorId Formula::softmax(TensorId x, int64_t axis) {
  return emit(OH_NN_OPS_SOFTMAX, {x}, {int64_parameter(OH_NN_SOFTMAX_AXIS, axis)});
}

TensorId Formula::regroup(TensorId x, const List<int64_t>& target) {
  return emit(OH_NN_OPS_RESHAPE, {x, integers(target)});
}

TensorId Formula::unsqueeze(TensorId x, const List<int64_t>& axes) {
  if (axes.empty()) return x;
  if (rank(x) == 0) return reshape(x, List<int64_t>(axes.size(), 1));
  return emit(OH_NN_OPS_UNSQUEEZE, {x}, {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, axes)});
}

TensorId Formula::squeeze(TensorId x, const List<int64_t>& axes) {
  if (axes.empty()) return x;
  return emit(OH_NN_OPS_SQUEEZE, {x}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, axes)});
}

TensorId Formula::concat(const Ids& parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  return emit(OH_NN_OPS_CONCAT, parts, {int64_parameter(OH_NN_CONCAT_AXIS, axis)});
}

TensorId Formula::slice(TensorId x, int64_t axis, int64_t begin, int64_t end) {
  const auto dimensions = static_cast<size_t>(rank(x)), chosen = static_cast<size_t>(axis);
  const int64_t length = shape(x)[chosen];
  if (begin == 0 && length != kUnknown && end >= length) return x;
  List<int64_t> from(dimensions, 0), to(dimensions, 0);
  from[chosen] = begin;
  to[chosen] = end;
  const int64_t others = ((int64_t{1} << dimensions) - 1) & ~(int64_t{1} << chosen);
  return emit(OH_NN_OPS_STRIDED_SLICE,
              {x, integers(from), integers(to), integers(List<int64_t>(dimensions, 1))},
              {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, others),
               int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, others)});
}

TensorId Formula::gather(TensorId x, TensorId indices, int64_t axis) {
  return emit(OH_NN_OPS_GATHER, {x, indices, integers({axis})});
}

TensorId Formula::broadcast(TensorId x, const Dims& target) {
  if (shape(x) == target) return x;
  return emit(OH_NN_OPS_BROADCAST_TO, {x}, {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, target)});
}

TensorId Formula::matmul(TensorId a, TensorId b, bool transpose_b) {
  if (!transpose_b && (kIndex | DTypeSet{DType::u64, DType::f64}).contains(dtype(a)))
    return summed_products(*this, a, b);
  return emit(OH_NN_OPS_MATMUL, {a, b}, {bool_parameter(OH_NN_MATMUL_TRANSPOSE_B, transpose_b)});
}

TensorId Formula::constant(DType dtype, const Dims& shape, const List<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return cast(call_.emitter().constant(DType::f64, shape, Bytes(bytes.begin(), bytes.end())), dtype);
}

}  // namespace nnrt::import::onnx
