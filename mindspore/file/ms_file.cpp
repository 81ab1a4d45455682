#include "mindspore/file/ms_file.h"

#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "mindspore/v0/old_schema.h"

#include <algorithm>
#include <cstring>

namespace nnrt::mindspore {
namespace {

constexpr std::string_view kIdentifier = "MSL2";

// Ids of the root table, MetaGraph.
enum RootField : size_t {
  kGraphName = 0,
  kVersion = 1,
  kInputs = 3,
  kOutputs = 4,
  kNodes = 6,
  kTensors = 7,
  kSubgraphs = 8,
  kObfuscated = 9,
  kFirstSecret = 10,  // data of obfuscation, or of encryption, up to kLastSecret
  kLastSecret = 12,
};

// Ids of the table CNode.
enum NodeField : size_t { kNodeName = 0, kPrimitive = 2, kNodeInputs = 3, kNodeOutputs = 4, kQuantType = 5 };

template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// A file with few bytes can list the same tables many times: their sum is limited by the size of the file.
Status check_counts(const FlatBuffer& buffer, FlatTables nodes, FlatTables tensors) {
  constexpr size_t kBytesEach = 256;  // a node or a tensor in memory
  if (nodes.size() == 0 || tensors.size() == 0) return damaged("The file has no nodes or no tensors.");
  if (!buffer.spend((nodes.size() + tensors.size()) * kBytesEach)) return buffer.status();
  return {};
}

Status check_indices(const SourceGraph& graph, std::span<const uint32_t> indices, std::string_view what) {
  const auto exists = [&](uint32_t index) { return index < graph.tensors.size(); };
  if (std::ranges::all_of(indices, exists)) return {};
  return damaged(what, " refers to a tensor that does not exist.");
}

// Types of files before 1.5 as today's.
int current_quant_type(int type) {
  if (type == kQuantAware || type == kQuantPost) return kQuantAll;
  return type == kQuantWeightOld ? kQuantWeight : type;
}

// Files before 1.3 do not say that only the weights are quantized.
bool has_quantized_weights_only(const SourceGraph& graph, const SourceNode& node) {
  const auto is_quantized = [](const SourceTensor& tensor) {
    return !tensor.quant.empty() && tensor.quant[0].inited;
  };
  bool any = false;
  for (const uint32_t input : node.inputs) {
    const SourceTensor& tensor = graph.tensors[input];
    if (!is_constant(tensor)) continue;
    if (!is_quantized(tensor)) return false;
    any = true;
  }
  return any;
}

Result<SourceNode> read_node(FlatTable table, bool is_old, SourceGraph& graph) {
  SourceNode node;
  node.name = table.text(kNodeName);
  node.inputs = table.numbers<uint32_t>(kNodeInputs);
  node.outputs = table.numbers<uint32_t>(kNodeOutputs);
  const std::string what = cat("Node \"", node.name, "\"");
  NNRT_TRY(check_indices(graph, node.inputs, what));
  NNRT_TRY(check_indices(graph, node.outputs, what));
  if (node.outputs.empty()) return damaged(what, " has no outputs.");
  node.quant_type = current_quant_type(table.number<int32_t>(kQuantType));
  const FlatTable primitive = table.table(kPrimitive);
  if (!primitive) return damaged(what, " has no primitive.");
  if (is_old) {
    convert_old_primitive(primitive, graph, node);
  } else if (Result<Primitive> read = read_primitive(primitive); read.ok()) {
    node.primitive = std::move(read).value();
  } else {
    node.problem = std::move(read).error();
  }
  return node;
}

// Data of inputs, and of tensors that nodes write, mean nothing.
void forget_written_data(SourceGraph& graph) {
  const auto forget = [&](std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) {
      graph.tensors[id].data = nullptr;
      graph.tensors[id].packing = {};
    }
  };
  forget(graph.inputs);
  for (const SourceNode& node : graph.nodes) forget(node.outputs);
}

Status refuse_secrets(FlatTable root) {
  if (root.number<bool>(kObfuscated)) return unsupported("The file is obfuscated.");
  for (size_t id = kFirstSecret; id <= kLastSecret; ++id)
    if (root.has(id)) return unsupported("The file is encrypted or obfuscated.");
  return {};
}

bool is_msl2(ByteView file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, kIdentifier.data(), kIdentifier.size()) == 0;
}

}  // namespace

bool is_model_file(ByteView file) { return is_msl2(file); }

bool is_old_model_file(ByteView file) {
  if (file.size() < 8 || is_msl2(file)) return false;
  const FlatBuffer buffer(file);
  const FlatTable root = FlatTable::root(buffer, file);
  const FlatTables nodes = root.tables(kNodes), tensors = root.tables(kTensors);
  return nodes.size() > 0 && tensors.size() > 0 && nodes[0].table(kPrimitive) && tensors[0] &&
         buffer.status().ok();
}

Result<SourceGraph> read_model_file(ByteView file, const KeepBytes& keep) {
  if (file.size() < 8) return damaged("The file is too short for a MindSpore Lite model.");
  const bool is_old = !is_msl2(file);
  const FlatBuffer buffer(file);
  return read_root(buffer, FlatTable::root(buffer, file), is_old, keep);
}

Result<SourceGraph> read_root(const FlatBuffer& buffer, FlatTable root, bool is_old, const KeepBytes& keep) {
  NNRT_TRY(buffer.status());
  if (!is_old) NNRT_TRY(refuse_secrets(root));
  if (root.tables(kSubgraphs).size() > 1)
    return unsupported("The file has ", root.tables(kSubgraphs).size(),
                       " subgraphs: control flow is not supported.");
  const FlatTables nodes = root.tables(kNodes), tensors = root.tables(kTensors);
  NNRT_TRY(check_counts(buffer, nodes, tensors));

  SourceGraph graph;
  graph.name = root.text(kGraphName);
  graph.version = parse_version(root.text(kVersion));
  graph.inputs = root.numbers<uint32_t>(kInputs);
  graph.outputs = root.numbers<uint32_t>(kOutputs);
  for (size_t i = 0; i < tensors.size(); ++i) {
    graph.tensors.push_back(read_tensor(tensors[i], keep));
    NNRT_TRY(buffer.status());
  }
  NNRT_TRY(check_indices(graph, graph.inputs, "An input of the graph"));
  NNRT_TRY(check_indices(graph, graph.outputs, "An output of the graph"));
  if (graph.inputs.empty() || graph.outputs.empty()) return damaged("The graph has no inputs or no outputs.");
  for (size_t i = 0; i < nodes.size(); ++i) {
    NNRT_ASSIGN(SourceNode node, read_node(nodes[i], is_old, graph));
    NNRT_TRY(buffer.status());
    graph.nodes.push_back(std::move(node));
  }
  forget_written_data(graph);
  if (is_old || graph.version < Version{1, 3, 0}) {
    for (SourceNode& node : graph.nodes)
      if (node.quant_type == kQuantNone && has_quantized_weights_only(graph, node))
        node.quant_type = kQuantWeight;
  }
  return graph;
}

Status drop_unread_nodes(SourceGraph& graph) {
  std::vector<bool> is_read(graph.tensors.size());
  for (const uint32_t id : graph.outputs) is_read[id] = true;
  std::vector<SourceNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::ranges::none_of(node->outputs, [&](uint32_t id) { return is_read[id]; })) continue;
    for (const uint32_t id : node->inputs) is_read[id] = true;
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);

  std::vector<bool> is_known(graph.tensors.size());
  for (size_t id = 0; id < is_known.size(); ++id) is_known[id] = is_constant(graph.tensors[id]);
  for (const uint32_t id : graph.inputs) {
    if (is_known[id]) return damaged("An input of the graph is given twice.");
    is_known[id] = true;
  }
  for (const SourceNode& node : graph.nodes) {
    if (!std::ranges::all_of(node.inputs, [&](uint32_t id) { return is_known[id]; }))
      return damaged("Node \"", node.name, "\" reads a tensor before it is written.");
    for (const uint32_t id : node.outputs) {
      if (is_known[id]) return damaged("Node \"", node.name, "\" writes a tensor that is already written.");
      is_known[id] = true;
    }
  }
  if (!std::ranges::all_of(graph.outputs, [&](uint32_t id) { return is_known[id]; }))
    return damaged("No node writes an output of the graph.");
  return {};
}

}  // namespace nnrt::mindspore
