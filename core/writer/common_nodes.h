// Helpers that write common nodes.
#pragma once

#include "core/writer/graph_writer.h"

namespace nnrt {

Value reshape(GraphWriter& graph, const Value& value, const Shape& shape);
Value transpose(GraphWriter& graph, const Value& value, std::span<const int64_t> perm);
inline Value transpose(GraphWriter& graph, const Value& value, std::initializer_list<int64_t> perm) {
  return transpose(graph, value, std::span(perm));
}
Value slice(GraphWriter& graph, const Value& value, size_t axis, int64_t begin, int64_t size);
Value concat(GraphWriter& graph, const std::vector<Value>& parts, size_t axis);

Value cast(GraphWriter& graph, const Value& value, DType dtype);
// Dequantizes to FLOAT32; FLOAT32 and FLOAT16 are unchanged.
Value dequantized(GraphWriter& graph, const Value& value);
// Converts floats to the type, quantizing if it is quantized.
Value stored_as(GraphWriter& graph, const Value& value, const ResultType& type);

Value add(GraphWriter& graph, const Value& a, const Value& b);
Value mul(GraphWriter& graph, const Value& a, const Value& b);
// With a scalar of the value's dtype.
Value add(GraphWriter& graph, const Value& a, double b);
Value mul(GraphWriter& graph, const Value& a, double b);

// Exact min(max(value, min), max) of float or quantized values.
Value clamp(GraphWriter& graph, const Value& value, double min, double max);

}  // namespace nnrt
