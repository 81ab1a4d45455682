#include "backends/host/transport/graph_message.h"

#include "backends/host/transport/shared_blob.h"
#include "core/base/text.h"
#include "core/cache/deferred_constants.h"
#include "core/cache/graph_encoding.h"
#include "core/passes/drop_weights.h"
#include "core/schema/untrusted_graph_checks.h"
#include "core/schema/validate.h"

#include <algorithm>

namespace nnrt::host {
namespace {

// The graph to send. A partition of a model keeps the inferred shapes of its inputs, which cannot be inferred
// from the partition alone. Data that no node reads are omitted.
Graph outgoing_graph(const Graph& graph, std::span<const TensorId> constants) {
  Graph outgoing{graph.tensors, graph.nodes, graph.inputs, graph.outputs, {}};
  for (TensorId id = 0; id < outgoing.tensors.size(); ++id) {
    if (!std::ranges::binary_search(constants, id)) outgoing.tensors[id].data = nullptr;
  }
  for (const TensorId id : graph.inputs) {
    Tensor found = outgoing.tensors[id];
    found.shape = graph.shapes[id];
    if (check_dimensions(found).ok()) outgoing.tensors[id].shape = std::move(found.shape);  // may contain a 0
  }
  return outgoing;
}

Result<SharedBytes> read_constant(ByteReader& reader, TensorId id, const ReadGraph& read,
                                  const std::vector<bool>& withholdable, const ConstantReads& reads) {
  const auto store = reader.get<uint64_t>(), offset = reader.get<uint64_t>(), size = reader.get<uint64_t>();
  NNRT_TRY(reader.status());
  if (store == kWithheld && reads.withheld) {
    const Tensor& tensor = read.graph.tensors[id];
    if (withholdable[id] && byte_size(tensor.dtype, tensor.shape) == size) return reads.withheld(id, size);
    return invalid("The data of tensor ", id, " cannot be withheld.");
  }
  const SharedBytes bytes = reads.store(store);
  if (bytes == nullptr || offset % kBlobAlignment != 0 || offset > bytes->size() ||
      size > bytes->size() - offset)
    return invalid("The data of tensor ", id, " is not at the stated place.");
  return bytes.part(offset, size);
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

std::vector<bool> find_withholdable(const Graph& graph) {
  std::vector<bool> is_constant(graph.tensors.size(), false);
  for (const TensorId id : constants_of(graph)) is_constant[id] = true;
  return find_deferrable(graph, is_constant, kKeptBytes);
}

void write_graph(ByteWriter& writer, const Graph& graph, std::span<const ConstantPlace> places) {
  const std::vector<TensorId> constants = constants_of(graph);
  writer.bytes(encode_graph(outgoing_graph(graph, constants)));
  for (size_t i = 0; i < constants.size(); ++i) {
    writer.put(places[i].store);
    writer.put(places[i].offset);
    writer.put(uint64_t{graph.tensors[constants[i]].data->size()});
  }
}

Result<GraphPtr> read_graph(ByteReader& reader, const ConstantReads& reads) {
  ReadGraph read = nnrt::read_graph(reader);
  NNRT_TRY(reader.status());
  const std::vector<bool> withholdable = find_deferrable(read.graph, read.is_constant, kKeptBytes);
  for (TensorId id = 0; id < read.graph.tensors.size(); ++id) {
    if (!read.is_constant[id]) continue;
    NNRT_ASSIGN(read.graph.tensors[id].data, read_constant(reader, id, read, withholdable, reads));
  }
  NNRT_TRY(reader.status());
  NNRT_TRY(check_untrusted_subgraph(read.graph));
  return std::make_shared<const Graph>(std::move(read.graph));
}

}  // namespace nnrt::host
