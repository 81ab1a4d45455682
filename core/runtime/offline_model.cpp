#include "core/runtime/offline_model.h"

#include "core/base/text.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

namespace nnrt {
namespace {

Status add(std::vector<Tensor> tensors, std::string_view what, Graph& graph, std::vector<TensorId>& ids) {
  NNRT_TRY(check_operand_count(what, tensors.size()));
  for (Tensor& tensor : tensors) {
    if (size_of(tensor.dtype) == 0) return invalid("Tensor ", tensor.name, " has no data type.");
    NNRT_TRY(check_dimensions(tensor));
    ids.push_back(TensorId(graph.tensors.size()));
    graph.tensors.push_back(std::move(tensor));
  }
  return {};
}

}  // namespace

Result<GraphPtr> graph_of(std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
  Graph graph;
  NNRT_TRY(add(std::move(inputs), "inputs", graph, graph.inputs));
  NNRT_TRY(add(std::move(outputs), "outputs", graph, graph.outputs));
  infer(graph);
  return std::make_shared<const Graph>(std::move(graph));
}

Result<std::shared_ptr<const CompiledModel>> load_offline(Device& device, OfflineLoader& loader,
                                                          ByteView bytes, const CompileOptions& options) {
  NNRT_ASSIGN(OfflineModel loaded, loader.load(bytes, options));
  auto model = std::make_shared<CompiledModel>();
  model->graph = model->lowered = loaded.graph;
  model->device = &device;
  model->float16 = options.float16;
  model->priority = options.priority;
  model->partitions.push_back(
      {std::move(loaded.prepared), &device, {}, loaded.graph->inputs, loaded.graph->outputs});
  return std::shared_ptr<const CompiledModel>(std::move(model));
}

}  // namespace nnrt
