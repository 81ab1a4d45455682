#include "core/writer/common_nodes.h"

#include "core/schema/validate.h"

#include <algorithm>
#include <cmath>

namespace nnrt {
namespace {

// The quantized value of a number, saturated.
int32_t step_at(const Value& value, double real) {
  const double step = std::round(real / value.quant.scales[0]) + value.quant.zero_points[0];
  return int32_t(std::clamp(step, -128.0, 127.0));
}

Value quantized_number(GraphWriter& graph, const Value& like, int32_t step) {
  const auto byte = std::byte(uint8_t(int8_t(step)));
  return graph.constant(DType::i8, {1}, std::make_shared<const Bytes>(1, byte), like.quant);
}

Value convert_quantized(GraphWriter& graph, const Value& value, ResultType type) {
  const Settings settings{{Attr::source_type, value.dtype}, {Attr::target_type, type.dtype}};
  return graph.emit(Op::quant_dtype_cast, {value}, settings, std::move(type));
}

}  // namespace

Value reshape(GraphWriter& graph, const Value& value, const Shape& shape) {
  Value result = graph.emit(Op::reshape, {value, graph.integers(tensor_shape(shape))});
  if (shape.size() > kMaxTensorRank) result.shape = shape;
  return result;
}

Value transpose(GraphWriter& graph, const Value& value, std::span<const int64_t> perm) {
  return graph.emit(Op::transpose, {value, graph.integers(perm)});
}

Value slice(GraphWriter& graph, const Value& value, size_t axis, int64_t begin, int64_t size) {
  std::vector<int64_t> begins(value.rank(), 0), sizes = value.shape;
  if (axis >= value.rank()) return value;
  begins[axis] = begin;
  sizes[axis] = size;
  return graph.emit(Op::slice, {value, graph.integers(begins), graph.integers(sizes)});
}

Value concat(GraphWriter& graph, const std::vector<Value>& parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  return graph.emit(Op::concat, parts, {{Attr::axis, axis}});
}

Value cast(GraphWriter& graph, const Value& value, DType dtype) {
  if (value.dtype == dtype) return value;
  return graph.emit(Op::cast, {value, graph.number(DType::i32, double(dtype))}, {}, {dtype});
}

Value dequantized(GraphWriter& graph, const Value& value) {
  return value.is_quantized() ? convert_quantized(graph, value, {DType::f32}) : value;
}

Value stored_as(GraphWriter& graph, const Value& value, const ResultType& type) {
  if (type.dtype == DType::i8 && !type.quant.empty()) return convert_quantized(graph, value, type);
  return cast(graph, value, type.dtype);
}

Value add(GraphWriter& graph, const Value& a, const Value& b) { return graph.emit(Op::add, {a, b}); }
Value mul(GraphWriter& graph, const Value& a, const Value& b) { return graph.emit(Op::mul, {a, b}); }
Value add(GraphWriter& graph, const Value& a, double b) { return add(graph, a, graph.number(a.dtype, b)); }
Value mul(GraphWriter& graph, const Value& a, double b) { return mul(graph, a, graph.number(a.dtype, b)); }

Value clamp(GraphWriter& graph, const Value& value, double min, double max) {
  if (!value.is_quantized()) return graph.emit(Op::clip, {value}, {{Attr::min, min}, {Attr::max, max}});
  Value low = quantized_number(graph, value, step_at(value, min));
  Value high = quantized_number(graph, value, step_at(value, max));
  return graph.emit(Op::minimum, {graph.emit(Op::maximum, {value, low}), high});
}

}  // namespace nnrt
