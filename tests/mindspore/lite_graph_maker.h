// Graphs as MindSpore Lite's delegate passes them, made from a .ms file in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnrt::test {

// The client's structures, with the members of all versions.
struct LiteNode {
  std::string name, op_type;
  int node_type = 0;
  void* primitive = nullptr;
  std::shared_ptr<void> base_operator;
  std::vector<uint32_t> inputs, outputs;
  int quant_type = 0, device_type = -1;
};

struct LiteSubgraph {
  std::string name;
  std::vector<uint32_t> inputs, outputs, nodes, tensors;
};

struct LiteGraph {
  std::string name, version;
  std::vector<uint32_t> inputs, outputs;
  std::vector<void*> tensors;
  std::vector<LiteNode*> nodes;
  std::vector<LiteSubgraph*> subgraphs;
};

// Would MindSpore load the file? It verifies it as one of today's schema, or else of that before 1.1.
bool is_loadable(std::span<const std::byte> file);

// As MindSpore loads a file: nodes are objects, tensors and primitives tables of the file. The graph is freed
// by its receiver, or by free_graph().
LiteGraph* load_graph(std::span<const std::byte> file);
void free_graph(LiteGraph* graph);

// The graph of some of the nodes, as the delegate cuts it out: in ascending order of the tensors' addresses.
// `nodes` are consecutive.
LiteGraph* cut_graph(const LiteGraph& whole, size_t first, size_t count);

// The root table of a file, which BuildFromMetaGraph is given.
const void* root_table(std::span<const std::byte> file);

}  // namespace nnrt::test
