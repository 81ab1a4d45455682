// Pooling of images.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/spatial.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {
namespace {

struct Pool {
  Value data;  // NHWC
  Settings settings;
  int64_t fuse_code = 0;
  bool is_nchw = false;
};

// Reads padding (four values or a code), strides, kernel size, fuse code, and optionally the layout.
Pool read_pool(Lowering& op) {
  const bool is_explicit = op.input_count() >= 10;
  const size_t strides = is_explicit ? 5 : 2;
  SpatialKernel kernel;
  read_strides(op, kernel, strides);
  kernel.size = {op.integer(strides + 3), op.integer(strides + 2)};
  Pool pool;
  pool.fuse_code = op.integer(strides + 4);
  pool.is_nchw = op.flag(strides + 5);
  pool.data = to_nhwc(op.graph, op.in(0), pool.is_nchw);
  if (is_explicit) {
    read_padding(op, kernel, 1);
  } else {
    read_padding_code(op, kernel, 1);
  }
  pool.settings = kernel.settings();
  pool.settings.push_back({Attr::kernel, std::vector{kernel.size[0], kernel.size[1]}});
  return pool;
}

template <Op core>
void lower_pool(Lowering& op) {
  Pool pool = read_pool(op);
  const FusedActivation fused = fused_activation(op, pool.fuse_code);
  pool.settings.push_back({Attr::activation, fused.activation});
  const Value result = op.graph.emit(core, {pool.data}, pool.settings, op.result_type());
  op.set(0, from_nhwc(op.graph, apply_activation(op, result, fused), pool.is_nchw));
}

// In float32: squares may overflow float16.
void lower_l2_pool(Lowering& op) {
  GraphWriter& graph = op.graph;
  Pool pool = read_pool(op);
  const Value data = cast(graph, pool.data, DType::f32);
  const Value means = graph.emit(Op::avg_pool, {graph.emit(Op::square, {data})}, pool.settings);
  const Value roots = with_activation(op, graph.emit(Op::sqrt, {means}), pool.fuse_code);
  op.set(0, from_nhwc(graph, cast(graph, roots, pool.data.dtype), pool.is_nchw));
}

constexpr LoweringRow kPoolingLowerings[] = {
    {ANEURALNETWORKS_AVERAGE_POOL_2D, lower_pool<Op::avg_pool>},
    {ANEURALNETWORKS_MAX_POOL_2D, lower_pool<Op::max_pool>},
    {ANEURALNETWORKS_L2_POOL_2D, lower_l2_pool},
};

}  // namespace

std::span<const LoweringRow> pooling_lowerings() { return kPoolingLowerings; }

}  // namespace nnrt::nnapi
