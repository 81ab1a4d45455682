#include "backends/vulkan/passes/needless_transposes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnrt::vulkan {
namespace {

bool is_nhwc_of_nchw(const Graph& graph, const Node& node) {
  constexpr std::array<int32_t, 4> kOrder{0, 2, 3, 1};
  const Tensor& order = graph.tensors[node.inputs[1]];
  return order.dtype == DType::i32 && order.is_constant() && order.data->size() == sizeof kOrder &&
         std::memcmp(order.data->data(), kOrder.data(), sizeof kOrder) == 0;
}

// Excludes transposes that move nothing, and dtypes other than float.
bool moves_pixels(const Tensor& tensor, const Shape& nhwc) {
  const bool is_float = tensor.dtype == DType::f32 || tensor.dtype == DType::f16;
  return is_float && nhwc.size() == 4 && nhwc[3] > 1 && nhwc[1] * nhwc[2] > 1;
}

}  // namespace

NeedlessTransposes::NeedlessTransposes(const Graph& graph, std::span<const Shape> shapes, bool is_on)
    : transposes_(graph.tensors.size()), is_deferred_(graph.tensors.size()) {
  if (!is_on) return;
  std::vector<size_t> reads(graph.tensors.size());
  std::vector<bool> is_image(graph.tensors.size());
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) ++reads[id];
    if (node.op == Op::conv2d || node.op == Op::conv2d_transpose) is_image[node.inputs[0]] = true;
  }
  for (const TensorId id : graph.outputs) ++reads[id];
  for (const Node& node : graph.nodes) {
    if (node.op != Op::transpose || node.diagnosis || graph.tensors[node.inputs[0]].is_constant()) continue;
    const TensorId to = node.outputs[0];
    const bool is_read_once = is_image[to] && reads[to] == 1;
    if (is_read_once && is_nhwc_of_nchw(graph, node) && moves_pixels(graph.tensors[to], shapes[to]))
      transposes_[to] = &node;
  }
}

bool NeedlessTransposes::defer(const Node& node) {
  const bool is_one = node.op == Op::transpose && transposes_[node.outputs[0]] == &node;
  if (is_one) is_deferred_[node.outputs[0]] = true;
  return is_one;
}

std::optional<TensorId> NeedlessTransposes::take(TensorId nhwc) {
  if (!is_deferred_[nhwc]) return std::nullopt;
  is_deferred_[nhwc] = false;
  return transposes_[nhwc]->inputs[0];
}

const Node* NeedlessTransposes::needed_by(const Node& reader) {
  const auto found = std::ranges::find_if(reader.inputs, [&](TensorId id) { return bool(is_deferred_[id]); });
  if (found == reader.inputs.end()) return nullptr;
  is_deferred_[*found] = false;
  return transposes_[*found];
}

}  // namespace nnrt::vulkan
