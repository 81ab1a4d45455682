#include "tools/import/mindspore/writer/ms_writer.h"

#include "core/passes/normalize.h"
#include "tools/import/mindspore/writer/ms_nodes.h"
#include "tools/import/mindspore/writer/ms_serializer.h"
#include "tools/import/network/core_network.h"

namespace nnrt::import {
namespace {

using namespace mindspore;

// Drops tensors that nothing uses, such as parameters.
void drop_unused_tensors(SourceGraph& file) {
  std::vector<bool> is_used(file.tensors.size());
  const auto mark = [&](const std::vector<uint32_t>& ids) {
    for (const uint32_t id : ids) is_used[id] = true;
  };
  mark(file.inputs);
  mark(file.outputs);
  for (const SourceNode& node : file.nodes) {
    mark(node.inputs);
    mark(node.outputs);
  }
  std::vector<uint32_t> renumbered(file.tensors.size());
  std::vector<SourceTensor> kept;
  for (size_t id = 0; id < is_used.size(); ++id) {
    if (!is_used[id]) continue;
    renumbered[id] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(file.tensors[id]));
  }
  file.tensors = std::move(kept);
  const auto renumber = [&](std::vector<uint32_t>& ids) {
    for (uint32_t& id : ids) id = renumbered[id];
  };
  renumber(file.inputs);
  renumber(file.outputs);
  for (SourceNode& node : file.nodes) {
    renumber(node.inputs);
    renumber(node.outputs);
  }
}

}  // namespace

Result<Bytes> write_mindspore(const Network& network) {
  NNRT_ASSIGN(const GraphPtr graph, to_graph(network));
  const GraphPtr normalized = normalize(graph);
  SourceGraph file;
  for (TensorId id = 0; id < normalized->tensors.size(); ++id)
    file.tensors.push_back(source_tensor(*normalized, id));
  file.inputs.assign(normalized->inputs.begin(), normalized->inputs.end());
  file.outputs.assign(normalized->outputs.begin(), normalized->outputs.end());
  NNRT_TRY(write_nodes(network, *normalized, "an .ms file",
                       [&](const nnrt::Node& node) { return write_node(*normalized, node, file); }));
  drop_unused_tensors(file);
  return serialize(file);
}

}  // namespace nnrt::import
