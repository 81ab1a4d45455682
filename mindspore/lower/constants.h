// Constants that operations need and MindSpore's nodes lack, or have in another order.
#pragma once

#include "core/writer/graph_writer.h"

namespace nnrt::mindspore {

// A vector of zeros or ones: ones only of FLOAT32 or FLOAT16.
Value zeros(GraphWriter& graph, DType dtype, int64_t count);
Value ones(GraphWriter& graph, DType dtype, int64_t count);

// The bias of a convolution without one: zeros, INT32 for quantized data.
Value zero_bias(GraphWriter& graph, const Value& data, int64_t channels);

// A transposed value, seen as `shape` and returned as `result`: repacked now if it is constant, else by
// nodes.
Value repacked(GraphWriter& graph, const Value& value, const Shape& shape, std::span<const int64_t> perm,
               const Shape& result);

}  // namespace nnrt::mindspore
