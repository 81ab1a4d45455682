#include "mindspore/lite_graph/client_layout.h"

#include "mindspore/lite_graph/client_memory_view.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

bool is_consistent(const void* graph, const GraphLayout& layout) {
  const auto inputs = vector_at<uint32_t>(graph, layout.graph_inputs());
  const auto outputs = vector_at<uint32_t>(graph, layout.graph_outputs());
  const auto tensors = vector_at<const void*>(graph, layout.graph_tensors());
  const auto nodes = vector_at<const void*>(graph, layout.graph_nodes());
  return inputs && outputs && tensors && nodes && vector_at<const void*>(graph, layout.graph_subgraphs());
}

// Any graph has inputs and outputs; without them, and with indices out of range, a layout is less likely.
bool is_complete(const void* graph, const GraphLayout& layout) {
  const size_t tensors = vector_at<const void*>(graph, layout.graph_tensors())->size();
  for (const size_t offset : {layout.graph_inputs(), layout.graph_outputs()}) {
    const auto indices = *vector_at<uint32_t>(graph, offset);
    if (indices.empty() || std::ranges::any_of(indices, [&](uint32_t index) { return index >= tensors; }))
      return false;
  }
  return true;
}

}  // namespace

// From the smallest on, so that nothing behind the object is read.
std::optional<GraphLayout> layout_of(const void* graph) {
  std::optional<GraphLayout> possible;
  for (const GraphLayout& layout : kLayouts) {
    if (!is_consistent(graph, layout)) continue;
    if (is_complete(graph, layout)) return layout;
    possible = layout;
  }
  return possible;
}

}  // namespace nnrt::mindspore
