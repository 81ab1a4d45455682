#include "core/passes/drop_weights.h"

#include "core/schema/schema.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>

namespace nnrt {
namespace {

// Constants whose contents shape inference reads: value inputs, and indices.
std::vector<bool> read_for_shapes(const Graph& graph) {
  std::vector<bool> read(graph.tensors.size(), false);
  for (const Node& node : graph.nodes) {
    const std::vector<InputRow>& rows = schema(node.op).inputs;
    for (size_t i = 0; i < node.own_inputs(); ++i) {
      const DType dtype = graph.tensors[node.inputs[i]].dtype;
      const bool is_index = dtype == DType::i32 || dtype == DType::i64;
      if (is_index || rows[std::min(i, rows.size() - 1)].value) read[node.inputs[i]] = true;
    }
  }
  return read;
}

}  // namespace

SharedBytes dropped_data() {
  static constexpr std::byte kNothing{};
  return {std::shared_ptr<const void>(std::shared_ptr<const void>(), &kNothing), ByteView()};  // owns nothing
}

GraphPtr drop_weights(const Graph& graph) {
  auto left = std::make_shared<Graph>(graph);
  const std::vector<bool> read = read_for_shapes(graph);
  for (TensorId id = 0; id < left->tensors.size(); ++id) {
    SharedBytes& data = left->tensors[id].data;
    if (!data) continue;
    if (read[id] || data->size() <= kKeptBytes) {
      data = std::make_shared<const Bytes>(data->begin(), data->end());
    } else {
      data = dropped_data();
    }
  }
  return left;
}

size_t data_bytes(const Graph& graph) {
  size_t bytes = 0;
  for (const Tensor& tensor : graph.tensors) bytes += tensor.data ? tensor.data->size() : 0;
  return bytes;
}

void trim_heap(size_t freed) {
#ifdef __GLIBC__
  constexpr size_t kWorthTrimming = size_t{1} << 20;
  if (freed >= kWorthTrimming) malloc_trim(0);
#else
  static_cast<void>(freed);
#endif
}

}  // namespace nnrt
