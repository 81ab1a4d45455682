// Helpers that write nodes for several lowerings.
#pragma once

#include "nnapi/lower/operation_lowering.h"

namespace nnrt::nnapi {

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

// Fails unless a quantized result has these parameters.
void require_fixed_quant(Lowering& op, double scale, int32_t zero_point);

// NNAPI's fuse code as a fused activation plus an optional clamp.
struct FusedActivation {
  int64_t activation = 0;  // Attr::activation
  bool clamp_to_one = false;
};
FusedActivation fused_activation(Lowering& op, int64_t fuse_code);
Value with_activation(Lowering& op, const Value& value, int64_t fuse_code);  // as separate nodes
Value apply_activation(Lowering& op, const Value& value, const FusedActivation& fused);

// Converts image data from the client's layout to NHWC, and back.
Value to_nhwc(GraphWriter& graph, const Value& value, bool is_nchw);
Value from_nhwc(GraphWriter& graph, const Value& value, bool is_nchw);

}  // namespace nnrt::nnapi
