#include "tests/mindspore/golden_file.h"

#include "tests/mindspore/builder_graph.h"
#include "tools/import/mindspore/writer/ms_nodes.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

namespace nnrt::test {
namespace {

using import::mindspore::SourceGraph;

// Builders have no nodes for changes of layout.
bool write_as(Origin origin, const Graph& graph, const Node& node, SourceGraph& file) {
  const size_t before = file.nodes.size();
  if (!import::mindspore::write_node(graph, node, file).ok()) return false;
  if (origin == Origin::converter) return true;
  if (node.op == Op::lstm) file.nodes.resize(before + 1);  // the result has OH_NN's shape
  if (file.nodes.size() != before + 1) return false;
  to_builder_form(graph, node, file.nodes.back());
  return true;
}

}  // namespace

const std::vector<conformance::Case>& golden_cases() {
  static const std::vector<conformance::Case> cases = [] {
    conformance::Collection collection;
    conformance::load(NNRT_GOLDEN_CASES, collection);
    return std::move(collection.cases);
  }();
  return cases;
}

std::optional<Bytes> file_of(const Graph& graph, Origin origin) {
  SourceGraph file;
  for (TensorId id = 0; id < graph.tensors.size(); ++id)
    file.tensors.push_back(import::mindspore::source_tensor(graph, id));
  for (const Node& node : graph.nodes)
    if (!write_as(origin, graph, node, file)) return {};
  file.inputs = graph.inputs;
  file.outputs = graph.outputs;
  if (origin == Origin::builders) return builder_file(file);
  Result<Bytes> bytes = import::mindspore::serialize(file);
  return bytes.ok() ? std::optional(std::move(bytes).value()) : std::nullopt;
}

}  // namespace nnrt::test
