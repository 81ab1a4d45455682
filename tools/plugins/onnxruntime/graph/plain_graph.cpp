#include "tools/plugins/onnxruntime/graph/plain_graph.h"

#include <algorithm>

namespace nnrt::ep {
namespace {

const onnx_file::ValueInfo& info_of(const HostGraph& graph, const std::string& name) {
  static const onnx_file::ValueInfo none;
  const auto found = graph.values.find(name);
  return found == graph.values.end() ? none : found->second.info;
}

bool is_constant(const HostGraph& graph, const std::string& name) {
  const auto found = graph.values.find(name);
  return found != graph.values.end() && found->second.is_constant;
}

}  // namespace

std::vector<std::string> reads_of(const HostNode& node) {
  std::vector<std::string> reads = node.proto.input();
  reads.insert(reads.end(), node.outer_reads.begin(), node.outer_reads.end());
  std::erase(reads, "");
  return reads;
}

Boundary boundary_of(const HostGraph& graph, const Group& group) {
  Boundary boundary;
  std::set<std::string> written, seen;
  std::set<std::string> needed(graph.outputs.begin(), graph.outputs.end());
  for (const int position : group) {
    const auto& outputs = graph.nodes[static_cast<size_t>(position)].proto.output();
    written.insert(outputs.begin(), outputs.end());
  }
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const std::vector<std::string> reads = reads_of(graph.nodes[static_cast<size_t>(i)]);
    if (!std::ranges::binary_search(group, i)) {
      needed.insert(reads.begin(), reads.end());
      continue;
    }
    for (const std::string& name : reads) {
      if (!written.contains(name) && !is_constant(graph, name) && seen.insert(name).second)
        boundary.inputs.push_back(name);
    }
  }
  for (const int position : group) {
    for (const std::string& name : graph.nodes[static_cast<size_t>(position)].proto.output())
      if (!name.empty() && needed.contains(name)) boundary.outputs.push_back(name);
  }
  return boundary;
}

nnrt::import::HeldGraph model_of(const HostGraph& graph, const Group& group, const Boundary& boundary) {
  import::HeldGraph held;
  held.data = graph.data;
  for (const auto& [domain, version] : graph.opsets) {
    onnx_file::OperatorSet& set = *held.model.add_opset_import();
    set.set_domain(domain);
    set.set_version(version);
  }
  onnx_file::GraphProto& made = *held.model.mutable_graph();
  std::set<std::string> constants;
  for (const int position : group) {
    const HostNode& node = graph.nodes[static_cast<size_t>(position)];
    *made.add_node() = node.proto;
    for (const std::string& name : reads_of(node))
      if (is_constant(graph, name) && constants.insert(name).second)
        *made.add_initializer() = graph.values.at(name).constant;
  }
  for (const std::string& name : boundary.inputs) {
    *made.add_input() = info_of(graph, name);
    made.mutable_input(made.input_size() - 1)->set_name(name);
  }
  for (const std::string& name : boundary.outputs) made.add_output()->set_name(name);
  return held;
}

}  // namespace nnrt::ep
