// MaxUnpool.
#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

// Spatial size of the pool's input, without padding.
Dims pooled_shape(Call& call, const Dims& shape) {
  const SpatialParams pool = read_spatial(call, shape);
  Dims result = shape.before(2);
  for (size_t i = 0; i < pool.kernel.size(); ++i)
    result.push_back((shape[i + 2] - 1) * pool.stride[i] + pool.kernel[i] - pool.pads[2 * i] -
                     pool.pads[2 * i + 1]);
  return result;
}

// Scatters elements to their indices, into the corner of the requested shape.
Ids max_unpool(Call& call) {
  const TensorId x = call.input(0), indices = call.input(1);
  if (call.rank(x) < 3 || !is_static(call.shape(x)) || call.shape(x) != call.shape(indices))
    fail(unsupported("The shapes ", to_string(call.shape(x)), " and ", to_string(call.shape(indices)),
                     " are not supported."));
  const Dims shape = pooled_shape(call, call.shape(x));
  const std::optional<int64_t> count = nnrt::element_count(call.shape(x)), total = nnrt::element_count(shape);
  constexpr int64_t kMaxElements = int64_t{1} << 30;
  if (!count || !total || *total < 1 || *total > kMaxElements)
    fail(damaged("The size of the result is out of range."));
  const TensorId values = call.reshape(x, {*count}), places = call.reshape(indices, {*count, 1});
  const TensorId flat = call.emit(Op::scatter_nd, {places, values, call.vector({*total})});
  const TensorId y = call.reshape(flat, shape);
  if (!call.has(2)) return {y};
  const List<int64_t> target = call.integers(2);
  if (target.size() != shape.size()) fail(damaged("The result and the input have different ranks."));
  List<int64_t> pads;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (target[d] < shape[d] || target[d] > kMaxElements)
      fail(unsupported("A result smaller than ", to_string(shape), " is not supported."));
    pads.insert(pads.end(), {0, target[d] - shape[d]});
  }
  return {call.padded(y, pads)};
}

}  // namespace

std::vector<Row> pool_inverse_rows() {
  return {
      {"MaxUnpool", max_unpool},
  };
}

}  // namespace nnrt::import::onnx
