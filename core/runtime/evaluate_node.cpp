#include "core/runtime/evaluate_node.h"

#include "core/base/text.h"
#include "core/platform/trace.h"

#include <algorithm>

namespace nnrt {
namespace {

Result<OutputSlot> slot_for(const Graph& graph, TensorId id) {
  const size_t bytes = byte_size(graph.tensors[id].dtype, graph.shapes[id]).value_or(0);
  NNRT_ASSIGN(std::shared_ptr<SharedMemory> memory, SharedMemory::create(std::max<size_t>(bytes, 1)));
  return OutputSlot{{std::move(memory), 0, bytes, graph.shapes[id]}, false};
}

}  // namespace

Result<std::vector<Bytes>> evaluate(Device& device, const GraphPtr& graph) {
  const trace::Span span("compile", "fold");
  NNRT_ASSIGN(const std::unique_ptr<PreparedModel> model, device.prepare(graph, {}));
  std::vector<OutputSlot> slots;
  for (const TensorId id : graph->outputs) {
    NNRT_ASSIGN(slots.emplace_back(), slot_for(*graph, id));
  }
  NNRT_TRY(model->run({}, slots, {}));
  std::vector<Bytes> results;
  for (size_t i = 0; i < slots.size(); ++i) {
    const TensorView& view = slots[i].view;
    const Shape& shape = graph->shapes[graph->outputs[i]];
    if (view.shape != shape)
      return invalid("A constant has the shape ", to_string(view.shape), ", not ", to_string(shape), ".");
    results.emplace_back(view.data(), view.data() + view.bytes);
  }
  return results;
}

}  // namespace nnrt
