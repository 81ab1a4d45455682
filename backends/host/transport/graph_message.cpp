#include "backends/host/transport/graph_message.h"

#include "backends/host/transport/shared_blob.h"
#include "core/base/text.h"
#include "core/cache/graph_encoding.h"
#include "core/schema/untrusted_graph_checks.h"
#include "core/schema/validate.h"

#include <algorithm>

namespace nnrt::host {
namespace {

// The graph to send. A partition of a model keeps the inferred shapes of its inputs, which cannot be inferred
// from the partition alone. Data that no node reads are omitted.
Graph crossing(const Graph& graph, std::span<const TensorId> constants) {
  Graph crossing{graph.tensors, graph.nodes, graph.inputs, graph.outputs, {}};
  for (TensorId id = 0; id < crossing.tensors.size(); ++id) {
    if (!std::ranges::binary_search(constants, id)) crossing.tensors[id].data = nullptr;
  }
  for (const TensorId id : graph.inputs) {
    Tensor found = crossing.tensors[id];
    found.shape = graph.shapes[id];
    if (check_dimensions(found).ok()) crossing.tensors[id].shape = std::move(found.shape);  // may contain a 0
  }
  return crossing;
}

}  // namespace

std::vector<TensorId> constants_of(const Graph& graph) {
  std::vector<TensorId> constants;
  for (const Node& node : graph.nodes) {
    std::ranges::copy_if(node.inputs, std::back_inserter(constants),
                         [&](TensorId id) { return graph.tensors[id].is_constant(); });
  }
  std::ranges::sort(constants);
  constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
  return constants;
}

void write_graph(ByteWriter& writer, const Graph& graph, std::span<const ConstantPlace> places) {
  const std::vector<TensorId> constants = constants_of(graph);
  writer.bytes(encode_graph(crossing(graph, constants)));
  for (size_t i = 0; i < constants.size(); ++i) {
    writer.put(places[i].store);
    writer.put(places[i].offset);
    writer.put(uint64_t{graph.tensors[constants[i]].data->size()});
  }
}

Result<GraphPtr> read_graph(ByteReader& reader, const std::function<SharedBytes(uint64_t)>& store) {
  ReadGraph read = nnrt::read_graph(reader);
  for (TensorId id = 0; id < read.graph.tensors.size(); ++id) {
    if (!read.is_constant[id]) continue;
    const SharedBytes bytes = store(reader.get<uint64_t>());
    const auto offset = reader.get<uint64_t>(), size = reader.get<uint64_t>();
    NNRT_TRY(reader.status());
    if (bytes == nullptr || offset % kBlobAlignment != 0 || offset > bytes->size() ||
        size > bytes->size() - offset) {
      return invalid("The data of tensor ", id, " is not at the stated place.");
    }
    read.graph.tensors[id].data = bytes.part(offset, size);
  }
  NNRT_TRY(reader.status());
  NNRT_TRY(check_untrusted_subgraph(read.graph));
  return std::make_shared<const Graph>(std::move(read.graph));
}

}  // namespace nnrt::host
